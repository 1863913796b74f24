#!/usr/bin/env python3
"""What a run of `pupc apply` tells besides its changes: graphs, the trace, log places.

    apply_outputs_test.py PUPC [write PUPPET…]   with `write` Puppet's words, whose answers are stored in testdata/apply_outputs
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "apply_outputs"
GRAPHS = ("resources", "relationships", "expanded_relationships")


def run(words, *more, **how):
    return subprocess.run([*words, *more], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=120, **how)


def trace_of(text):
    """The lines of the resources' turns."""
    return [re.sub(r"in [\d.]+ seconds", "in N seconds", line) for line in text.splitlines() if "evaluate the resource" in line or "Evaluated in" in line]


def ask_puppet(puppet):
    with tempfile.TemporaryDirectory() as top:
        os.makedirs(f"{top}/var/state/graphs")
        done = run(puppet, "apply", "--noop", "--color=false", "--vardir", f"{top}/var", "--confdir", f"{top}/conf", "--graph", "--evaltrace", "--verbose", str(DATA / "site.pp"))
        for name in GRAPHS:
            shutil.copy(f"{top}/var/state/graphs/{name}.dot", DATA)
        run(puppet, "apply", "--noop", "--color=false", "--vardir", f"{top}/var", "--confdir", f"{top}/conf", "--graph", str(DATA / "cycles.pp"))
        shutil.copy(f"{top}/var/state/graphs/cycles.dot", DATA)
        run(puppet, "apply", "--noop", "--color=false", "--vardir", f"{top}/var", "--confdir", f"{top}/conf", "--graph", str(DATA / "moments.pp"))
        shutil.copy(f"{top}/var/state/graphs/relationships.dot", DATA / "moments.dot")
        (DATA / "trace.txt").write_text("\n".join(trace_of(done.stdout)) + "\n")


def graphs(pupc, top):
    done = run([pupc], "apply", "--noop", "--vardir", f"{top}/var", "--graph", str(DATA / "site.pp"))
    assert done.returncode == 0, done.stderr
    for name in GRAPHS:
        found, wanted = (pathlib.Path(p).read_text() for p in (f"{top}/var/state/graphs/{name}.dot", DATA / f"{name}.dot"))
        assert sorted(found.split("\n\n")) == sorted(wanted.split("\n\n")), f"{name}: {set(found.split(chr(10) * 2)) ^ set(wanted.split(chr(10) * 2))}"
    done = run([pupc], "apply", "--noop", "--vardir", f"{top}/var2", "--graphdir", f"{top}/elsewhere", str(DATA / "site.pp"))
    assert not os.path.exists(f"{top}/elsewhere") and done.returncode == 0, done
    done = run([pupc], "apply", "--noop", "--vardir", f"{top}/var2", "--graph", "--graphdir", f"{top}/elsewhere", str(DATA / "site.pp"))
    assert os.path.exists(f"{top}/elsewhere/resources.dot"), done


def moments(pupc, top):
    """What types add before the run, and what they relate themselves to."""
    run([pupc], "apply", "--noop", "--vardir", f"{top}/var", "--graph", "--catalog", str(DATA / "moments.json"))
    found, wanted = (set(pathlib.Path(p).read_text().split("\n\n")) for p in (f"{top}/var/state/graphs/relationships.dot", DATA / "moments.dot"))
    assert found == wanted, f"too much: {sorted(found - wanted)}\nmissing: {sorted(wanted - found)}"


def cycles(pupc, top):
    words = ([pupc], "apply", "--noop", "--vardir", f"{top}/var", str(DATA / "cycles.pp"))
    done = run(*words)
    assert done.returncode == 1 and "Found 2 dependency cycles:\n(Notify[a] => Notify[c] => " in done.stderr, done
    assert "Try the '--graph' option" in done.stderr and not os.path.exists(f"{top}/var/state/graphs/cycles.dot"), done
    done = run(*words, "--graph")
    written = f"{top}/var/state/graphs/cycles.dot"
    assert done.returncode == 1 and f"\\nCycle graph written to {written}.\n" in done.stderr and "Try the" not in done.stderr, done
    assert pathlib.Path(written).read_text() == (DATA / "cycles.dot").read_text(), pathlib.Path(written).read_text()


def trace(pupc, top):
    done = run([pupc], "apply", "--noop", "--vardir", f"{top}/var", "--evaltrace", "--verbose", str(DATA / "site.pp"))
    found, wanted = trace_of(done.stdout), (DATA / "trace.txt").read_text().splitlines()
    assert found == wanted, "\n".join(f"{a}   |   {b}" for a, b in zip(found, wanted) if a != b)
    assert not trace_of(run([pupc], "apply", "--noop", "--vardir", f"{top}/var", "--verbose", str(DATA / "site.pp")).stdout)


