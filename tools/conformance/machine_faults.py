#!/usr/bin/env python3
"""Faults of a machine, in a mount namespace of their own.

    machine_faults.py PUPC [NAME…]

Each fault strikes some resources; the others are applied, what was there before stays whole, and nothing lies about. Exit 77: mounting is not
permitted here. What the messages are is what Puppet 8.11 says on such a machine, but where pupc goes on and Puppet does not (told at the fault).

full_disk        files on a full disk keep their old content
full_state       with a full directory of state the run is applied and says what it could not keep (Puppet stops)
read_only_etc    with /etc read-only its files, hosts and accounts fail, all else is done
missing_tools    without useradd and crontab their resources fail one by one
odd_targets      pipes, devices, links to nothing, directories and files that cannot be changed
clock            a schedule's resource runs again after its period, not before, also when the clock was ahead meanwhile
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ENTER = [shutil.which("unshare") or "unshare", "-m", "--propagation", "private"]


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Machine:
    """A directory for a test and what runs in it."""

    def __init__(self, pupc, top):
        self.pupc, self.top = pupc, top

    def run(self, code, *, before="", after="", exit_code=6):
        """Shell text, pupc and shell text again, in one namespace; the output of pupc and of the text after it."""
        (self.top / "site.pp").write_text(code.replace("TOP", str(self.top)).replace("PUPC", self.pupc))
        text = "\n".join(["set -e", before, "set +e", f"{self.pupc} apply --color false --detailed-exitcodes --vardir {self.top}/var {self.top}/site.pp 2>&1",
                          "echo exit $?; echo ----", after]).replace("TOP", str(self.top))
        r = subprocess.run([*ENTER, "sh", "-c", text], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        said, _, rest = r.stdout.partition("----\n")
        expect(f"exit {exit_code}\n" in said, f"{said}{r.stderr}")
        return said, rest

    def says(self, said, *messages):
        for message in messages:
            expect(re.search(message.replace("TOP", re.escape(str(self.top))), said, re.M), f"no {message}\n{said}")


def full_disk(m):
    said, rest = m.run("""
        $long = Integer[1, 20000].map |$i| { 'more' }.join
        file { 'TOP/s/a': content => $long } file { 'TOP/s/copy': source => 'PUPC' }
        host { 'h.example.com': ip => '10.9.9.9', target => 'TOP/s/hosts', comment => $long }
        file { 'TOP/other': content => 'other' }""",
                       before="mkdir TOP/s; mount -t tmpfs -o size=48k none TOP/s; echo old > TOP/s/a; echo 10.0.0.1 old > TOP/s/hosts",
                       after="cat TOP/s/a TOP/s/hosts; ls -A TOP/s | tr '\\n' ' '; cat TOP/other")
    m.says(said, r"File\[TOP/s/a\]/content: change from .* failed: .*No space left on device", r"File\[TOP/s/copy\]/ensure: .*No space left on device",
           r"Host\[h.example.com\].*No space left on device")
    expect(rest == "old\n10.0.0.1 old\na hosts other", rest)


def full_state(m):
    said, rest = m.run("file { 'TOP/made': content => 'x' } exec { '/bin/true': }", exit_code=2,
                       before="mkdir TOP/var; mount -t tmpfs -o size=16k none TOP/var; mkdir -p TOP/var/state; dd if=/dev/zero of=TOP/var/fill bs=1k 2>/dev/null || true",
                       after="cat TOP/made; ls -A TOP/var/state | tr '\\n' ' '")
    m.says(said, r"No space left on device", r"File\[TOP/made\]/ensure: defined content", r"Exec\[/bin/true\]/returns: executed")
    expect(rest.startswith("x") and "pupc-" not in rest, rest)


def read_only_etc(m):
    said, rest = m.run("""
        file { '/etc/zz-of-a-test': content => 'x' } file { '/etc/passwd': mode => '0600' } host { 'zz-of-a-test': ip => '10.9.9.9' }
        user { 'zz-of-a-test': ensure => present } group { 'zz-of-a-test': ensure => present }
        exec { 'later': command => '/bin/true' } file { 'TOP/after': content => '1' }""",
                       before="cp -a /etc TOP/etc; mount --bind TOP/etc /etc; mount -o remount,ro,bind /etc; cp /etc/passwd TOP/passwd", after="cmp /etc/passwd TOP/passwd; cat TOP/after")
    m.says(said, r"File\[/etc/zz-of-a-test\]/ensure: change from 'absent' to 'file' failed: .*Read-only file system", r"File\[/etc/passwd\]/mode: .*Read-only file system",
           r"Host\[zz-of-a-test\].*Read-only file system", r"User\[zz-of-a-test\]/ensure: change from 'absent' to 'present' failed",
           r"Group\[zz-of-a-test\]/ensure: change from 'absent' to 'present' failed", r"Exec\[later\]/returns: executed")
    expect(rest == "1", rest)


def missing_tools(m):
    said, rest = m.run("""
        user { 'zz-of-a-test': ensure => present } cron { 'c': command => '/bin/true', user => 'root' }
        exec { 'm': command => '/no/such' } exec { 'w': command => 'nosuch', path => '/bin' } exec { 'o': command => '/bin/true', onlyif => '/no/such' }
        file { 'TOP/after': content => '1' } notify { 'end': require => Exec['m'] }""",
                       before="cp -a /etc TOP/etc; mount --bind TOP/etc /etc; for t in useradd crontab; do p=$(command -v $t) && mount --bind /dev/null $p; done; true",
                       after="cat TOP/after")
    m.says(said, r"Provider useradd is not functional on this host", r"^Error: Could not find a suitable provider for cron$",
           r"Exec\[m\]/returns: change from 'notrun' to \['0'\] failed: Could not find command '/no/such'", r"Could not find command 'nosuch'",
           r"Exec\[o\]: Could not evaluate: Could not find command '/no/such'", r"Notify\[end\]: Skipping because of failed dependencies")
    expect(rest == "1", rest)


def odd_targets(m):
    said, rest = m.run("""
        file { 'TOP/d': ensure => file, content => 'x' } file { 'TOP/dangling': ensure => file, content => 'x' } file { 'TOP/pipe': ensure => file, content => 'x' }
        file { '/proc/version': content => 'x' } file { 'TOP/no/such': content => 'x' } file { 'TOP/src': source => 'TOP/nothere' }
        file { 'TOP/own': owner => 'nobody-of-this-name', content => 'x' } file { 'TOP/after': content => '1' }""",
                       before="mkdir TOP/d; touch TOP/d/kept; ln -s /nonexistent TOP/dangling; mkfifo TOP/pipe", after="cat TOP/after; ls TOP/d; ls -A TOP | tr '\\n' ' '")
    m.says(said, r"File\[TOP/d\]/ensure: change from 'directory' to 'file' failed", r"File\[TOP/no/such\]/ensure: change from 'absent' to 'file' failed",
           r"File\[TOP/src\]: Could not evaluate: Could not retrieve information", r"File\[TOP/own\].*Could not find user nobody-of-this-name", r"File\[/proc/version\]")
    expect(rest.startswith("1kept\n") and "pupc-" not in rest, rest)


def clock(m):
    code = "schedule { 'd': period => daily } exec { 'job': command => '/bin/true', schedule => 'd' }"
    state = m.top / "var" / "state" / "state.yaml"

    def ran(exit_code):
        return "Exec[job]/returns: executed" in m.run(code, exit_code=exit_code)[0]

    def move(days):
        text = state.read_text()
        moved = re.sub(r"(:checked: )(\d{4}-\d\d-\d\d)", lambda found: found[1] + subprocess.run(["date", "-d", f"{found[2]} {days} days", "+%F"], capture_output=True, text=True,
                                                                                               check=True).stdout.strip(), text)
        expect(moved != text, f"no time in the state:\n{text}")
        state.write_text(moved)

    expect(ran(2), "not at first")
    expect(not ran(0), "twice in a day")
    move(-2)
    expect(ran(2), "not after two days")
    move(+2)
    expect(not ran(0), "at a time before the last one")


TESTS = [full_disk, full_state, read_only_etc, missing_tools, odd_targets, clock]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    probe = subprocess.run([*ENTER, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False) if shutil.which("unshare") else None
    if os.geteuid() != 0 or probe is None or probe.returncode != 0:
        print("skipped: mounting is not permitted here")
        return 77
    failed = 0
    for test in TESTS:
        if sys.argv[2:] and test.__name__ not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as top:
            try:
                test(Machine(os.path.abspath(sys.argv[1]), pathlib.Path(top)))
                print(f"{test.__name__}: passed", flush=True)
            except (Failure, subprocess.TimeoutExpired) as e:
                print(f"{test.__name__}: FAILED: {e}", flush=True)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
