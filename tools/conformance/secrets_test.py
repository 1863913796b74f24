#!/usr/bin/env python3
"""Sensitive values while every type is applied for real in a throw-away root: none is in a log, the report, the state or the arguments of a process.

  secrets_test.py PUPC

Runs the manifest twice with --debug, once with other values in place, so that changes from one secret to another are told too; once with long
values and once with values of three characters. Meanwhile the arguments of all processes are read over and over, as `ps` shows them.
Exit 77 (skipped) when no throw-away root is permitted.
"""
import os
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import throwaway_root  # noqa: E402

# SECRET is the value; COMMAND is one that the manifest itself puts on a command line, where ps shows it whatever pupc does.
MANIFEST = """
Exec { path => '/usr/sbin:/usr/bin:/sbin:/bin' }
notify { 'told': message => Sensitive('SECRET') }
file { '/srv/t/plain': content => Sensitive('SECRET'), show_diff => true }
file { '/srv/t/refused': content => Sensitive('SECRET'), validate_cmd => 'cat % && false' }
file { '/srv/t/nowhere/x': content => Sensitive('SECRET') }
file_line { 'line': path => '/srv/t/lines', line => Sensitive('SECRET') }
file_line { 'missing': path => '/srv/t/none', line => Sensitive('SECRET') }
ini_setting { 'i': path => '/srv/t/i.ini', section => 's', setting => 'p', value => Sensitive('SECRET') }
ini_subsetting { 'j': path => '/srv/t/j.ini', section => 's', setting => 'p', subsetting => '-x', value => Sensitive('SECRET') }
ini_setting { 'k': path => '/srv/t/nowhere/i.ini', section => 's', setting => 'p', value => Sensitive('SECRET') }
exec { 'shown': command => 'echo $TOKEN; sleep 0.1', provider => shell, environment => Sensitive(['TOKEN=SECRET']), logoutput => true }
exec { 'failed': command => Sensitive('echo COMMAND; exit 3'), provider => shell, logoutput => true }
exec { 'guarded': command => 'true', onlyif => Sensitive('echo COMMAND; false'), provider => shell }
bash { 'script': code => Sensitive('echo SECRET; sleep 0.1; exit 3') }
user { 'wts': ensure => present, password => Sensitive('$6$SECRET$SECRET') }
group { 'wtg': ensure => present }
host { 'hidden.example.com': ip => '10.0.0.1', comment => Sensitive('SECRET') }
mailalias { 'm': recipient => Sensitive('SECRET') }
sshkey { 'k.example.com': type => 'ssh-rsa', key => Sensitive('SECRET') }
ssh_authorized_key { 'ka': user => 'root', type => 'ssh-rsa', key => Sensitive('SECRET') }
ssh_authorized_key { 'kb': user => 'wtnone', type => 'ssh-rsa', key => Sensitive('SECRET') }
cron { 'c': user => 'root', command => Sensitive('SECRET') }
mount { '/mnt/x': ensure => present, device => Sensitive('SECRET'), fstype => 'tmpfs', options => 'noauto' }
concat_file { '/srv/t/c': tag => 'c' }
concat_fragment { 'one': target => '/srv/t/c', tag => 'c', content => Sensitive('SECRET') }
yumrepo { 'r': descr => 'd', baseurl => 'http://example.com/', password => Sensitive('SECRET') }
archive { '/srv/t/a': source => 'http://127.0.0.1:9/a', username => 'u', password => Sensitive('SECRET') }
archive { '/srv/t/b': source => Sensitive('http://127.0.0.1:9/SECRET') }
archive { '/srv/t/d': source => 'http://127.0.0.1:9/d', cookie => Sensitive('x=SECRET') }
vcsrepo { '/srv/t/v': ensure => present, provider => git, source => Sensitive('http://u:SECRET@127.0.0.1:9/v') }
augeas { 'hidden': incl => '/srv/t/hosts', lens => 'Hosts.lns', changes => Sensitive("set 1/alias[1] SECRET"), show_diff => true }
augeas { 'wrong': incl => '/srv/t/hosts', lens => 'Hosts.lns', changes => Sensitive("set 1/nonsense[ SECRET") }
service { 'kept': ensure => running, provider => 'base', hasstatus => true, status => 'false', start => Sensitive('echo COMMAND; sleep 0.1; exit 3'), stop => 'true' }
file { '/srv/t/known': content => Sensitive("a\nSECRET\n"), show_diff => true, backup => '.old' }
file { '/srv/t/bucket': content => Sensitive("a\nSECRET\n"), checksum => 'md5' }
file { '/srv/t/validated': content => 'x', validate_cmd => Sensitive('echo COMMAND %; exit 3') }
archive { '/srv/t/e.tar': source => '/srv/t/good.tar', extract => true, extract_path => '/srv/t', extract_command => Sensitive('echo COMMAND %s; exit 3'), creates => '/srv/t/never' }
tidy { '/srv/t/tidied': }
"""

