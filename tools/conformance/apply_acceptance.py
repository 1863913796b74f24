#!/usr/bin/env python3
"""What a run of `pupc apply` must withstand: kills, signals, second runs at once, and that secrets stay secret.

    apply_acceptance.py PUPC [NAME…]

kill        SIGKILL at growing times during an apply of 200 files: every managed file is old or new as a whole, nothing else lies about,
            and the run after completes; the one after that changes nothing
signals     SIGINT, SIGTERM and SIGHUP end the run after the present resource, with report and state written, and release the lock
second_signal  the first signal says what the run waits for; the second one ends the command and its children, with a report
lock        a second run at the same time is refused; a lock whose holder died is taken over
hanging     a command that ignores SIGTERM and has children in its group ends at its timeout, its children too
secrets     Sensitive contents, commands, guards, environments and passwords appear in no stream, report, state, diff, backup name or process arguments
mishaps     missing users, hanging commands, unreadable and missing sources, dangling links, directories where files should be, a full disk, a read-only file
            system: that resource fails with a clear message, others go on; each is named in the output
secrets_by_type   the same for every type that takes secrets: changed, failed, audited, unchanged
git_secrets   user and password of a git address are in no argument of git or of what git starts, submodules too
exit_codes  with --detailed-exitcodes 0, 2, 4, 6; without 0 even after failures; 1 when nothing could be applied
phases      output, report and timings name load, compile, converge and cleanup; the report as JSON says the same as the one as YAML
elsewhere   a catalog compiled elsewhere converges the same: Deferred values, guards and node attributes travel in it
kinds       a catalog that does not tell which resources are of a type: types are looked up, and none is lost without a word
client_facts   what an agent adds to its facts: clientversion, clientnoop, clientcert; one version of Puppet everywhere
progress    a terminal sees whose turn it is, and nothing of that when the run is over; files and dumb terminals see nothing
noop        a noop of many kinds of resources calls nothing that writes (seen by the files' times and names)
unsupported a type without an implementation fails its own resources; what depends on them is skipped, the rest is applied
"""
import base64
import http.server
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
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


