#!/usr/bin/env python3
"""Hostile inputs: depth, size, loops, special files, bombs, limits. Each ends below 2 s and 500 MB with one clear error (or, where stated,
with an answer). Usage: hostile_test.py PUPC [NAME...]; -v prints the table of time and memory."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

SECONDS, MEGABYTES = 2.0, 500
# What loops for ever is given less than a second; the limits by default are those of a server.
SHORT = ["--max-time", "0.7", "--max-memory", "300"]
RUBY = ["--ruby-timeout", "1"]


class Case:
    def __init__(self, name, words, files=None, error=None, answer=None, stdin=None, prepare=None, ruby=False, lines=1):
        self.name, self.words, self.files, self.error, self.answer = name, words, files or {}, error, answer
        self.stdin, self.prepare, self.ruby, self.lines = stdin, prepare, ruby, lines


def code(name, text, error, *words, **more):
    return Case(name, ["compile", "--node", "n", *SHORT, *words, "-e", text], error=error, **more)


def from_file(name, text, error, **more):
    return Case(name, ["compile", "--node", "n", *SHORT, "x.pp"], files={"x.pp": text}, error=error, **more)


def fifo(path):
    def make(folder):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / path)
    return make


def sparse(path):
    def make(folder):
        with open(folder / path, "wb") as f:
            f.truncate(1 << 36)
    return make


def sparse_archive(folder):
    """An archive of a few hundred bytes whose one member takes a terabyte, and a catalog that extracts it."""
    sparse("big")(folder)
    os.truncate(folder / "big", 1 << 40)
    subprocess.run(["tar", "--sparse", "-C", folder, "-czf", folder / "bomb.tar.gz", "big"], check=True)
    (folder / "big").unlink()
    (folder / "out").mkdir()
    parameters = {"ensure": "present", "extract": True, "extract_path": f"{folder}/out", "creates": f"{folder}/out/big", "cleanup": False}
    resource = {"type": "Archive", "title": f"{folder}/bomb.tar.gz", "tags": [], "exported": False, "kind": "compilable_type",
                "parameters": parameters}
    (folder / "c.json").write_text(catalog_of(json.dumps([resource])))


def directory(path):
    return lambda folder: (folder / path).mkdir()


def link(path, target):
    def make(folder):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(target)
    return make


def in_modules(name, manifest, error, files=None, prepare=None, **more):
    return Case(name, ["compile", "--node", "n", *SHORT, "--ruby", "never", "--modulepath", "mods", "-e", manifest], files=files, error=error, prepare=prepare, **more)


def applied(name, catalog, error, **more):
    """Nothing is changed: the catalogs only hold notifications, and it is a trial run."""
    return Case(name, ["apply", "--noop", "--vardir", "$PWD/var", "--catalog", "c.json"], files={"c.json": catalog}, error=error, **more)


def catalog_of(resources, edges="[]", version="1"):
    return f'{{"name":"n","version":{version},"environment":"production","resources":{resources},"edges":{edges},"classes":[]}}'


def bomb(levels=9, width=10):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, levels + 1)]
    return "\n".join(lines) + "\n"


def ruby_function(body):
    return f"Puppet::Functions.create_function(:'m::f') do\n  dispatch(:f) {{ optional_param 'Any', :x }}\n  def f(x = nil)\n{body}\n  end\nend\n"


def ruby(name, body, error, manifest="notice(m::f(1))", **more):
    return Case(name, ["compile", "--node", "n", "--max-time", "1.2", "--max-memory", "300", *RUBY, "--modulepath", "mods", "-e", manifest],
                files={"mods/m/lib/puppet/functions/m/f.rb": ruby_function(body)}, error=error, ruby=True, **more)


def with_hiera(name, key, data, error, **more):
    return Case(name, ["compile", "--node", "n", *SHORT, "--hiera-config", "hiera.yaml", "-e", f"notice(lookup('{key}'))"],
                files={"hiera.yaml": "version: 5\nhierarchy: [{name: a, path: a.yaml}]\n", "data/x": "", **data}, error=error, **more)


def in_circles(line, levels=40):
    """Keys that each name the next one twice."""
    return "".join(line.replace("@", f"a{i}").replace("#", f"a{i + 1}") + "\n" for i in range(levels)) + f"a{levels}: x\n"


def with_hocon(name, key, text, error):
    return with_hiera(name, key, {"data/a.conf": text, "hiera.yaml": "version: 5\nhierarchy: [{name: a, path: a.conf, data_hash: hocon_data}]\n"},
                      error)


NOT_REGULAR = "not a regular file"
TOO_MUCH = "make too much of it"
TIME, MEMORY, DEEP = "longer than", "of memory", ("stack level too deep", "nested too deeply")
EITHER = (TIME, MEMORY)
n = 100_000
LONG = "a" * 60 + "!"

CASES = [
    # depth
    from_file("parentheses", "notice(" + "(" * n + "1" + ")" * n + ")", DEEP),
    from_file("lists in lists", "$x = " + "[" * n + "]" * n, DEEP),
    from_file("hashes in hashes", "$x = " + "{a=>" * n + "1" + "}" * n, DEEP),
    from_file("if in if", "if true {" * n + "}" * n, DEEP),
    from_file("negations", "$x = " + "!" * n + "true", DEEP),
    from_file("a long sum", "$x = 1" + "+1" * 300_000, DEEP),
    from_file("interpolation in interpolation", "notice(" + '"${' * 5000 + "1" + '}"' * 5000 + ")", None),
    from_file("open parentheses", "notice(" + "(" * n, ("Syntax error",) + DEEP),
    from_file("open braces", "class a {" * n, ("Syntax error",) + DEEP),
    code("a function that calls itself", "function f($n) { f($n + 1) } f(1)", DEEP),
    code("functions that call each other", "function a($n) { b([$n]) } function b($n) { a({x => $n}) } a(1)", DEEP),
    code("a define that declares itself", "define d { d { \"${title}x\": } } d { 'x': }", "looped more than 1000 times"),
    code("a lambda that nests", "$f = Integer[1, 5000].reduce([]) |$m, $i| { [$m] } notice($f)", None),
    code("a type that names itself, in new", "type F = Optional[F] F.new(1)", DEEP),
    code("a type that names itself, in Callable", "type F = Optional[F] notice(Callable[F] <= Callable[F])", None, answer=True),
    code("an Iterable of itself", "type F = Iterable[F] notice('x' =~ F, {a => 1} =~ F)", None, answer=True),
    code("types that name each other, in assert_type", "type F = Variant[G, String] type G = Variant[F, Integer] assert_type(F, {})", DEEP),
    code("a type that is itself", "type F = F notice(1 =~ F)", "cannot be resolved"),
    Case("facts nested deeply, JSON", ["compile", "--node", "n", "--facts", "f.json", "-e", "notice(1)"], files={"f.json": "[" * n + "]" * n}, error=""),
    Case("facts nested deeply, YAML", ["compile", "--node", "n", "--facts", "f.yaml", "-e", "notice(1)"], files={"f.yaml": "{a: " * n + "}" * n}, error=""),
    Case("a catalog nested deeply", ["diff", "a.json", "b.json"], files={"a.json": '{"a":' * n + "1" + "}" * n, "b.json": "{}"}, error=""),
    # loops
    code("each over many", "Integer[1, 9000000000].each |$i| { }", TIME),
    code("map over many", "$x = Integer[1, 9000000000].map |$i| { $i }", EITHER),
    code("all over many", "notice(Integer[1, 9000000000].all |$i| { $i > 0 })", TIME),
    code("filter over many", "Integer[0, 9000000000].filter |$i| { false }", EITHER),
    code("steps of many", "$x = Array(Integer[1, 9000000000].step(2))", "too many"),
    code("many as an array", "$x = Array(Integer[1, 9000000000])", ""),
    code("many as arguments", "notice(*Integer[1, 9000000000])", None, answer=True),
    code("many in slices", "$x = slice(Integer[1, 9000000000], 2)", "too many"),
    code("a tree that grows", "$x = Integer[1, 40].reduce([1]) |$m, $i| { [$m, $m] } notice(flatten($x).length)", EITHER),
    code("texts that double", "$x = Integer[1, 60].reduce('x') |$m, $i| { \"${m}${m}\" }", MEMORY),
    code("lists that double", "$x = Integer[1, 60].reduce([1]) |$m, $i| { $m + $m }", MEMORY),
    code("many resources", "Integer[1, 900000000].each |$i| { notify { \"${i}\": } }", EITHER),
    code("a template in ERB that loops", "notice(inline_template('<% while true do @x = 1 end %>'))", "", "--ruby", "never"),
    code("a template in EPP that loops", "notice(inline_epp('<% Integer[1, 9000000000].each |$i| { } %>'))", TIME),
    # regular expressions
    code("repetitions in repetitions", f"notice('{LONG}' =~ /^(a+)+$/)", "too many steps"),
    code("regsubst", "notice(regsubst('" + "x" * 60 + "', '(x+x+)+[yz]', ''))", "too many steps"),
    code("a pattern type", f"notice('{LONG}' =~ Pattern[/^(a|a)*$/])", "too many steps"),
    code("a case with repetitions", f"case '{LONG}' {{ /^(a*)*$/: {{ }} default: {{ }} }}", "too many steps"),
    Case("a node's name", ["compile", *SHORT, "--node", LONG, "-e", "node /^(a|aa)+$/ { }"], error="too many steps"),
    code("a pattern in a template", "notice(inline_template('<%= (\"a\" * 60 + \"!\") =~ /^(a+)+$/ %>'))", "too many steps", "--ruby", "never"),
    code("a pattern that is too deep", "notice('a' =~ '" + "(" * 20000 + ")" * 20000 + "')", ""),
    code("repetitions of repetitions", "notice('a' =~ '(((((a{1000}){1000}){1000}){1000}){1000})')", None),
    # sizes and bombs
    code("a wide format", "notice(sprintf('%999999999d', 1))", ""),
    code("a wide format of new", "notice(String(1, '%999999999d'))", ""),
    code("a large shift", "notice(1 << 9000000000)", ""),
    code("a type of many integers", "$x = Integer[1, 20000].map |$i| { Integer[$i * 2, $i * 2] } $t = Variant[*$x] notice(1 =~ $t)", None, answer=True),
    Case("a bomb of aliases in facts", ["compile", "--node", "n", "--facts", "f.yaml", "-e", "notice(1)"], files={"f.yaml": bomb()},
         error="aliases stand for"),
    with_hiera("a bomb of aliases in data", "a9", {"data/a.yaml": bomb()}, "aliases stand for"),
    with_hiera("a lookup that finds itself", "a", {"data/a.yaml": "a: \"%{lookup('b')}\"\nb: \"%{lookup('a')}\"\n"}, "ecursive"),
    with_hiera("a bomb of interpolations in data", "a0", {"data/a.yaml": in_circles("@: \"%{lookup('#')}%{lookup('#')}\"")}, EITHER),
    with_hiera("a bomb of aliases of Hiera", "a0", {"data/a.yaml": in_circles("@: [\"%{alias('#')}\", \"%{alias('#')}\"]")}, EITHER),
    with_hiera("merges of merges in data", "k3000",
               {"data/a.yaml": "k0: &k0 {x: 1}\n" + "".join(f"k{i}: &k{i} {{<<: *k{i - 1}, y{i}: 1}}\n" for i in range(1, 3001))},
               (TIME, "aliases stand for")),
    with_hiera("a bomb of aliases as hiera.yaml", "a", {"hiera.yaml": bomb()}, "aliases stand for"),
    with_hocon("a bomb of substitutions in HOCON", "a59",
               'a0 = "xxxxxxxxxx"\n' + "".join(f"a{i} = ${{a{i - 1}}}${{a{i - 1}}}\n" for i in range(1, 60)), (*EITHER, TOO_MUCH)),
    with_hocon("a bomb of lists in HOCON", "a59",
               "a0 = [1]\n" + "".join(f"a{i} = [${{a{i - 1}}}, ${{a{i - 1}}}]\n" for i in range(1, 60)), (*EITHER, TOO_MUCH)),
    with_hocon("lists in lists of HOCON", "a", "a = " + "[" * n + "]" * n, "nested too deeply"),
    with_hiera("lists in lists of JSON", "a", {"data/a.json": '{"a":' + "[" * n + "]" * n + "}",
               "hiera.yaml": "version: 5\nhierarchy: [{name: a, path: a.json, data_hash: json_data}]\n"}, "nesting of"),
    Case("a bomb of aliases to validate", ["validate", "d"], files={"d/data/common.yaml": bomb(), "d/hiera.yaml": "version: 5\n"},
         error="aliases stand for"),
    code("a float with many digits", "notice(sprintf('%.999999999f', 1.0))", (MEMORY, TIME)),
    code("a float with many digits, as exponent", "notice(sprintf('%.999999999e', 1.0))", "precision too big"),
    Case("an archive of a terabyte", ["apply", "--vardir", "$PWD/var", "--detailed-exitcodes", "--catalog", "c.json"], prepare=sparse_archive,
         error="Refused to extract", lines=2),  # as Puppet: of the provider, and of the resource
    # special files
    Case("a FIFO as manifest", ["compile", "--node", "n", "x.pp"], prepare=fifo("x.pp"), error=NOT_REGULAR),
    Case("a device as manifest", ["compile", "--node", "n", "/dev/zero"], error=NOT_REGULAR),
    Case("an endless manifest", ["compile", "--node", "n", "x.pp"], prepare=sparse("x.pp"), error="larger than"),
    Case("an endless standard input", ["compile", "--node", "n", "-"], stdin="/dev/zero", error="larger than"),
    Case("a FIFO as facts", ["compile", "--node", "n", "--facts", "f.yaml", "-e", ""], prepare=fifo("f.yaml"), error=NOT_REGULAR),
    Case("a device as facts", ["compile", "--node", "n", "--facts", "/dev/zero", "-e", ""], error=NOT_REGULAR),
    Case("a FIFO as configuration", ["compile", "--node", "n", "--config", "p.conf", "-e", ""], prepare=fifo("p.conf"), error=NOT_REGULAR),
    Case("a device as batch", ["compile", "--batch", "/dev/zero"], error=NOT_REGULAR),
    Case("an endless line of a batch", ["compile", "--batch", "-"], stdin="/dev/zero", error="larger than"),
    Case("a FIFO as catalog", ["diff", "c.json", "d.json"], files={"d.json": "{}"}, prepare=fifo("c.json"), error=NOT_REGULAR),
    Case("a directory as manifest", ["ast", "x.pp"], prepare=directory("x.pp"), error="directory"),
    Case("a FIFO to file()", ["compile", "--node", "n", "-e", "notice(file('$PWD/f'))"], prepare=fifo("f"), error=""),
    Case("a device to file()", ["compile", "--node", "n", "-e", "notice(file('/dev/zero'))"], error=""),
    with_hiera("a FIFO as data", "a", {}, "", prepare=fifo("data/a.yaml")),
    Case("a FIFO to validate", ["validate", "x.pp"], prepare=fifo("x.pp"), error=NOT_REGULAR),
    # forms and style
    Case("parentheses to format", ["fmt", "x.pp"], files={"x.pp": "notice(" + "(" * n + "1" + ")" * n + ")"}, error=DEEP),
    Case("comments to format", ["fmt", "--check", "x.pp"], files={"x.pp": "# c\n" * n + "notice(1)\n"}, error=None, answer=True),
    Case("one resource of many to format", ["fmt", "--check", "x.pp"],
         files={"x.pp": "x {\n" + "".join(f"  'a{i}':;\n" for i in range(n // 2)) + "}\n"}, error=None, answer=True),
    Case("a line of findings", ["validate", "--style", "--syntax-only", "x.pp"], files={"x.pp": '$x = "' + "$a ${b} " * (n // 2) + '"\n'}, error=None),
    Case("comments that ignore", ["validate", "--style", "--syntax-only", "x.pp"],
         files={"x.pp": "# lint:ignore:140chars\n" * (n // 4) + "notice(1)\n" + "# lint:endignore\n" * (n // 4)}, error=None),
    Case("many resources' style", ["validate", "--style", "--syntax-only", "x.pp"],
         files={"x.pp": "".join(f"class {{ 'a{i}': }}\nx {{ 'b': ; 'c': }}\n" for i in range(n // 10))}, error=None),
    # links and special files below directories
    Case("a link to itself as manifest", ["compile", "--node", "n", "x.pp"], prepare=link("x.pp", "x.pp"), error="x.pp"),
    Case("a FIFO among manifests", ["compile", "--node", "n", "manifests"], prepare=fifo("manifests/a.pp"), error=NOT_REGULAR),
    in_modules("a FIFO as class", "include m", NOT_REGULAR, prepare=fifo("mods/m/manifests/init.pp")),
    in_modules("a FIFO as template", "notice(epp('m/x.epp'))", "", prepare=fifo("mods/m/templates/x.epp")),
    in_modules("a FIFO as template in ERB", "notice(template('m/x.erb'))", "", prepare=fifo("mods/m/templates/x.erb")),
    in_modules("a module that contains itself", "include m::a::b", "", files={"mods/m/manifests/init.pp": ""}, prepare=link("mods/m/manifests/a", ".")),
    Case("directories in a circle to validate", ["validate", "d"], files={"d/manifests/x.pp": ""}, prepare=link("d/manifests/again", ".."), error=None, answer=True),
    Case("a FIFO as hiera.yaml", ["lookup", "--node", "n", "--hiera-config", "hiera.yaml", "x"], prepare=fifo("hiera.yaml"), error=NOT_REGULAR),
    Case("a FIFO as store", ["store", "s.db"], prepare=fifo("s.db"), error="s.db"),
    Case("a FIFO among the facts of all nodes", ["compile", "--all-nodes", "facts", "--output", "out", "-e", ""], prepare=fifo("facts/n.yaml"), error=NOT_REGULAR),
    # names and numbers
    from_file("a variable's name of a megabyte", "$" + "a" * (1 << 20) + " = 1\n", None, answer=True),
    from_file("a class's name of a megabyte", "include " + "a" * (1 << 20) + "\n", ""),
    from_file("a title of a megabyte, twice", "notify { ['" + "a" * (1 << 20) + "', '" + "a" * (1 << 20) + "']: }\n", "already been used"),
    from_file("a type's name of a megabyte", "A" + "a" * (1 << 20) + " { 'x': }\n", ""),
    from_file("a number of four million digits", "$x = " + "9" * 4_000_000 + "\n", "a number of 4000000 digits"),
    code("a text of a million digits as number", "$x = Integer[1, 17].reduce('99999999') |$m, $i| { \"${m}${m}\" } notice(Integer($x))", ""),
    code("a text of a million digits in an addition", "$x = Integer[1, 17].reduce('99999999') |$m, $i| { \"${m}${m}\" } notice($x + 1)", ""),
    code("powers of numbers", "notice(Integer[1, 5000].reduce(2) |$m, $i| { $m * $m })", ""),
    from_file("a float of a million digits", "$x = 1." + "9" * 1_000_000 + "e-5\n", None, answer=True),
    from_file("an exponent without end", "$x = 1e" + "9" * 1000 + "\n", None),
    from_file("a comment that does not end", "/*" + "x\n" * 2_000_000, ""),
    from_file("a text that does not end", "$x = '" + "x\n" * 2_000_000, ""),
    from_file("a heredoc that does not end", "$x = @(E)\n" + "x\n" * 2_000_000, ""),
    from_file("bytes that are no text", "$x = '\udcff\udcfe\x00'\n", None),
    Case("a large number in facts", ["compile", "--node", "n", "--facts", "f.json", "-e", "notice($facts)"], files={"f.json": '{"a": 1' + "0" * 400 + ', "b": 1e999}'}, error=None),
    # types and templates
    code("Arrays of each other", "type A = Array[B] type B = Array[A] notice([[[]]] =~ A, A == B, A <= B)", None, answer=True),
    code("a Hash of itself", "type A = Hash[A, A] notice({} =~ A, {{} => {}} =~ A) assert_type(A, {1 => 2})", ""),
    code("a Struct of itself over a deep value", "type T = Struct[{a => Optional[T]}] $x = Integer[1, 3000].reduce({}) |$m, $i| { {a => $m} } assert_type(T, $x + {b => 1})", ""),
    code("a circle of five thousand resources", "Integer[1, 5000].each |$i| { notify { \"${i}\": require => Notify[\"${($i % 5000) + 1}\"] } }", None),
    from_file("a query in parentheses", "Notify<| " + "(" * n + "title == 'x'" + ")" * n + " |>", DEEP),
    code("classes that inherit each other", "class a inherits b { } class b inherits a { } include a", ""),
    in_modules("a template that calls itself", "notice(epp('m/x.epp'))", DEEP + (TIME,), files={"mods/m/templates/x.epp": "<%= epp('m/x.epp') %>"}),
    from_file("blocks in blocks of a template", "notice(inline_epp(@(E)))\n" + "<% if true { -%>" * 20000 + "<% } -%>" * 20000 + "\n| E\n", DEEP),
    Case("blocks in blocks of a template in ERB", ["compile", "--node", "n", *SHORT, "--ruby", "never", "x.pp"],
         files={"x.pp": "notice(inline_template(@(E)))\n" + "<% if true %>" * 20000 + "<% end %>" * 20000 + "\n| E\n"}, error=""),
    code("a large text, many replacements", "$x = Integer[1, 22].reduce('a') |$m, $i| { \"${m}${m}\" } notice(length(regsubst($x, 'a', 'bb', 'G')))", None),
    code("a text without the start of a pattern", "$x = Integer[1, 17].reduce('a') |$m, $i| { \"${m}${m}\" } notice($x =~ /a*b/)", None),
    # data and configuration
    with_hiera("data nested deeply", "a", {"data/a.yaml": "a: " + "[" * n + "]" * n}, ""),
    with_hiera("indents in data", "a", {"data/a.yaml": "".join(" " * i + "a:\n" for i in range(3000))}, ""),
    with_hiera("interpolation of itself in a path", "a", {"hiera.yaml": "version: 5\nhierarchy: [{name: a, path: \"%{lookup('a')}.yaml\"}]\n"}, ""),
    Case("a setting that names itself", ["compile", "--node", "n", "--config", "p.conf", "-e", "notice($settings::vardir)"], files={"p.conf": "[main]\nvardir = $logdir\nlogdir = $vardir\n"}, error=None),
    Case("a configuration of one line", ["compile", "--node", "n", "--config", "p.conf", "-e", "notice(1)"], files={"p.conf": "[main]\nvardir = /" + "x" * (8 << 20)}, error=None),
    # catalogs
    applied("a catalog's number without end", catalog_of("[]", version="1" + "0" * 5000), None),
    applied("containers in a circle", catalog_of('[{"type":"Class","title":"a"},{"type":"Class","title":"b"},{"type":"Notify","title":"n"}]',
                                               '[{"source":"Class[a]","target":"Class[b]"},{"source":"Class[b]","target":"Class[a]"},{"source":"Class[b]","target":"Notify[n]"}]'), None),  # two lines, as in Puppet
    applied("one resource many times", catalog_of("[" + ",".join(['{"type":"Notify","title":"n"}'] * 20000) + "]"), ""),
    applied("a parameter nested deeply", catalog_of('[{"type":"Notify","title":"n","parameters":{"message":' + "[" * 1000 + "]" * 1000 + "}}]"), None),
    applied("a title of a megabyte in a catalog", catalog_of('[{"type":"Notify","title":"' + "a" * (1 << 20) + '"}]'), None),
    applied("a circle of references", catalog_of('[{"type":"Notify","title":"a","parameters":{"require":"Notify[b]"}},{"type":"Notify","title":"b","parameters":{"require":"Notify[a]"}}]'), None),
    # Ruby
    ruby("Ruby that loops", "loop { }", ("did not answer", TIME)),
    ruby("Ruby that eats memory", "a = 'x'; loop { a << a }", ""),
    ruby("Ruby that ends", "exit!(3)", "ended with exit status 3"),
    ruby("Ruby that writes to the worker's descriptor", "IO.for_fd(3, autoclose: false).syswrite('garbage ' * 100); 1", "no answer"),
    ruby("Ruby that calls itself by Puppet", "call_function('m::f', x)", DEEP),
    ruby("Ruby that stops reading", "Process.kill(:STOP, $$) if x == 'stop'; 1", ("did not answer", TIME, MEMORY),
         manifest="$x = Integer[1, 20].reduce('xxxxxxxx') |$m, $i| { \"${m}${m}\" } notice(m::f('stop')) notice(m::f($x))"),
]


def run(pupc, case, folder):
    for path, text in case.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, errors="surrogateescape")
    if case.prepare:
        case.prepare(folder)
    words = [w.replace("$PWD", str(folder)) for w in case.words]
    start = time.monotonic()
    findings = words[0] == "validate"  # what it finds goes to standard output
    with open(case.stdin or "/dev/null", "rb") as stdin:
        process = subprocess.Popen([pupc, *words], cwd=folder, stdin=stdin, stdout=subprocess.PIPE if findings else subprocess.DEVNULL,
                                   stderr=subprocess.STDOUT if findings else subprocess.PIPE)
    timer = threading.Timer(20, process.kill)
    timer.start()
    errors = (process.stdout if findings else process.stderr).read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    return process.returncode, errors, time.monotonic() - start, usage


def problems(case, code, errors, cpu, megabytes):
    out = []
    lines = [l for l in errors.splitlines() if l.startswith(("Error:", "pupc:")) or ": error[" in l]
    if code < 0:
        out.append(f"ended by signal {-code}")
    elif case.error is None:
        if code != 0 and case.answer:
            out.append(f"no answer: {errors[:300]}")
    elif code == 0:
        out.append("no error")
    else:
        wanted = case.error if isinstance(case.error, tuple) else (case.error,)
        if len(lines) != case.lines:
            out.append(f"{len(lines)} error lines: {errors[:300]}")
        elif not any(w in lines[0] for w in wanted):
            out.append(f"not the error that was expected ({case.error}): {lines[0][:300]}")
    # Processor time: a busy machine is not the program's fault.
    if cpu > SECONDS:
        out.append(f"{cpu:.2f} s")
    if megabytes > MEGABYTES:
        out.append(f"{megabytes:.0f} MB")
    return out


def main():
    words = [w for w in sys.argv[1:] if w != "-v"]
    pupc, names = os.path.abspath(words[0]), words[1:]
    have_ruby = subprocess.run(["sh", "-c", "command -v ruby"], capture_output=True).returncode == 0
    failed = count = 0
    for case in CASES:
        if (names and case.name not in names) or (case.ruby and not have_ruby):
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            code, errors, seconds, usage = run(pupc, case, pathlib.Path(folder))
        cpu, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        found = problems(case, code, errors, cpu, megabytes)
        if seconds > 15:
            found.append(f"{seconds:.1f} s until it ended")
        if found or "-v" in sys.argv:
            print(f"{'FAIL' if found else 'ok  '} {case.name:45} {seconds:6.2f} s {cpu:6.2f} s cpu {megabytes:6.0f} MB  {'; '.join(found) or errors.strip()[:90]}")
        failed += bool(found)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
