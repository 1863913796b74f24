#!/usr/bin/env python3
"""What a run of `pupc apply` must withstand: kills, signals, second runs at once, and that secrets stay secret.

    apply_acceptance.py PUPC [NAME…]

kill        SIGKILL at growing times during an apply of 200 files: every managed file is old or new as a whole, nothing else lies about,
            and the run after completes; the one after that changes nothing
signals     SIGINT, SIGTERM and SIGHUP end the run after the present resource, with report and state written, and release the lock
lock        a second run at the same time is refused; a lock whose holder died is taken over
hanging     a command that ignores SIGTERM and has children in its group ends at its timeout, its children too
secrets     Sensitive contents, commands, guards, environments and passwords appear in no stream, report, state, diff, backup name or process arguments
exit_codes  with --detailed-exitcodes 0, 2, 4, 6; without 0 even after failures; 1 when nothing could be applied
phases      output, report and timings name load, compile, converge and cleanup; the report as JSON says the same as the one as YAML
elsewhere   a catalog compiled elsewhere converges the same: Deferred values, guards and node attributes travel in it
noop        a noop of many kinds of resources calls nothing that writes (seen by the files' times and names)
unsupported types that cannot be applied are listed before anything changes
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PUPC = ""


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def words(top, code, *extra):
    return [PUPC, "apply", "--vardir", str(top / "var"), "--node", "n.example.com", *extra, "-e", code]


def apply(top, code, *extra, **options):
    return subprocess.run(words(top, code, *extra), capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, **options)


def start(top, code, *extra):
    return subprocess.Popen(words(top, code, *extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)


def kill(top):
    files = top / "files"
    files.mkdir()
    old, new = {}, {}
    for n in range(200):
        path = files / f"f{n:03}"
        old[path.name] = f"old {n}\n" * 300
        new[path.name] = f"new {n}\n" * 400
    code = (f"Integer[0, 199].each |$n| {{ file {{ sprintf('{files}/f%03d', $n): mode => '0640', content => Integer[1, 400].map |$i| {{ \"new ${{n}}\\n\" }}.join }} }}")

    def reset():
        for name, text in old.items():
            (files / name).write_text(text)
            (files / name).chmod(0o600)

    whole = 60.0
    for _ in range(3): # a slow first run would have the kills come too late
        reset()
        begin = time.monotonic()
        r = apply(top, code, "--detailed-exitcodes")
        whole = min(whole, time.monotonic() - begin)
        expect(r.returncode == 2, f"the whole run: exit {r.returncode}\n{r.stderr}")
    kills = unfinished = 0
    rounds = 25
    for step in range(rounds):
        reset()
        p = start(top, code)
        time.sleep(whole * (step + 1) / rounds)
        p.send_signal(signal.SIGKILL)
        p.communicate()
        kills += p.returncode == -signal.SIGKILL
        states = set()
        for path in files.iterdir():
            if path.name.startswith(".pupc-"):
                # Possible between giving the name and renaming: it is complete, and of no harm; the next run's file replaces nothing.
                path.unlink()
                continue
            expect(path.name in new, f"{path} lies about")
            text = path.read_text()
            expect(text in (old[path.name], new[path.name]), f"{path} is half written ({len(text)} bytes)")
            states.add(text == new[path.name])
            if text == new[path.name]:
                expect(path.stat().st_mode & 0o777 in (0o640, 0o600), f"{path}: mode {path.stat().st_mode:o}")
        unfinished += False in states
        r = apply(top, code, "--detailed-exitcodes")
        expect(r.returncode in (0, 2), f"the run after a kill: exit {r.returncode}\n{r.stderr}")
        for name, text in new.items():
            expect((files / name).read_text() == text, f"{name} is not as it should be")
            expect((files / name).stat().st_mode & 0o777 == 0o640, f"{name} has another mode")
    r = apply(top, code, "--detailed-exitcodes")
    expect(r.returncode == 0, f"nothing is to change any more: exit {r.returncode}")
    expect(kills > rounds // 4 and unfinished > rounds // 8, f"only {kills} runs were killed, {unfinished} unfinished: the test tests nothing")
    return f"{kills} kills, {unfinished} of them before the last file"


def signals(top):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        marks = top / f"marks{number}"
        marks.mkdir()
        code = " -> ".join(f"exec {{ '/bin/sh -c \"sleep 0.2; echo {n} > {marks}/{n}\"': }}" for n in range(30))
        p = start(top, code, "--report", str(top / "r.json"))
        while not (marks / "1").exists():
            time.sleep(0.02)
            expect(p.poll() is None, "ended early")
        begin = time.monotonic()
        p.send_signal(number)
        out, _ = p.communicate(timeout=20)
        expect(time.monotonic() - begin < 5, f"{number!r}: took {time.monotonic() - begin:.1f} s to end")
        expect(p.returncode == 1, f"{number!r}: exit {p.returncode}\n{out}")
        expect(f"Caught {signal.strsignal(number)}" in out, out)
        expect(not (marks / "29").exists(), "the run went on")
        report = json.loads((top / "r.json").read_text())
        expect(report["transaction_completed"] is False and report["status"] == "failed", "the report must say that the run did not complete")
        done = [s for s in report["resource_statuses"].values() if s["changed"]]
        expect(len(done) >= 2 and any(s["skipped"] for s in report["resource_statuses"].values()), "the report tells what was done and what was not")
        expect((top / "var/state/state.yaml").exists(), "state must be written")
        r = apply(top, "notify { 'free': }")
        expect(r.returncode == 0 and "free" in r.stdout, f"the lock was kept: {r.stderr}")
    return "3 signals"


def lock(top):
    code = f"exec {{ '/bin/sh -c \"touch {top}/running; sleep 2\"': }}"
    p = start(top, code)
    while not (top / "running").exists():
        time.sleep(0.02)
    r = apply(top, f"file {{ '{top}/x': content => 'x' }}")
    expect(r.returncode == 1 and "already in progress" in r.stderr and str(p.pid) in r.stderr, f"a second run: exit {r.returncode} {r.stderr}")
    expect(not (top / "x").exists(), "the second run must change nothing")
    p.communicate()
    expect(p.returncode == 0, "the first run goes on")
    (top / "running").unlink()
    p = start(top, code)
    while not (top / "running").exists():
        time.sleep(0.02)
    p.kill()
    p.communicate()
    r = apply(top, f"file {{ '{top}/x': content => 'x' }}")
    expect(r.returncode == 0 and (top / "x").exists(), f"after the holder's death: {r.stderr}")
    return ""


def hanging(top):
    code = f"""
