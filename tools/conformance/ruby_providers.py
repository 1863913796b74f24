#!/usr/bin/env python3
"""What a run withstands of providers that modules write in Ruby.

    ruby_providers.py PUPC [NAME…]

Each way to go wrong costs one failed resource: what depends on it is skipped, the rest is applied, also with Ruby, and the exit code is that of
failures. The module is testdata/apply/modules/typed. Exits 77 where there is no Ruby.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODULES = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "apply" / "modules"
# How a step of the provider goes wrong, and what its resource's error says.
WAYS = {
    "kill": "was killed by signal 9",
    "leave": "ended with exit status 4",
    "exit": "The provider's code called exit",
    "loop": "did not answer within 2 s and was ended",
    "child": "did not answer within 2 s and was ended",
    "syntax": "SyntaxError",
    "plain": "plain failure at",
}
STEPS = ("exists", "create", "flush")


def apply(pupc, top, code, *extra):
    return subprocess.run([pupc, "apply", "--vardir", str(top / "var"), "--modulepath", str(MODULES), "--detailed-exitcodes", "--provider-timeout", "2",
                           *extra, "-e", code], capture_output=True, text=True, timeout=300, check=False, cwd=top, stdin=subprocess.DEVNULL)


def expect(true, text):
    if not true:
        raise AssertionError(text)


def going_wrong(pupc, top):
    """Every way at every step."""
    for way, text in WAYS.items():
        for step in STEPS:
            for old in top.iterdir():
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            r = apply(pupc, top, f"""
                trouble {{ '{top}/before': }}
                trouble {{ '{top}/wrong': at => '{way}-{step}' }}
                -> notify {{ 'dependent': }}
                trouble {{ '{top}/after': require => Notify['between'] }}
                notify {{ 'between': }}""")
            what = f"{way} at {step}: exit {r.returncode}\n{r.stdout}{r.stderr}"
            expect(r.returncode == 6, what)
            expect(text in r.stderr, what)
            expect("Notify[dependent]: Skipping because of failed dependencies" in r.stderr, what)
            expect((top / "before").exists() and (top / "after").exists(), what)
            expect(r.stdout.count("Notify[between]/message: defined 'message'") == 1, what)


def printing(pupc, top):
    """Output of the code is no answer."""
    for step in STEPS:
        r = apply(pupc, top, f"trouble {{ '{top}/{step}': at => 'print-{step}' }} -> notify {{ 'dependent': }}")
        expect(r.returncode == 2 and "printed" not in r.stdout and "printed" in r.stderr, f"{r.returncode}\n{r.stdout}{r.stderr}")
        expect((top / step).exists(), "not made")


def forking(pupc, top):
    """A child that fails does not speak for its parent."""
    r = apply(pupc, top, f"trouble {{ '{top}/x': at => 'fork-create' }} -> notify {{ 'dependent': }}")
    expect(r.returncode == 2 and (top / "x").exists(), f"{r.returncode}\n{r.stdout}{r.stderr}")


def kinds(pupc, top):
    """A catalog of format 1 does not tell that a resource is of a module's type: the run looks it up."""
    resources = [{"type": "Trouble", "title": f"{top}/x", "parameters": {}}, {"type": "Elsewhere::Thing", "title": "a", "parameters": {}},
                 {"type": "Notify", "title": "inside", "parameters": {}}]
    document = {"name": "n", "version": 1, "environment": "production", "resources": resources, "classes": [],
                "edges": [{"source": "Elsewhere::Thing[a]", "target": "Notify[inside]"}]}
    (top / "c.json").write_text(json.dumps(document))
    r = subprocess.run([pupc, "apply", "--vardir", str(top / "var"), "--modulepath", str(MODULES), "--detailed-exitcodes", "--catalog", str(top / "c.json")],
                       capture_output=True, text=True, timeout=300, check=False, cwd=top, stdin=subprocess.DEVNULL)
    expect(r.returncode == 2 and (top / "x").exists() and "Warning" not in r.stderr, f"{r.returncode}\n{r.stdout}{r.stderr}")


def children(pupc, top):
    """With a process that is ended what it waits for ends too."""
    r = apply(pupc, top, f"trouble {{ '{top}/x': at => 'child-create' }}")
    expect(r.returncode == 4, f"{r.returncode}\n{r.stdout}{r.stderr}")
    left = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if entry.resolve() == top.resolve():
                left.append((entry.parent / "cmdline").read_bytes())
        except OSError:
            continue
    expect(not left, f"still running: {left}")