def second_signal(top):
    code = f"exec {{ 'slow': command => '/bin/sh -c \"echo $$ > {top}/pid; sleep 64 & wait\"', tries => 3 }} -> notify {{ 'dependent': }}"
    p = start(top, code, "--report", str(top / "r.json"))
    while not (top / "pid").exists() or not (top / "pid").read_text().strip():
        time.sleep(0.02)
        expect(p.poll() is None, "ended early")
    begin = time.monotonic()
    p.send_signal(signal.SIGINT)
    line = next((one for one in p.stdout if "Caught" in one), "")
    expect(time.monotonic() - begin < 5, "the first signal must be answered at once")
    expect("Caught SIGINT; waiting for the end of Exec[slow]" in line, line)
    expect(p.poll() is None, "the first signal ends no command")
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=30)
    expect(p.returncode == 1, f"exit {p.returncode}\n{out}")
    time.sleep(0.5)
    expect(not os.path.exists(f"/proc/{(top / 'pid').read_text().strip()}"), "the command must be ended")
    left = subprocess.run(["pgrep", "-f", "^sleep 64$"], capture_output=True, text=True, check=False).stdout
    expect(left == "", f"its children too: {left}")
    report = json.loads((top / "r.json").read_text())
    expect(report["transaction_completed"] is False and report["resource_statuses"]["Exec[slow]"]["failed"], "the report must say what was ended")
    return ""


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
        return subprocess.run([PUPC, "apply", "--run-mode", "agent", "--vardir", str(top / "var"), *extra, str(top / "site.pp")], capture_output=True, text=True, timeout=120, check=False,
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
    expect("system_value" in (top / "var/state/transactionstore.yaml").read_text(), "what an agent keeps is looked at too")
    expect((top / "a").read_text() == "SECRET-a" and (top / "d").read_text() == "SECRET-d", "sensitive contents must be written")
    found = sorted(set(re.findall(r".*SECRET-\w+.*", shown)))
    expect(not found, "shown: " + "\n".join(found[:10]))
    expect("[redacted]" in shown, "the messages must say that something is hidden")
    return ""


def secrets_by_type(top):
    """Each type that takes secrets, in resources that change, that fail and that are only audited."""
    tools = top / "bin"
    tools.mkdir()
    # What tools are called with, and a tool that answers with what it was given.
    scripts = {"crontab": f'case "$*" in *-l*) exit 0;; *) cat > {top}/crontab;; esac',
               "curl": f'cat > {top}/curl-$$; echo "refused: $(cat {top}/curl-$$)" >&2; exit 22',
               "talks": 'cat "$1"; exit 1'}
    for name, text in scripts.items():
        (tools / name).write_text(f'#!/bin/sh\necho "$0 $*" >> {top}/calls\n{text}\n')
        (tools / name).chmod(0o755)
    module = top / "modules" / "m" / "lib" / "puppet"
    (module / "type").mkdir(parents=True)
    (module / "provider" / "m_config").mkdir(parents=True)
    (module / "type" / "m_config.rb").write_text("""Puppet::Type.newtype(:m_config) do
  ensurable
  newparam(:name, :namevar => true) do
    newvalues(/\\S+\\/\\S+/)
  end
  newproperty(:value) do
    munge do |value|
      value.to_s.strip
    end
  end
end
""")
    (module / "provider" / "m_config" / "ini_setting.rb").write_text(f"""Puppet::Type.type(:m_config).provide(:ini_setting, :parent => Puppet::Type.type(:ini_setting).provider(:ruby)) do
  def section
    resource[:name].split('/', 2).first
  end
  def setting
    resource[:name].split('/', 2).last
  end
  def separator
    '='
  end
  def self.file_path
    '{top}/m.conf'
  end
end
""")
    def reset():
        (top / "a.ini").write_text("[s]\nk = SECRET-old1\nplain = SECRET-old2\nwords = a=SECRET-old3\nlisted = SECRET-old4\n")
        (top / "m.conf").write_text("[s]\nk=SECRET-old5\n")
        (top / "lines").write_text("password=SECRET-old6\n")
        (top / "hosts").write_text("127.0.0.1 localhost\n")
        (top / "dir").mkdir(exist_ok=True)

    code = f"""
ini_setting {{ 'k': path => '{top}/a.ini', section => 's', setting => 'k', value => Sensitive('SECRET-1') }}
ini_setting {{ 'plain': path => '{top}/a.ini', section => 's', setting => 'plain', value => 'SECRET-2', show_diff => false }}
ini_setting {{ 'new': path => '{top}/a.ini', section => 's', setting => 'new', value => Sensitive('SECRET-3') }}
ini_setting {{ 'fails': path => '{top}/nothere/x.ini', section => 's', setting => 'k', value => Sensitive('SECRET-4') }}
ini_subsetting {{ 'w': path => '{top}/a.ini', section => 's', setting => 'words', subsetting => 'a=', value => Sensitive('SECRET-5') }}
ini_subsetting {{ 'w2': path => '{top}/a.ini', section => 's', setting => 'words', subsetting => 'b=', value => 'SECRET-6', show_diff => false }}
m_config {{ 's/k': value => Sensitive('SECRET-7') }}
m_config {{ 's/n': value => Sensitive('SECRET-8') }}
file_line {{ 'l': path => '{top}/lines', line => Sensitive('password=SECRET-9'), match => '^password=' }}
file_line {{ 'l2': path => '{top}/nothere/x', line => Sensitive('password=SECRET-10') }}
cron {{ 'c': command => Sensitive('/bin/true SECRET-11'), user => 'root', environment => Sensitive(['K=SECRET-12']) }}
host {{ 'h': ip => '10.0.0.1', comment => Sensitive('SECRET-13'), target => '{top}/hosts' }}
mailalias {{ 'a': recipient => Sensitive(['SECRET-14']), target => '{top}/aliases' }}
sshkey {{ 'k': key => Sensitive('SECRET-15'), type => 'ssh-rsa', target => '{top}/known' }}
concat_file {{ 'joined': path => '{top}/joined', tag => 't' }}
concat_fragment {{ 'one': target => 'joined', tag => 't', content => Sensitive("SECRET-16\n") }}
concat_fragment {{ 'two': target => 'joined', tag => 't', content => "public\n" }}
archive {{ '{top}/x.txt': source => 'http://localhost:1/x', username => 'me', password => Sensitive('SECRET-17'), cookie => Sensitive('SECRET-18') }}
archive {{ '{top}/y.txt': source => Sensitive('http://me:SECRET-19@localhost:1/x') }}
exec {{ 'prints its environment': command => '/usr/bin/env; exit 3', provider => shell, environment => Sensitive(['K=SECRET-20']), logoutput => true }}
exec {{ 'list': command => '/bin/sh -c "echo $K; exit 3"', environment => [Sensitive('K=SECRET-21')] }}
exec {{ 'check': command => '/bin/true', unless => Sensitive('/bin/sh -c "echo SECRET-22; exit 1"') }}
exec {{ 'bad environment': command => '/bin/true', environment => Sensitive(['K=SECRET-23']), onlyif => '{tools}/talks /proc/self/environ' }}
file {{ '{top}/checksum': content => Sensitive('{{md5}}SECRET-24') }}
file {{ '{top}/list': content => [Sensitive('SECRET-25')] }}
file {{ '{top}/checked': content => Sensitive("first\nSECRET-26 is a line\n"), validate_cmd => '{tools}/talks %' }}
file {{ '{top}/dir': content => Sensitive('SECRET-27') }}
notify {{ 'deep': message => [Sensitive('SECRET-28'), 'x'] }}
user {{ 'root': password => Sensitive('SECRET-29'), noop => true }}
user {{ 'daemon': audit => all }}
mount {{ '{top}/mnt': ensure => present, device => '//server/share', fstype => 'cifs', options => Sensitive('username=me,password=SECRET-30'), target => '{top}/fstab' }}
"""
    if os.path.exists("/usr/lib/x86_64-linux-gnu/libaugeas.so.0"):
        code += f"""
augeas {{ 'host': incl => '{top}/hosts', lens => 'Hosts.lns', changes => Sensitive(['set 1/alias[1] SECRET-31']) }}
augeas {{ 'bad': incl => '{top}/hosts', lens => 'Hosts.lns', changes => Sensitive(['set 1/nonsense[ SECRET-32']) }}
"""
    (top / "site.pp").write_text(code)
    shown = ""
    for name in ("stdlib", "inifile", "concat", "archive"):
        (top / "modules" / name).symlink_to(f"/usr/share/puppet/modules/{name}")
    modules = f"{top}/modules"
    (top / "facts.json").write_text(json.dumps({"clientversion": "8.11.0", "puppetversion": "8.11.0", "os": {"family": "Debian", "name": "Debian"}}))
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    for extra in (["--noop", "--debug"], ["--debug"], []):
        reset()
        for name in ("report.yaml", "report.json"):
            r = subprocess.run([PUPC, "apply", "--run-mode", "agent", "--vardir", str(top / "var"), "--modulepath", modules, "--facts", str(top / "facts.json"), "--show-diff", "--report", str(top / name), *extra, str(top / "site.pp")],
                               capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, env=environment)
            expect(r.returncode == 0, f"exit {r.returncode}\n{r.stderr}")
            shown += r.stdout + r.stderr + (top / name).read_text()
    for path in (top / "var" / "state").rglob("*"):
        if path.is_file():
            shown += path.read_text(errors="replace")
    found = sorted(set(re.findall(r"[^\n]{0,60}SECRET-\w+[^\n]{0,20}", shown)))
    expect(not found, "shown: " + "\n".join(found[:20]))
    found = sorted(set(re.findall(r".*SECRET-\w+.*", (top / "calls").read_text())))
    expect(not found, "in arguments: " + "\n".join(found))
    written = "\n".join(p.read_text() for p in top.iterdir() if p.is_file() and p.name not in ("site.pp", "report.yaml", "report.json"))
    for n in (1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 25, 30):
        expect(re.search(rf"SECRET-{n}\b", written), f"SECRET-{n} was not written: the test tests nothing\n{r.stdout}{r.stderr}")
    return f"{code.count('=> Sensitive(') + code.count('[Sensitive(')} values"


def git_secrets(top):
    """A server that asks for a password; git itself writes down everything it starts."""
    if not shutil.which("git"):
        return "LEFT OUT: there is no git"
    environment = dict(os.environ, HOME=str(top), GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.com", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@example.com")

    def git(*arguments):
        subprocess.run(["git", "-c", "protocol.file.allow=always", *arguments], check=True, capture_output=True, env=environment, cwd=top)

    def publish(name):
        subprocess.run(["git", "clone", "-q", "--bare", str(top / "work" / name), str(top / "www" / f"{name}.git")], check=True, capture_output=True, env=environment)
        git("-C", f"{top}/www/{name}.git", "update-server-info")

    for name in ("inner", "outer"):
        git("init", "-q", "-b", "main", f"{top}/work/{name}")
        (top / "work" / name / "f").write_text(f"{name} 1\n")
        if name == "outer":
            (top / "work" / name / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\turl = ../inner.git\n')
            inner = subprocess.run(["git", "-C", f"{top}/work/inner", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
            git("-C", f"{top}/work/outer", "update-index", "--add", "--cacheinfo", f"160000,{inner},inner")
            git("-C", f"{top}/work/outer", "add", ".gitmodules")
        git("-C", f"{top}/work/{name}", "add", "f")
        git("-C", f"{top}/work/{name}", "commit", "-q", "-m", "1")
        publish(name)

    class Guarded(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(top / "www"))

        def do_GET(self):
            if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"SECRET-user:SECRET-p@ss").decode():
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.end_headers()
                return
            super().do_GET()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Guarded)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        full = f"http://SECRET-user:SECRET-p%40ss@127.0.0.1:{server.server_port}/outer.git"
        code = f"vcsrepo {{ '{top}/copy': ensure => latest, provider => git, source => Sensitive('{full}') }}"
        shown = ""

        def run(expected):
            nonlocal shown
            r = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--modulepath", "/usr/share/puppet/modules", "--facts", str(top / "facts.json"), "--detailed-exitcodes", "--debug",
                                "--report", str(top / "report.yaml"), "-e", code], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
                               env=dict(environment, GIT_TRACE=str(top / "trace")))
            shown += r.stdout + r.stderr + (top / "report.yaml").read_text()
            expect(r.returncode == expected, f"exit {r.returncode} instead of {expected}\n{r.stdout}{r.stderr}")

        (top / "facts.json").write_text(json.dumps({"os": {"family": "Debian"}}))
        run(2)
        expect((top / "copy" / "inner" / "f").read_text() == "inner 1\n", "the submodule was not cloned")
        expect(full in (top / "copy" / ".git" / "config").read_text(), "the repository does not know its address")
        run(0)
        (top / "work" / "outer" / "f").write_text("outer 2\n")
        git("-C", f"{top}/work/outer", "commit", "-q", "-a", "-m", "2")
        git("-C", f"{top}/work/outer", "push", "-q", f"{top}/www/outer.git", "main")
        git("-C", f"{top}/www/outer.git", "update-server-info")
        run(2)
        expect((top / "copy" / "f").read_text() == "outer 2\n", "the new commit did not come")
        code = code.replace("%40ss", "%40sT").replace("/copy", "/refused")
        run(4)
        trace = (top / "trace").read_text()
        expect("git-remote-http" in trace or "remote-http" in trace, "the trace shows no transport: the test tests nothing")
        for where, text in (("arguments", trace), ("output", shown)):
            found = sorted(set(re.findall(r".*SECRET-.*", text)))
            expect(not found, f"in {where}: " + "\n".join(found[:10]))
    finally:
        server.shutdown()
        server.server_close()
    return f"{trace.count('trace: ')} commands"