# Each alone: the catalog is refused before anything is done, with an error about the attribute.
REFUSED = """
host { 'bad.example.com': ip => Sensitive('SECRET') }
exec { '/bin/true': timeout => Sensitive('SECRET') }
exec { '/bin/true': environment => Sensitive(['SECRET']) }
exec { '/bin/true': umask => Sensitive('SECRET') }
cron { 'c': command => 'x', minute => Sensitive('SECRET') }
cron { 'c': command => 'x', special => Sensitive('SECRET') }
yumrepo { 'r': baseurl => Sensitive('SECRET') }
archive { '/srv/t/a': checksum_type => Sensitive('SECRET') }
ssh_authorized_key { 'k': user => 'root', type => Sensitive('SECRET'), key => 'x' }
file { '/srv/t/f': mode => Sensitive('SECRET') }
file { '/srv/t/f': source => Sensitive('SECRET') }
""".strip().splitlines()


class Watch(threading.Thread):
    """Reads the arguments of all processes until it is stopped; keeps those that hold a text."""

    def __init__(self, text):
        super().__init__(daemon=True)
        self.text, self.seen, self.looks, self.over = text.encode(), set(), 0, False

    def run(self):
        own = {os.getpid()}
        while not self.over:
            self.looks += 1
            for entry in os.listdir("/proc"):
                if not entry.isdigit() or int(entry) in own:
                    continue
                try:
                    words = pathlib.Path("/proc", entry, "cmdline").read_bytes()
                except OSError:
                    continue
                if self.text in words:
                    self.seen.add(words.replace(b"\0", b" ").decode(errors="replace"))


def holds(text, secret):
    """Whether a text shows a secret; a short one only where it stands alone, else it is part of other words."""
    at = text.find(secret)
    while at >= 0:
        around = text[at - 1:at] + text[at + len(secret):at + len(secret) + 1]
        if len(secret) > 3 or not any(c.isalnum() or c == "_" for c in around):
            return True
        at = text.find(secret, at + 1)
    return False


def leaks(how, pupc, secrets, commands):
    out = []
    with tempfile.TemporaryDirectory(prefix="pupc-secrets-") as folder:
        root = throwaway_root.Root(pathlib.Path(folder) / "root", how, pupc, [])
        try:
            root.run("touch /srv/t/lines; mkdir -p /srv/t/tidied; echo '127.0.0.1 localhost' >/srv/t/hosts; echo a >/srv/t/known; tar -cf /srv/t/good.tar -C /srv/t known")
            for number, (secret, command) in enumerate(zip(secrets, commands)):
                (root.work / "case.pp").write_text(MANIFEST.replace("SECRET", secret).replace("COMMAND", command))
                watch = Watch(secret)
                watch.start()
                code = root.run(f"{root.pupc} apply --debug --show_diff --detailed-exitcodes --vardir {root.inner}/var --modulepath {root.inner}/modules "
                                f"--report {root.inner}/report.json {root.inner}/case.pp >{root.inner}/out 2>&1")
                watch.over = True
                watch.join()
                if code != 6:
                    out.append(f"exit {code}, not 6: {(root.work / 'out').read_text()[-2000:]}")
                out += [f"arguments: {words}" for words in watch.seen]
                if watch.looks < 3:
                    out.append("the processes were hardly looked at")
                files = [root.work / "out", root.work / "report.json"] + [f for f in (root.work / "var").rglob("*") if f.is_file() and "clientbucket" not in f.parts]
                for path in files:
                    for line in path.read_text(errors="replace").splitlines():
                        for text in secrets[:number + 1] + commands[:number + 1]:
                            if holds(line, text):
                                out.append(f"{path.name}: {line[:300]}")
                said = (root.work / "out").read_text()
                for title in ("told", "/srv/t/plain", "shown", "script", "wts", "hidden.example.com"):
                    if title not in said:
                        out.append(f"nothing was done to {title}: {said[-1500:]}")
            for manifest in REFUSED:
                (root.work / "case.pp").write_text(manifest.replace("SECRET", secrets[0]))
                code = root.run(f"{root.pupc} apply --debug --vardir {root.inner}/var --detailed-exitcodes --modulepath {root.inner}/modules {root.inner}/case.pp >{root.inner}/out 2>&1")
                said = (root.work / "out").read_text()
                if code == 0:
                    out.append(f"not refused: {manifest}: {said[-500:]}")
                out += [f"{manifest}: {line}" for line in said.splitlines() if holds(line, secrets[0])]
        finally:
            root.close()
    return out


def main():
    how, why = throwaway_root.kind()
    if how is None:
        print(f"skipped: {why}")
        return 77
    bad = leaks(how, sys.argv[1], ["Zq7longsecret", "Yr8othersecret"], ["Xw9command", "Vu5command"])
    bad += leaks(how, sys.argv[1], ["Zq7", "Yr8"], ["Xw9", "Vu5"])
    print("\n".join(bad) or "no leak")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