def without_ruby(pupc, top):
    """No Ruby, or none allowed: only the resources that need it fail."""
    for options in (["--ruby=never"], ["--ruby-program", "/no/such/ruby"]):
        r = apply(pupc, top, f"trouble {{ '{top}/x': }} -> notify {{ 'dependent': }} file {{ '{top}/f': ensure => file }}", *options)
        expect(r.returncode == 6 and (top / "f").exists(), f"{options}: {r.returncode}\n{r.stdout}{r.stderr}")
        expect("Trouble[" in r.stderr and "Skipping because of failed dependencies" in r.stderr, r.stderr)
        (top / "f").unlink()


def refused_metadata(pupc, top):
    """Puppet's autoloader finds types also in modules whose metadata.json it refuses."""
    types = top / "modules/half/lib/puppet/type"
    types.mkdir(parents=True)
    (top / "modules/half/metadata.json").write_text('{"name": "me-half", "version": "1.0.0"}')
    (types / "half_told.rb").write_text("""
        Puppet::Type.newtype(:half_told) do
          newparam(:name, namevar: true)
          newproperty(:level) { def retrieve; 'low'; end; def set(value); end }
        end""")
    r = apply(pupc, top, "half_told { 'a': level => 'high' }", "--modulepath", str(top / "modules"))
    expect(r.returncode == 2 and "Half_told[a]/level: level changed 'low' to 'high'" in r.stdout, f"{r.returncode}\n{r.stdout}{r.stderr}")


def native_only(pupc, top):
    """A module's provider of exec or file fails its resource: no Ruby code of these types is here to build on."""
    for kind in ("exec", "file"):
        folder = top / f"modules/own/lib/puppet/provider/{kind}"
        folder.mkdir(parents=True)
        (folder / "mine.rb").write_text(f"Puppet::Type.type(:{kind}).provide(:mine, parent: :posix) do\nend\n")
    r = apply(pupc, top, f"""
        exec {{ '/bin/touch {top}/one': provider => mine }} -> notify {{ 'dependent': }}
        file {{ '{top}/two': ensure => file, provider => mine }} exec {{ 'touch {top}/three': provider => shell }} file {{ '{top}/four': ensure => file, provider => posix }}""",
              "--modulepath", str(top / "modules"))
    expect(r.returncode == 6 and r.stderr.count("The provider mine of a module cannot be used") == 2, f"{r.returncode}\n{r.stdout}{r.stderr}")
    expect([(top / n).exists() for n in ("one", "two", "three", "four")] == [False, False, True, True], r.stdout + r.stderr)
    for kind in ("exec", "file"):
        r = apply(pupc, top, f"{kind} {{ '/nowhere': provider => nosuch }}")
        expect(r.returncode == 1 and f"Invalid {kind} provider 'nosuch'" in r.stderr, f"{r.returncode}\n{r.stdout}{r.stderr}")