exec {{ 'stubborn': command => '/bin/bash -c "trap : TERM; echo $$ > {top}/pid; (sleep 61 & wait)"', timeout => 1 }}
exec {{ 'checks': command => '/bin/true', unless => '/bin/sleep 62', timeout => 1 }}
exec {{ 'tries': command => '/bin/sleep 63', timeout => 1, tries => 2 }}
file {{ '{top}/validated': content => 'x', validate_cmd => '/bin/false %' }}
notify {{ 'goes on': }}
notify {{ 'dependent': require => Exec['stubborn'] }}
"""
    begin = time.monotonic()
    r = apply(top, code, "--detailed-exitcodes")
    expect(time.monotonic() - begin < 30, f"took {time.monotonic() - begin:.0f} s")
    expect(r.returncode == 6, f"exit {r.returncode}\n{r.stdout}{r.stderr}")
    expect("Notice: goes on" in r.stdout and "Notice: dependent" not in r.stdout, r.stdout)
    expect(r.stderr.count("Command exceeded timeout") >= 2, r.stderr)
    left = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            left.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
        except OSError:
            pass  # it ended meanwhile
    expect(not any(re.fullmatch(r"(/bin/)?sleep 6[123]", line) for line in left), "commands are left behind")
    expect(not (top / "validated").exists(), "a file that does not pass its check must not be written")
    return ""


def secrets(top):
    (top / "old").write_text("an older SECRET-old\n")
    (top / "arguments.sh").write_text(f"""#!/bin/sh