def mishaps(top):
    """What may be wrong with a machine: that resource fails with a clear message, the others go on, and nothing is left half done."""
    told = []
    tools = top / "tools"
    tools.mkdir()
    (tools / "crontab").write_text('#!/bin/sh\necho "no crontab for $2" >&2; exit 1\n')
    (tools / "crontab").chmod(0o755)
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")

    def check(name, code, message, *, prefix=(), after=None, exit_code=6, stream="stderr", **options):
        """`code` holds one resource that must fail; another one beside it must succeed."""
        area = top / name.replace(" ", "_")
        area.mkdir(mode=0o777)
        area.chmod(0o777)
        program = PUPC
        if "user" in options:
            program = str(area / "pupc")
            shutil.copy(PUPC, program)
        (area / "site.pp").write_text(code.replace("AREA", str(area)) + f"\nfile {{ '{area}/other': content => 'other' }}\n")
        text = " ".join([program, "apply", "--vardir", str(area / "var"), "--detailed-exitcodes", str(area / "site.pp")])
        r = subprocess.run([*prefix, "sh", "-c", (options.pop("setup", ":")).replace("AREA", str(area)) + "\n" + text], capture_output=True, text=True, timeout=120, check=False,
                           stdin=subprocess.DEVNULL, cwd=area, env=environment, **options)
        shown = f"{name}: exit {r.returncode}\n{r.stdout}{r.stderr}"
        expect(r.returncode == exit_code, shown)
        expect(re.search(message.replace("AREA", str(area)), getattr(r, stream)), shown)
        expect((area / "other").read_text() == "other", shown)
        left = [p for p in area.rglob(".pupc-*")] + [p for p in area.rglob("*.pupc-*")]
        expect(not left, f"{name}: {left} lie about")
        if after:
            after(area)
        told.append(name)

    check("missing user", "file { 'AREA/x': content => 'x', owner => 'nosuchuser' }", r"Could not find user nosuchuser")
    check("missing group", "file { 'AREA/x': ensure => directory, group => 'nosuchgroup' }", r"Could not find group nosuchgroup")
    check("missing user of a command", "exec { '/bin/true': user => 'nosuchuser' }", r"Could not execute posix command: Invalid user: nosuchuser", stream="stdout")  # the command's output, as Puppet has it
    check("missing user of a crontab", "cron { 'c': command => '/bin/true', user => 'nosuchuser' }", r"nosuchuser")
    check("hanging command", "exec { '/bin/sleep 100': timeout => 1 }", r"Command exceeded timeout")
    check("hanging check", "exec { '/bin/false': onlyif => '/bin/sleep 100', timeout => 1 }\nexec { 'x': command => '/bin/false' , path => '/bin' }", r"Check \"/bin/sleep 100\" exceeded timeout")
    check("missing source", "file { 'AREA/x': source => 'AREA/nosuch' }", r"Could not retrieve information from environment production source\(s\) file://AREA/nosuch")
    check("dangling link as source", "file { 'AREA/x': source => 'AREA/link', links => follow }", r"Could not retrieve information", setup="ln -s nosuch AREA/link")
    check("dangling link as directory", "file { 'AREA/link/x': content => 'x' }", r"A directory component in AREA/link/x.pupc-[0-9]+ does not exist or is a dangling symbolic link",
          setup="ln -s nosuch AREA/link")
    check("directory where a file should be", "file { 'AREA/d': ensure => file, content => 'x' }", r"Is a directory", setup="mkdir AREA/d; touch AREA/d/kept",
          after=lambda area: expect((area / "d" / "kept").exists(), "the directory was touched"))
    check("directory where a link should be", "file { 'AREA/d': ensure => link, target => '/x' }", r"Could not remove existing file", setup="mkdir AREA/d")
    check("file where a directory should be", "file { 'AREA/f/x': content => 'x' }", r"Not a directory|A directory component", setup="echo x > AREA/f")
    check("loop of links", "file { 'AREA/a/x': content => 'x' }", r"Too many levels of symbolic links", setup="ln -s b AREA/a; ln -s a AREA/b")
    check("name too long", "file { 'AREA/" + "n" * 300 + "': content => 'x' }", r"File name too long")
    left_out = []
    if os.geteuid() == 0:
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        secret = top / "secret"
        secret.mkdir()
        (secret / "file").write_text("x")
        (secret / "file").chmod(0o600)
        (secret / "locked").mkdir(mode=0o700)
        top.chmod(0o755)
        check("unreadable source", f"file {{ 'AREA/x': source => '{secret}/file' }}", r"Permission denied @ rb_sysopen - " + str(secret), **nobody)
        check("unreadable tree", f"file {{ 'AREA/x': ensure => directory, recurse => true, source => '{secret}' }}", r"Permission denied", exit_code=2, **nobody)  # as Puppet; the report says failed
        check("file of someone else", f"file {{ '{secret}/file': content => 'y' }}", r"Permission denied", **nobody)
        check("directory of someone else", f"file {{ '{secret}/new': content => 'y' }}", r"Permission denied @ dir_s_mkdir", **nobody)
        expect((secret / "file").read_text() == "x" and sorted(os.listdir(secret)) == ["file", "locked"], "what belongs to others was changed")
    else:
        left_out.append("unreadable sources, others' files (only root can become another user)")
    enter = ["unshare", "-m", "--propagation", "private"]
    if shutil.which("unshare") and subprocess.run([*enter, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode == 0:
        check("full disk", "file { 'AREA/small/x': content => Integer[1, 20000].map |$i| { 'more' }.join }", r"No space left on device",
              setup="mkdir AREA/small; mount -t tmpfs -o size=16k none AREA/small; echo old > AREA/small/x", prefix=enter)
        check("read-only file system", "file { 'AREA/fixed/x': content => 'new' }", r"Read-only file system",
              setup="mkdir AREA/fixed; mount -t tmpfs none AREA/fixed; echo old > AREA/fixed/x; mount -o remount,ro AREA/fixed", prefix=enter)
    else:
        left_out.append("full disk, read-only file system (mounting is not permitted here)")
    return ", ".join(told) + (f"; LEFT OUT: {'; '.join(left_out)}" if left_out else "")


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


def kinds(top):
    """Documents of format 1 do not tell which resources are of a type and which of a define: the run looks the types up."""
    code = f"""
define wrapped {{ file {{ "{top}/wrapped-$title": content => 'x' }} }}
define empty {{ }}
wrapped {{ 'a': }} empty {{ 'b': }}
bash {{ 'b': code => 'touch {top}/b', not_if => 'test -e {top}/b' }}
file_line {{ 'l': path => '{top}/lines', line => 'one', require => File['{top}/lines'] }}
file {{ '{top}/lines': ensure => file }}
"""
    arguments = [PUPC, "compile", "--node", "n.example.com", "--modulepath", "/usr/share/puppet/modules", "-e", code]
    document = json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)
    document = document.get("data", document)
    document["catalog_format"] = 1
    for resource in document["resources"]:
        del resource["kind"]
    document["resources"].append({"type": "Unheard", "title": "u", "parameters": {}})
    document["resources"].append({"type": "Untold", "title": "u", "kind": "compilable_type", "parameters": {"before": "File[%s/after]" % top}})
    document["resources"].append({"type": "File", "title": f"{top}/after", "parameters": {"content": "x"}})
    (top / "c.json").write_text(json.dumps(document))
    r = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--catalog", str(top / "c.json"), "--detailed-exitcodes"], capture_output=True, text=True, check=False)
    expect(r.returncode == 6, f"exit {r.returncode}\n{r.stdout}{r.stderr}")
    expect((top / "wrapped-a").exists() and (top / "b").exists() and (top / "lines").read_text() == "one\n", "types are applied\n" + r.stdout + r.stderr)
    expect(f"/Stage[main]/Main/Wrapped[a]/File[{top}/wrapped-a]" in r.stdout, "defines contain\n" + r.stdout)
    expect("Nothing of Unheard is applied" in r.stderr and "Nothing of Empty is applied" in r.stderr and "Wrapped is" not in r.stderr, r.stderr)
    expect("The resource type untold cannot be applied" in r.stderr and not (top / "after").exists(), "a type nobody has fails\n" + r.stderr)
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


def progress(top):
    code = "notify { 'a': } exec { '/bin/sleep 0.1': } notify { 'b': loglevel => debug }"

    def seen(kind):
        try:
            ours, theirs = pty.openpty()
        except OSError:  # a container without /dev/pts
            return None
        p = subprocess.Popen(words(top, code), stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=dict(os.environ, TERM=kind))
        os.close(theirs)
        out = b""
        try:
            while chunk := os.read(ours, 65536):
                out += chunk
        except OSError:
            pass
        os.close(ours)
        p.wait()
        return out.decode()

    text = seen("xterm")
    if text is None:
        return "LEFT OUT: there is no terminal to be had"
    for part in ("[1/3] Notify[a]", "[2/3] Exec[/bin/sleep 0.1]", "[3/3] Notify[b]"):
        expect(f"\r\033[K{part}" in text, repr(text))
    screen = []
    for line in text.split("\r\n"):
        screen.append(re.sub("\033\\[[0-9;]*m", "", line.split("\r\033[K")[-1]))
    expect(not any(line.startswith("[") for line in screen) and screen[-2].startswith("Notice: Applied catalog"), repr(text))
    expect("[1/3]" not in seen("dumb"), "a dumb terminal")
    r = apply(top, code)
    expect("[1/3]" not in r.stdout + r.stderr, "a file")
    return ""


def client_facts(top):
    code = "notify { \"${$clientversion =~ /^8/} ${facts['clientnoop']} ${clientcert}\": }"
    for extra, want in (([], "true false n.example.com"), (["--noop"], "true true n.example.com")):
        r = apply(top, code, *extra)
        expect(r.returncode == 0 and f"Notify[{want}]" in r.stdout, r.stdout + r.stderr)
    # The same with facts from a file, and code from standard input.
    (top / "facts.json").write_text('{"clientnoop": "as it was"}')
    for last in ([], ["-"]):
        r = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--node", "n.example.com", "--facts", str(top / "facts.json"), *last], input=code, capture_output=True, text=True, check=False)
        expect(r.returncode == 0 and "Notify[true as it was n.example.com]" in r.stdout, r.stdout + r.stderr)
    # One version everywhere: facts, Ruby code of modules, the report.
    functions = top / "modules/m/lib/puppet/functions/m"
    functions.mkdir(parents=True)
    (functions / "version.rb").write_text("Puppet::Functions.create_function(:'m::version') do\n  def version\n    [Puppet.version, Puppet::PUPPETVERSION].uniq.join(' ')\n  end\nend\n")
    facter = top / "modules/m/lib/facter"
    facter.mkdir()
    (facter / "seen.rb").write_text("Facter.add(:seen) { setcode { Puppet.version } }\n")
    code = "notify { [$clientversion, $facts['puppetversion'], m::version(), $seen].unique.join(' '): } notify { $server_facts.keys.join(' '): }"
    r = subprocess.run([PUPC, "apply", "--vardir", str(top / "var"), "--modulepath", str(top / "modules"), "--report", str(top / "r.json"), "-e", code],
                       capture_output=True, text=True, check=False)
    version = json.loads((top / "r.json").read_text())["puppet_version"]
    expect(re.fullmatch(r"8\.\d+\.\d+", version) and f"Notify[{version}]" in r.stdout, r.stdout + r.stderr)
    expect("Notify[environment]" in r.stdout, "a machine that compiles its own catalog has no other server facts: " + r.stdout)
    return version


def unsupported(top):
    module = top / "modules" / "m" / "lib" / "puppet" / "type"
    module.mkdir(parents=True)
    for name in ("strange", "odd"):
        (module / f"{name}.rb").write_text(f"Puppet::Type.newtype(:{name}) do\n  newparam(:name, namevar: true)\nend\n")
    manifest = f"strange {{ 'a': }} -> notify {{ 'after': }} file {{ '{top}/first': content => 'x' }} odd {{ 'b': }}"
    r = apply(top, manifest, "--modulepath", str(top / "modules"), "--ruby", "never", "--detailed-exitcodes")
    expect(r.returncode == 6, f"exit {r.returncode}\n{r.stderr}")
    for name, title in (("strange", "Strange[a]"), ("odd", "Odd[b]")):
        line = [text for text in r.stderr.splitlines() if title in text and "Could not evaluate" in text]
        expect(len(line) == 1, r.stderr)
    expect("Notify[after]: Skipping because of failed dependencies" in r.stderr, r.stderr)
    expect((top / "first").exists(), "the rest was not applied")
    return ""


TESTS = [kill, signals, second_signal, lock, hanging, secrets, secrets_by_type, git_secrets, mishaps, exit_codes, phases, elsewhere, kinds, progress, client_facts, noop, unsupported]


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