def log_places(pupc, top):
    code = ("-e", "notify { 'told': } warning('careful')")
    places = [f"{top}/new/plain.log", f"{top}/new/array.json", f"{top}/new/lines.jsonl"]
    for n in (1, 2):  # the second run adds to them
        done = run([pupc], "apply", "--vardir", f"{top}/var", "--logdest", ",".join(places), *code)
        assert done.returncode == 0 and done.stdout == "" and done.stderr == "", done
        plain = pathlib.Path(places[0]).read_text().splitlines()
        assert len([x for x in plain if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} /Stage\[main\]/Main/Notify\[told\]/message \(notice\): defined 'message' as 'told'", x)]) == n, plain
        assert len([x for x in plain if " Puppet (notice): Applied catalog in " in x]) == n, plain
        lines = [json.loads(x) for x in pathlib.Path(places[2]).read_text().splitlines()]
        array = json.loads(pathlib.Path(places[1]).read_text() + "]")
        assert len(lines) == len(array) == len(plain), (lines, array)
        assert [x["message"] for x in lines] == [x["message"] for x in array], lines
        event = next(x for x in lines if x["source"].endswith("/message"))
        assert event["level"] == "notice" and "notify" in event["tags"] and event["line"] == 1, event
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00", event["time"]), event
        assert any(x["level"] == "warning" and x["message"] == "careful" for x in lines), lines
    assert os.stat(places[0]).st_mode & 0o777 == 0o640
    done = run([pupc], "apply", "--vardir", f"{top}/var", "--logdest", f"console,{top}/both", *code)
    assert "Notice: told" in done.stdout and "told" in pathlib.Path(f"{top}/both").read_text(), done
    done = run([pupc], "apply", "--vardir", f"{top}/var", "--logdest", f"{top}/errors", "-e", "include nothing_there")
    assert done.returncode == 1 and done.stderr == "" and "(err): Evaluation Error" in pathlib.Path(f"{top}/errors").read_text(), done
    for wrong in ("somewhere", "eventlog", "/dev/null", top):
        done = run([pupc], "apply", "--vardir", f"{top}/var", "--logdest", wrong, *code)
        assert done.returncode == 1 and f"Error: Could not set logdest to {wrong}." in done.stderr, done
    with open(f"{top}/puppet.conf", "w", encoding="utf-8") as f:
        f.write(f"[main]\nlogdest = {top}/configured\n")
    done = run([pupc], "apply", "--vardir", f"{top}/var", "--config", f"{top}/puppet.conf", *code)
    assert done.stdout == "" and "told" in pathlib.Path(f"{top}/configured").read_text(), done


def system_log(pupc, top):
    """With a socket of our own at /dev/log."""
    if os.geteuid() != 0 or run(["unshare", "-m", "true"]).returncode != 0:
        return
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    os.mkdir(f"{top}/dev")
    heard.bind(f"{top}/dev/log")
    heard.settimeout(20)
    done = run(["unshare", "-m", "sh", "-c", f"mount --bind {top}/dev /dev && exec \"$@\"", "sh", pupc], "apply", "--no-state", "--logdest", "syslog", "--syslogfacility", "local3",
               "-e", "notify { 'told': }")
    assert done.returncode == 0 and done.stdout == "", done
    lines = []
    while not any("Applied catalog" in x for x in lines):
        lines.append(heard.recv(65536).decode())
    assert any(re.match(r"<157>.*pupc\[\d+\]: \(/Stage\[main\]/Main/Notify\[told\]/message\) defined 'message' as 'told'", x) for x in lines), lines
    done = run([pupc], "apply", "--no-state", "--logdest", "syslog", "--syslogfacility", "nonsense", "-e", "notify { 'told': }")
    assert done.returncode == 1 and "Invalid syslog facility nonsense" in done.stderr, done


def removed(pupc, _):
    done = run([pupc], "apply", "--parseonly", "-e", "notify { 'x': }")
    assert done.returncode == 1 and done.stdout == "--parseonly has been removed. Please use 'puppet parser validate <manifest>'\n", done


def missing(pupc, top):
    done = run([pupc], "apply", "--no-state", f"{top}/nothing.pp")
    assert done.returncode == 1 and done.stderr == f"Error: Could not run: Could not find file {top}/nothing.pp\n", done


def environment(pupc, top):
    """Providers of packages leave variables for all that the run starts, from its beginning; what a provider in Ruby leaves is there afterwards.
    A command inherits no variable about the user, and the search path has the system's directories."""
    os.makedirs(f"{top}/m/lib/puppet/type")
    os.makedirs(f"{top}/m/lib/puppet/provider/leaves")
    pathlib.Path(f"{top}/m/lib/puppet/type/leaves.rb").write_text("Puppet::Type.newtype(:leaves) do\n  newparam(:name, namevar: true)\n  newproperty(:done)\nend\n")
    pathlib.Path(f"{top}/m/lib/puppet/provider/leaves/ruby.rb").write_text("""Puppet::Type.type(:leaves).provide(:ruby) do
  def done
    ENV['PUPC_SEEN'] = ENV['DEBIAN_FRONTEND'].to_s
    ENV.delete('PUPC_TAKEN')
    'yes'
  end
end
""")
    show = f"exec {{ 'N': command => '/usr/bin/env > {top}/N' }}"
    code = " -> ".join((show.replace("N", "1"), "leaves { 'x': done => 'yes' }", show.replace("N", "2"), "package { 'pupc-absent': ensure => absent, provider => 'dpkg' }"))
    kept = {"PATH": "/usr/bin:/bin", "HOME": "/root", "USER": "root", "LOGNAME": "root", "PUPC_TAKEN": "1", "LANG": "C.UTF-8", "PUPC_PUPPET_PLACES": "aio"}
    done = run([pupc], "apply", "--vardir", f"{top}/var", "--modulepath", top, "-e", code, env=kept)
    assert done.returncode == 0, done
    found = [dict(line.split("=", 1) for line in pathlib.Path(f"{top}/{n}").read_text().splitlines()) for n in (1, 2)]
    for one in found:
        assert one["DEBIAN_FRONTEND"] == "noninteractive" and one["APT_LISTBUGS_FRONTEND"] == one["APT_LISTCHANGES_FRONTEND"] == "none", one
        assert one["PATH"] == "/usr/bin:/bin:/usr/sbin:/sbin" and one["LANG"] == "C.UTF-8", one
        assert not {"HOME", "USER", "LOGNAME"} & one.keys(), one
    assert "PUPC_SEEN" not in found[0] and found[0]["PUPC_TAKEN"] == "1", found[0]
    assert found[1]["PUPC_SEEN"] == "noninteractive" and "PUPC_TAKEN" not in found[1], found[1]
    done = run([pupc], "apply", "--vardir", f"{top}/var", "-e", show.replace("N", "3"), env=kept)
    assert "DEBIAN_FRONTEND" not in pathlib.Path(f"{top}/3").read_text(), done


LATE_TYPE = """Puppet::Type.newtype(:late) do
  newparam(:name, namevar: true)
  newproperty(:value)
end
"""
LATE_PROVIDER = """Puppet::Type.type(:late).provide(:ruby) do
  confine exists: 'TOP/tool'
  def self.prefetch(resources)
    resources.each { |name, resource| resource.provider = new(name: name, value: 'read ahead') }
  end
  def value
    @property_hash.fetch(:value, 'not read ahead')
  end
  def value=(to)
  end
end
"""


def late_providers(pupc, top):
    """A provider that becomes suitable during the run reads ahead like any other. One that does not fails its resources by a line of their
    type, whether or not what they need has failed, and even if they have Deferred values."""
    for folder, text in (("type/late.rb", LATE_TYPE), ("provider/late/ruby.rb", LATE_PROVIDER.replace("TOP", top))):
        path = pathlib.Path(f"{top}/m/lib/puppet/{folder}")
        path.parent.mkdir(parents=True)
        path.write_text(text)
    words = ([pupc], "apply", "--vardir", f"{top}/var", "--modulepath", top, "-e")
    lates = "late { 'plain': value => 'v' } late { 'deferred': value => Deferred('downcase', ['V']) }"
    done = run(*words, "exec { '/bin/false': } -> Late <| |> " + lates)
    assert "Error: Could not find a suitable provider for late\n" in done.stderr and "Skipping" not in done.stderr, done
    done = run(*words, f"exec {{ '/bin/touch {top}/tool': }} -> Late <| |> " + lates)
    for name in ("plain", "deferred"):
        assert f"Late[{name}]/value: value changed 'read ahead' to 'v'" in done.stdout, done


def main():
    if sys.argv[2:3] == ["write"]:
        ask_puppet(sys.argv[3:])
        return 0
    failed = 0
    for test in (graphs, moments, cycles, trace, log_places, system_log, removed, missing, environment, late_providers):
        with tempfile.TemporaryDirectory() as top:
            try:
                test(os.path.abspath(sys.argv[1]), top)
            except AssertionError as error:
                failed += 1
                print(f"{test.__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