for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done 2>/dev/null | grep -v arguments.sh >> {top}/seen
exec cat >/dev/null
""")
    (top / "arguments.sh").chmod(0o755)
    (top / "seen").touch()
    code = f"""
file {{ '{top}/a': content => Sensitive('SECRET-a'), show_diff => true }}
file {{ '{top}/old': content => Sensitive("the SECRET-new\\n"), show_diff => true, backup => '.bak' }}
file {{ '{top}/d': content => Deferred('new', [Sensitive, 'SECRET-d']) }}
file {{ '{top}/bad': content => Sensitive('SECRET-v'), validate_cmd => '/bin/false %' }}
file {{ '{top}/guarded': content => 'x', only_if => Sensitive('test SECRET-g = x') }}
file {{ '{top}/guarded2': content => 'x', only_if => ['exit 1', {{ 'environment' => Sensitive({{ 'K' => 'SECRET-env' }}) }}] }}
exec {{ 'fails': command => Sensitive('/bin/false SECRET-c') }}
exec {{ 'good': command => Sensitive('/bin/true SECRET-c2') }}
exec {{ 'environment': command => '/bin/true', environment => Sensitive(['K=SECRET-e']) }}
bash {{ 'script': code => Sensitive('true SECRET-s; exit 3') }}
bash {{ 'script good': code => Sensitive('{top}/arguments.sh </dev/null; : SECRET-s2') }}
notify {{ 'n': message => Sensitive('SECRET-n') }}
node_attribute {{ 'k': value => Sensitive('SECRET-k') }}
file {{ '{top}/nothere/x': content => Sensitive('SECRET-p') }}
file {{ '{top}/epp': content => Sensitive(inline_epp('<%= $x %>', {{ 'x' => 'SECRET-t' }})) }}
"""
    shown = ""
    # In a file: the words of pupc itself can be seen by everyone.
    (top / "site.pp").write_text(code)

    def apply_file(*extra):
        return subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), *extra, str(top / "site.pp")], capture_output=True, text=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL)

    for extra in (["--noop"], ["--noop", "--debug"], [], ["--debug"]):
        r = apply_file("--show-diff", "--report", str(top / "report.yaml"), "--debug", *extra)
        shown += r.stdout + r.stderr + (top / "report.yaml").read_text()
        r = apply_file("--show-diff", "--summarize", "--report", str(top / "report.json"), *extra)
        shown += r.stdout + r.stderr + (top / "report.json").read_text()
        (top / "old").write_text("an older SECRET-old\n")
    for path in (top / "var/state").rglob("*"):
        if path.is_file():
            shown += path.read_text(errors="replace")
    shown += (top / "seen").read_text()
    expect((top / "a").read_text() == "SECRET-a" and (top / "d").read_text() == "SECRET-d", "sensitive contents must be written")
    found = sorted(set(re.findall(r".*SECRET-\w+.*", shown)))
    expect(not found, "shown: " + "\n".join(found[:10]))
    expect("[redacted]" in shown, "the messages must say that something is hidden")
    return ""


def exit_codes(top):
    cases = [("", 0), (f"file {{ '{top}/a': content => 'x' }}", 2), (f"file {{ '{top}/a': content => 'x' }}", 0), ("exec { '/bin/false': }", 4),
             ("exec { '/bin/false': } notify { 'x': }", 6), ("exec { '/bin/true': } ~> exec { '/bin/false': refreshonly => true }", 6),
             ("fail('x')", 1), ("notify { 'a': require => Notify['b'] } notify { 'b': require => Notify['a'] }", 1), ("notify { 'x': schedule => 'nosuch' }", 1),
             ("file { 'relative': }", 1), ("notify { 'a': require => Notify['nosuch'] }", 1), ("syntax error here {", 1)]
    for code, want in cases:
        r = apply(top, code, "--detailed-exitcodes")
        expect(r.returncode == want, f"{code}: exit {r.returncode}, want {want}\n{r.stderr}")
        plain = apply(top, code)
        expect(plain.returncode == (1 if want == 1 else 0), f"{code}: without --detailed-exitcodes exit {plain.returncode}")
        expect((want == 1) == (r.returncode == 1) and (want != 1 or r.stderr.startswith(("Error: ", "error"))), f"{code}: {r.stderr}")
    return f"{len(cases)} runs"


def phases(top):
    code = f"file {{ '{top}/a': content => 'x' }} notify {{ 'n': }} exec {{ '/bin/false': }} notify {{ 'skipped': only_if => 'false' }}"
    r = apply(top, code, "--verbose", "--report", str(top / "r.json"))
    names = ["load", "compile", "converge", "cleanup"]
    expect(re.findall(r"Info: Phase (\w+) took", r.stdout) == names, r.stdout)
    report = json.loads((top / "r.json").read_text())
    times = {row[0]: row[2] for row in report["metrics"]["time"]["values"]}
    expect(all(isinstance(times.get(n), (int, float)) for n in names), f"{times}")
    expect(all(t in times for t in ("file", "notify", "exec", "config_retrieval", "total")), f"{times}")
    from yaml import SafeLoader, load  # pylint: disable=import-outside-toplevel

    class AnyTag(SafeLoader):
        pass
    AnyTag.add_multi_constructor("!ruby/object", lambda loader, suffix, node: loader.construct_mapping(node, deep=True))
    kept = load((top / "var/state/last_run_report.yaml").read_text(), AnyTag)
    expect(set(kept) == set(report), f"{sorted(set(kept) ^ set(report))}")
    for key in ("status", "noop", "report_format", "environment", "host", "transaction_completed", "resource_statuses"):
        expect(json.loads(json.dumps(kept[key], default=lambda t: "time")).__class__ == report[key].__class__, key)
    expect(list(kept["resource_statuses"]) == list(report["resource_statuses"]), "the same resources")
    skipped = report["resource_statuses"]["Notify[skipped]"]
    expect(skipped["skipped"] and skipped["skip_reason"] == "only_if 'false'" and not skipped["failed"], f"{skipped}")
    summary = apply(top, code, "--summarize").stdout
    expect(all(f"{x}:" in summary for x in ("Changes", "Events", "Resources", "Time", "Total", "Converge")), summary)
    return ""


def elsewhere(top):
    code = f"""