FACTS = """Facter.add(:late) { setcode { File.exist?('TOP/late') ? File.read('TOP/late') : nil } }
Facter.add(:late_parts) { setcode { File.exist?('TOP/late') ? { 'a' => [1, { 'b' => 'c' }] } : nil } }
Facter.add(:known) { setcode { File.exist?('TOP/late') ? 'changed' : 'first' } }
Facter.add(:confined) { confine(late: 'v1'); setcode { 'confined' } }
Facter.add(:summed, type: :aggregate) { chunk(:a) { { 'x' => Facter.value(:late) } }; chunk(:b) { { 'y' => 1 } } }
"""
ASKER = """Puppet::Type.newtype(:asker) do
  newparam(:name, namevar: true)
  newparam(:code)
  newproperty(:answer) do
    def insync?(_is) = false
    def set(_value) = provider.tell
  end
end
"""
TELLER = """Puppet::Type.type(:asker).provide(:first_one) do
  def answer = :absent
  def tell = Puppet.notice("#{resource[:name]}: #{begin; eval(resource[:code]); rescue StandardError => e; "#{e.class}: #{e.message}"; end.inspect}")
end
"""
# What providers ask and what Puppet 8.11 with Facter 4.3 answers, in this order. A fact that code has asked for keeps its answer until `clear`.
ASKED = [
    ("[Facter.value(:late), Facter.value(:known)]", '[nil, "first"]'),
    ("File.write('TOP/late', 'v1')", "2"),
    ("[Facter.value(:late), Facter.value(:known), Facter.value('late_parts.a.1.b'), Facter.value(:summed)]", '[nil, "first", "c", {"x"=>nil, "y"=>1}]'),
    ("[Facter.fact(:nosuch), Facter[:kernel].value, Facter.fact(:late).value]", '[nil, "Linux", nil]'),
    ("Facter.flush; [Facter.value(:late), Facter.value(:known)]", '[nil, "first"]'),
    ("Facter.clear; [Facter.value(:late), Facter.value(:known), Facter.value(:confined), Facter.value(:summed)]",
     '["v1", "changed", "confined", {"x"=>"v1", "y"=>1}]'),
    ("Facter.add(:made) { setcode { 'made' } }; [Facter.value(:made), Facter.list.include?('made')]", '["made", true]'),
    ("[Puppet::Type.type(:asker).to_s, Puppet::Type::Asker::ProviderFirst_one.name, Puppet::Type::Asker::ParameterCode.name, Puppet::Type::Asker::Answer.name]",
     '["Puppet::Type::Asker", :first_one, :code, :answer]'),
    ("Puppet.settings.values(:production, 'agent').interpolate(:hostcert) == Puppet[:hostcert]", "true"),
    ("Puppet::Resource.indirection.find('user/root')[:uid]", "0"),
    ("Puppet::Type.type(:group).new(name: 'root').provider.gid", "0"),
]
# As root: commands as others, in the directory that the code is in.
ASKED_BY_ROOT = [
    ("Dir.chdir('TOP/open') { Puppet::Util::Execution.execute('pwd; id -u', uid: 'nobody') }", r'"TOP/open\n65534\n"'),
    ("Dir.chdir('TOP/open') { Puppet::Util::Execution.execute(['sh', '-c', 'pwd; id -u; id -g'], uid: 'nobody', gid: 'daemon') }", r'"TOP/open\n65534\n1\n"'),
    ("Dir.chdir('TOP/open') { Puppet::Util::Execution.execute('pwd; id -u; id -g', gid: 'daemon') }", r'"TOP/open\n0\n1\n"'),
    ("Dir.chdir('TOP/open') { Puppet::Util::Execution.execute('pwd; id -u', cwd: 'TOP/closed', uid: 'nobody', combine: true) }", r'"TOP/closed\n65534\n"'),
    ("Puppet::Util::Execution.execute('exit 3', uid: 'nobody').exitstatus", "3"),
    ("Puppet::Util::Execution.execute('x', uid: 'nosuchuser').exitstatus", "1"),
]


def asking(pupc, top):
    """Facts, settings, names and commands as code of a provider sees them; the module is in an environment."""
    lib = top / "environments/production/modules/asks/lib"
    for folder in ("facter", "puppet/type", "puppet/provider/asker"):
        (lib / folder).mkdir(parents=True)
    (lib / "facter/late.rb").write_text(FACTS.replace("TOP", str(top)))
    (lib / "puppet/type/asker.rb").write_text(ASKER)
    (lib / "puppet/provider/asker/first_one.rb").write_text(TELLER)
    top.chmod(0o755)
    (top / "open").mkdir(mode=0o755)
    (top / "closed").mkdir(mode=0o700)
    asked = [(code.replace("TOP", str(top)), answer.replace("TOP", str(top))) for code, answer in ASKED + (ASKED_BY_ROOT if os.geteuid() == 0 else [])]
    manifest = "notify { \"known ${facts['known']}\": }\n" + "".join(
        f"-> asker {{ 'a{i}': answer => 'x', code => @(END) }}\n{code}\n| END\n" for i, (code, _) in enumerate(asked))
    (top / "site.pp").write_text(manifest)
    r = subprocess.run([pupc, "apply", "--vardir", str(top / "var"), "--environmentpath", str(top / "environments"), str(top / "site.pp")],
                       capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    expect("defined 'message' as 'known first'" in r.stdout, r.stdout + r.stderr)
    for i, (code, answer) in enumerate(asked):
        expect(f"Notice: a{i}: {answer}\n" in r.stdout, f"{code}: {answer} expected\n{r.stdout}{r.stderr}")


TESTS = [asking, going_wrong, printing, forking, kinds, children, without_ruby, refused_metadata, native_only]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if shutil.which("ruby") is None:
        print("skipped: there is no Ruby")
        return 77
    pupc = str(pathlib.Path(sys.argv[1]).resolve())
    failed = 0
    for test in TESTS:
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory(prefix="pupc-providers-") as top:
            try:
                test(pupc, pathlib.Path(top))
                print(f"{test.__name__}: passed", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"{test.__name__}: FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
