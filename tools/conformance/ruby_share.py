#!/usr/bin/env python3
"""Which methods of Ruby's core and standard library the Ruby interpreter has, class by class.

    ruby_share.py [--pupc FILE] [--missing] [--differ] [CLASS…]

Ruby is asked for the public methods of each class (`String.instance_methods(false)`) and module (`JSON.singleton_methods`). Each is called on a few receivers with a
few arguments and blocks, by the interpreter and by Ruby. A method is there when the interpreter answers a call that Ruby answers. --missing names the others,
--differ shows answers that differ. What only makes sense for Ruby's own process (`fork`, `ObjectSpace`) is left out. Exit status 77 when there is no Ruby.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import pupc

HERE = os.path.dirname(os.path.abspath(__file__))
# name -> receivers; libraries to load. A class's own methods, and those of the modules in `with`.
CLASSES = {
    "String": ['"a b,C"', '"12"', '"äé"', '""', '"a\\nb\\n"', '"%d %s"', '"\\"q\\""'],
    "Symbol": [":ab", ":b"],
    "Array": ["[3, 1, 2]", '["b", "a"]', "[[1, 2], [3, 4]]", "[1, nil, [2]]", "[]"],
    "Hash": ['{"k" => 1, "j" => [2]}', "{a: 1, b: 2}", "{}"],
    "Integer": ["12", "-7", "255"],
    "Float": ["2.5", "-0.75"],
    "Range": ["(1..5)", '("a".."d")', "(1...4)"],
    "Regexp": ["/a(?<n>b)?/", "/[0-9]+/i"],
    "MatchData": ['"xab1".match(/a(?<n>b)(\\d)?/)'],
    "NilClass": ["nil"],
    "TrueClass": ["true"],
    "FalseClass": ["false"],
    "Proc": ["proc { |x| x }", "lambda { |x, y = 2| [x, y] }"],
    "Method": ["[1, 2].method(:push)", '"a".method(:upcase)'],
    "Comparable": ["5", '"m"'],
    "Enumerable": ["[3, 1, 2].each", "{a: 1}.each", "(1..4)"],
    "Enumerator": ["[3, 1, 2].each", "[1, 2].each_with_index", "Enumerator.new { |y| y << 1; y << 2 }"],
    "Enumerator::Lazy": ["(1..20).lazy", "[3, 1, 2].lazy"],
    "Struct": ["Struct.new(:a, :b).new(1, 2)"],
    "Set": ["Set.new([3, 1, 2])", 'Set["a"]'],
    "Time": ["Time.utc(2024, 2, 29, 13, 5, 9)", "Time.at(86400).utc"],
    "Date": ["Date.new(2024, 2, 29)", 'Date.parse("2023-12-31")'],
    "DateTime": ["DateTime.new(2024, 2, 29, 13, 5, 9)"],
    "IPAddr": ['IPAddr.new("10.1.2.0/24")', 'IPAddr.new("fe80::1")'],
    "Exception": ['StandardError.new("a")'],
    "StringScanner": ['StringScanner.new("ab 12")'],
    "OpenStruct": ["OpenStruct.new(a: 1)"],
    "Pathname": ['Pathname.new("/etc/x.conf")', 'Pathname.new("a/../b")'],
    "Random": ["Random.new(42)"],
    "Object": ["5", '"a"', "[1]"],
}
MODULES = {"JSON": ["parse", "generate", "pretty_generate", "dump", "load"], "YAML": ["load", "safe_load", "dump", "load_file"], "Base64": None, "Shellwords": None,
           "SecureRandom": ["hex", "uuid", "random_number", "alphanumeric", "base64", "urlsafe_base64"], "CGI": ["escape", "unescape", "escapeHTML", "unescapeHTML"],
           "URI": ["encode_www_form_component", "decode_www_form_component", "encode_www_form", "parse", "join", "regexp"], "ERB::Util": None,
           "Digest::MD5": ["hexdigest", "base64digest", "digest"], "Digest::SHA1": ["hexdigest", "base64digest"], "Digest::SHA256": ["hexdigest", "base64digest", "digest"],
           "Digest::SHA512": ["hexdigest"], "Digest::SHA384": ["hexdigest"],
           "File": ["join", "basename", "dirname", "extname", "exist?", "file?", "directory?", "read", "readlines", "expand_path", "absolute_path", "readable?", "size", "symlink?", "split",
                    "fnmatch", "fnmatch?", "foreach", "executable?", "zero?", "writable?", "mtime", "realpath", "stat", "readlink", "absolute_path?", "binread", "empty?", "ftype"],
           "Dir": ["glob", "exist?", "entries", "children", "[]", "pwd", "empty?", "each_child"],
           "Kernel": ["Array", "Float", "Hash", "Integer", "String", "Rational", "format", "sprintf", "catch", "loop", "rand", "block_given?", "lambda", "proc", "caller"],
           "Math": None, "Process": ["pid", "clock_gettime"], "Integer": ["sqrt"], "Regexp": ["escape", "quote", "union", "last_match", "new"], "Array": ["new", "[]", "try_convert"],
           "Hash": ["new", "[]", "try_convert"], "String": ["new", "try_convert"], "Time": ["now", "at", "utc", "gm", "local", "mktime", "parse", "iso8601", "strptime"],
           "Date": ["today", "parse", "new", "valid_date?", "strptime", "iso8601", "leap?"], "Random": ["rand", "new_seed"], "Struct": ["new"]}
ARGUMENTS = ["", "(1)", "(2)", '("a")', '("b", "c")', "(1, 2)", "(:a)", "([1])", "([1, 2], [3])", "(/a/)", "({})", '("k")', "(1..2)", "(2.5)", "(nil)", "(0)", '("2024-02-29")',
             '("%Y")', "(Date.new(2024, 1, 1))", "(Set.new([1]))", '("10.1.2.3")', '(IPAddr.new("10.1.2.3"))', '("/etc/hostname")', '("/etc")', '("a", "/b")', "(2024, 2, 3)",
             "(String)", '("{\\"a\\": 1}")', "(:to_s)", '("a" => 1)', "(255, 16)", '("YQ==")', "(:a, 5)", '("N")', "(Time.at(5))", "(/a/, 'b')", "(1, 1)", "(:b)"]
BLOCKS = ["", " { |x| x }", " { |x, y| [x, y] }", " { |x| x.to_s > 'a' }", " { |*a| a.size }"]
LEFT_OUT = set("""object_id __id__ hash display instance_variable_names method methods singleton_methods public_methods private_methods protected_methods binding source_location
  singleton_method public_method ruby2_keywords taint untaint trust untrust tainted? untrusted? pretty_print pretty_print_cycle pretty_print_inspect pretty_print_instance_variables
  pretty_inspect to_pson encode_with init_with yaml_tag psych_to_yaml gem to_bn exit sleep crypt sysread to_set_ class_eval remove_instance_variable marshal_dump marshal_load
  backtrace_locations full_message detailed_message readpartial ai dclone to_json_root minitest srand fork set_backtrace fixed_anchor? public_instance_method
  shuffle shuffle! sample bytes raw_seed beginning_of_line? rest? clear get_byte getbyte compare_by_identity rehash _dump unicode_normalize unicode_normalize! unicode_normalized?
  enum_for_ to_c to_r rationalize to_d to_bn_ numerator denominator real imaginary imag abs2 arg angle phase polar rect rectangular conj conjugate real? i quo
  singleton_method_added original_name unbind curry_ super_method receiver_ owner_ chmod chown delete unlink rename truncate utime make_link make_symlink mkpath rmtree write
  binwrite mkdir rmdir sysopen open opendir lchmod lchown lutime chmod_R syswrite flock realdirpath readlink_ sub_ext_ mountpoint? owned? grpowned? setuid? setgid? sticky? pipe?
  socket? blockdev? chardev? world_readable? world_writable? birthtime ctime atime mtime_ each_line_ find_ ld ajd amjd start julian gregorian italy england new_start julian? gregorian?
  asctime_ mjd_ day_fraction_ sec_fraction_ second_fraction_ hto_ jisx0301 infinite?_ ljd""".split())
RUBY = r"""
require 'json'; require 'timeout'; require 'did_you_mean'; require 'set'; require 'date'; require 'time'; require 'ipaddr'; require 'strscan'; require 'ostruct'; require 'pathname'
require 'base64'; require 'shellwords'; require 'securerandom'; require 'cgi'; require 'uri'; require 'erb'; require 'digest'; require 'yaml'; require 'bigdecimal'
Calls = JSON.parse(File.read(ARGV[0]))
File.write(ARGV[1], JSON.dump(Calls.map do |code|
  text = begin
    Timeout.timeout(0.5) { "v #{eval(code).inspect}" }
  rescue SystemExit, Exception => e
    "#{e.class} #{e.message}"
  end
  text.dup.force_encoding('UTF-8').scrub
end))
"""
LIST = r"""
require 'json'; require 'set'; require 'date'; require 'time'; require 'ipaddr'; require 'strscan'; require 'ostruct'; require 'pathname'
require 'base64'; require 'shellwords'; require 'securerandom'; require 'cgi'; require 'uri'; require 'erb'; require 'digest'; require 'yaml'
out = {}
JSON.parse(ARGV[0]).each { |name| c = Object.const_get(name); out[name] = c.public_instance_methods(false).map(&:to_s).sort }
out['Object'] = (Object.public_instance_methods - [:to_json, :to_yaml]).map(&:to_s).sort
out['Module'] = JSON.parse(ARGV[1]).to_h { |name| c = Object.const_get(name); [name, c.singleton_methods(false).map(&:to_s).sort] }
puts JSON.dump(out)
"""


def ruby(code, *args):
    return subprocess.run(["ruby", "-W0", "--disable-gems", "-EUTF-8:", "-e", code, *args], check=True, capture_output=True, text=True).stdout


def answers_of_ruby(codes):
    with tempfile.TemporaryDirectory(prefix="pupc-share") as work:
        paths = [os.path.join(work, name) for name in ("calls", "answers")]
        with open(paths[0], "w", encoding="utf-8") as f:
            json.dump(codes, f)
        subprocess.run(["ruby", "-W0", "--disable-gems", "-EUTF-8:", "-e", RUBY, *paths], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
        with open(paths[1], encoding="utf-8") as f:
            return json.load(f)


def answers_of_pupc(binary, codes):
    requests = []
    for n, code in enumerate(codes):
        template = f"<%= begin; 'v ' + ({code}).inspect; rescue => e; e.class.name + ' ' + e.message; end %>".replace("\\", "\\\\").replace("'", "\\'")
        requests.append({"id": str(n), "code": f"notify {{ 'x': message => inline_template('{template}') }}", "ruby": "never"})
    for answer in pupc.compile_all(binary, requests, timeout=1200):
        if answer["ok"]:
            yield next(r["parameters"]["message"] for r in answer["catalog"]["resources"] if r["type"] == "Notify")
        else:
            yield "! " + answer["error"]["message"]


def call(receiver, name, argument, block):
    plain = name[0].isalpha() or name[0] == "_"
    if name in ("[]", "[]="):
        inside = argument[1:-1]
        return f"(r = {receiver}; r[{inside}])" if name == "[]" else f"(r = {receiver}; r[{inside}] = 5; r)" if inside else None
    if not plain:
        return (f"({name[0]}{receiver})" if name in ("!", "~", "+@", "-@") and not argument else f"({receiver} {name} {argument})" if argument and "," not in argument else None)
    if name.endswith("=") and not name.endswith("=="):
        return f"(r = {receiver}; r.{name[:-1]} = {argument}; r)" if argument else None
    return f"(r = {receiver}; [r.{name}{argument}{block}, r])"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*")
    parser.add_argument("--pupc", default=os.path.join(HERE, "..", "..", "build", "release", "pupc"))
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--differ", action="store_true")
    options = parser.parse_args()
    if shutil.which("ruby") is None or shutil.which(options.pupc) is None:
        print("ruby or pupc is missing")
        return 77
    names = json.loads(ruby(LIST, json.dumps([c for c in CLASSES if c != "Object"]), json.dumps(list(MODULES))))
    wanted = lambda name: not options.classes or name in options.classes
    codes = []
    for of, receivers in CLASSES.items():
        if wanted(of):
            for name in names[of]:
                if name not in LEFT_OUT and "pretty_print" not in name:
                    codes += [(of, name, c) for r in receivers for a in ARGUMENTS for b in BLOCKS if (c := call(r, name, a, b)) and (a == "" or b in BLOCKS[:2])]
    for of, functions in MODULES.items():
        if wanted(of + "."):
            for name in functions or names["Module"][of]:
                receiver = "" if of == "Kernel" else of + ("" if name == "[]" else ".")
                codes += [(of + ".", name, f"({receiver}[{a[1:-1]}])" if name == "[]" else f"({receiver}{name}{a}{b})") for a in ARGUMENTS for b in BLOCKS[:2]]
    of_ruby = answers_of_ruby([c for _, _, c in codes])
    answered = [(row, theirs) for row, theirs in zip(codes, of_ruby) if theirs.startswith("v ")]
    tried, there, different = {}, {}, []
    for ((of, name, code), theirs), own in zip(answered, answers_of_pupc(options.pupc, [row[2] for row, _ in answered])):
        tried.setdefault(of, set()).add(name)
        if own.startswith("v "):
            there.setdefault(of, set()).add(name)
            if own != theirs and "0x0000" not in theirs:
                different.append((code, own, theirs))
    all_tried = sum(map(len, tried.values()))
    for of in tried:
        have = there.get(of, set())
        print(f"{of:18} {len(have):3} of {len(tried[of]):3}  {100 * len(have) / len(tried[of]):5.1f} %" + ("  missing: " + " ".join(sorted(tried[of] - have)) if options.missing else ""))
    have = sum(map(len, there.values()))
    print(f"{'all':18} {have} of {all_tried}  {100 * have / max(all_tried, 1):5.1f} %; {len(answered)} calls, {len(different)} answers differ")
    if options.differ:
        for code, own, theirs in different[:200]:
            print(f"DIFFERENT {code}\n  native: {own[:300]}\n  ruby:   {theirs[:300]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