node_attribute_set('a.b', 'first')
file {{ '{top}/d': content => Deferred('sprintf', ['%s-%s', node_attribute('a.b'), 'x']) }}
file {{ '{top}/guarded': content => 'x', only_if => 'test -e {top}/d' }}
file {{ '{top}/not': content => 'x', guard_interpreter => 'bash', not_if => ['[[ $A == 1 ]]', {{ 'environment' => {{ 'A' => '1' }} }}] }}
file {{ '{top}/secret': content => Sensitive('hidden') }}
bash {{ 'b': code => 'touch {top}/b' }}
node_attribute_set('a.b', 'last')
"""
    catalog = subprocess.run([PUPC, "compile", "--node", "n.example.com", "-e", code], capture_output=True, text=True, check=True).stdout
    (top / "c.json").write_text(catalog)
    r = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--catalog", str(top / "c.json"), "--detailed-exitcodes", "--show-diff", "--debug"], capture_output=True, text=True,
                       check=False)
    expect(r.returncode == 2, f"exit {r.returncode}\n{r.stdout}{r.stderr}")
    expect((top / "d").read_text() == "last-x" and (top / "guarded").exists() and (top / "b").exists(), "what the catalog says")
    expect(not (top / "not").exists(), "the guard travels with its parameters")
    expect((top / "secret").read_text() == "hidden" and "hidden" not in r.stdout + r.stderr, "secrets stay secret")
    bad = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--catalog", "-"], input="{", capture_output=True, text=True, check=False)
    expect(bad.returncode == 1 and bad.stderr.startswith("Error: "), f"{bad.returncode} {bad.stderr}")
    return ""


def noop(top):
    area = top / "area"
    area.mkdir()
    for name in ("change", "mode", "gone", "owner", "link"):
        (area / name).write_text(name)
    (area / "tree").mkdir()
    for n in range(5):
        (area / "tree" / f"{n}").write_text("x")
    code = f"""
file {{ '{area}/change': content => 'new' }} ~> exec {{ '/usr/bin/touch {area}/refreshed': refreshonly => true }}
file {{ '{area}/new': content => 'new' }} file {{ '{area}/mode': mode => '0400' }} file {{ '{area}/gone': ensure => absent }}
file {{ '{area}/owner': owner => 'daemon' }} file {{ '{area}/link': ensure => link, target => '/etc/passwd' }}
file {{ '{area}/tree': ensure => directory, recurse => true, purge => true, mode => '0600' }}
file {{ '{area}/copy': source => '/etc/alternatives', recurse => true, ensure => directory }}
exec {{ '/usr/bin/touch {area}/exec': }} bash {{ 'b': code => 'touch {area}/bash' }} exec {{ 'c': command => '/usr/bin/touch {area}/c', creates => '{area}/c' }}
tidy {{ '{area}/tree': recurse => true, matches => '3' }} cron {{ 'c': command => '/bin/true', user => 'root' }}
user {{ 'nosuchuser': ensure => present }} group {{ 'nosuchgroup': ensure => present }} host {{ 'h': ip => '1.2.3.4', target => '{area}/hosts' }}
mount {{ '{area}/mnt': ensure => present, device => 'x', fstype => 'ext4', target => '{area}/fstab' }} filebucket {{ 'b2': path => '{area}/bucket' }}
node_attribute {{ 'k': value => 1 }}
"""

    def look():
        out = {}
        for directory, names, files in os.walk(area):
            for name in names + files:
                s = os.lstat(os.path.join(directory, name))
                out[os.path.join(directory, name)] = (s.st_mode, s.st_uid, s.st_gid, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
        s = os.lstat(area)
        out["."] = (s.st_mtime_ns, s.st_ctime_ns)
        return out

    before = look()
    accounts = pathlib.Path("/etc/passwd").read_text()
    r = apply(top, code, "--noop", "--detailed-exitcodes")
    expect(look() == before and pathlib.Path("/etc/passwd").read_text() == accounts, "noop changed something")
    expect(r.stdout.count("(noop)") >= 10, r.stdout + r.stderr)
    expect(not r.returncode & 2, f"exit {r.returncode}")
    return f"{r.stdout.count('(noop)')} changes told"


def unsupported(top):
    module = top / "modules" / "m" / "lib" / "puppet" / "type"
    module.mkdir(parents=True)
    for name in ("strange", "odd"):
        (module / f"{name}.rb").write_text(f"Puppet::Type.newtype(:{name}) do\n  newparam(:name, namevar: true)\nend\n")
    r = apply(top, f"file {{ '{top}/first': content => 'x' }} strange {{ 'a': }} odd {{ 'b': }} strange {{ 'c': }}", "--modulepath", str(top / "modules"))
    expect(r.returncode == 1, f"exit {r.returncode}\n{r.stderr}")
    expect("these resource types cannot be applied: Odd, Strange" in r.stderr, r.stderr)
    expect(not (top / "first").exists(), "something was changed")
    return ""


TESTS = [kill, signals, lock, hanging, secrets, exit_codes, phases, elsewhere, noop, unsupported]


def main():
    global PUPC  # pylint: disable=global-statement
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PUPC = os.path.abspath(sys.argv[1])
    failed = 0
    for test in TESTS:
        if sys.argv[2:] and test.__name__ not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as top:
            try:
                print(f"{test.__name__}: passed {test(pathlib.Path(top))}", flush=True)
            except (Failure, subprocess.TimeoutExpired, KeyError) as e:
                print(f"{test.__name__}: FAILED: {e}", flush=True)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
