"""A root that may be thrown away: the scenarios of `pupc apply` change users, files in /etc, crontabs.

Its own mount namespace with fresh /etc, /home, /root and /srv/t where that is permitted, else a chroot with the few programs that scenarios need.
`kind()` says which of them this machine permits. Only root can have either: other users' files need its privileges.
"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import time

MODULES = pathlib.Path("/usr/share/puppet/modules")
WANTED_MODULES = ("stdlib", "inifile", "concat", "archive", "vcsrepo", "cron_core", "host_core", "mailalias", "mount_core", "sshkeys_core", "augeas_core",
                  "yumrepo_core", "translate")
# For scenarios that ask for them: Puppet runs every fact of every module it sees.
OPENSTACK_MODULES = ("openstacklib", "nova", "neutron", "keystone", "glance", "ceph")
AREAS = {"etc": "etc", "home": "home", "t": "srv/t"}
# The same accounts wherever the scenarios run.
ACCOUNTS = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nwww-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
              "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\ndaemon:x:1:\nadm:x:4:\naudio:x:29:\nwww-data:x:33:\nvideo:x:44:\nusers:x:100:\nnogroup:x:65534:\n",
    "shadow": "root:*:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\nwww-data:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n",
    "gshadow": "root:*::\ndaemon:*::\nadm:*::\naudio:*::\nwww-data:*::\nvideo:*::\nusers:*::\nnogroup:*::\n",
    "subuid": "", "subgid": "",
    "hosts": "127.0.0.1\tlocalhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\ngshadow: files\nhosts: files\n",
}
# What programs need of this machine.
FROM_MACHINE = """alternatives ld.so.conf ld.so.conf.d ld.so.cache default pam.d pam.conf security login.defs localtime timezone os-release debian_version
deluser.conf adduser.conf services protocols""".split()
CRONTAB = """#!/bin/bash
u=$(id -un); [ "$1" = -u ] && { u=$2; shift 2; }
f=/srv/t/tabs/$u; mkdir -p /srv/t/tabs
case "$1" in -l) [ -f $f ] && cat $f || { echo "no crontab for $u" >&2; exit 1; };; -r) rm -f $f;; -) cat > $f;; *) cat "$1" > $f;; esac
"""
PROGRAMS = """bash sh cat cp mv rm ln ls mkdir rmdir chmod chown chgrp touch stat id env echo printf test true false sleep head tail cut sort uniq wc tr tee sed grep
date find seq install mktemp readlink sha256sum md5sum tar gzip bzip2 xz dd useradd usermod userdel groupadd groupmod groupdel gpasswd chpasswd chage passwd getent
git diff kill uname hostname mount umount expr dirname basename""".split()
LENSES = pathlib.Path("/usr/share/augeas/lenses/dist")
SKIP_FILES = re.compile(r"(^|/)\.git(/|$)|^(passwd|group|shadow|gshadow|subuid|subgid)-$|^\.pwd\.lock$|^ld\.so\.cache$|^mtab$|^puppet(/|$)")


def permitted(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def kind():
    """'mount', 'chroot', or None with the reason."""
    if os.environ.get("PUPC_ROOT_KIND"):
        return os.environ["PUPC_ROOT_KIND"], ""
    if os.geteuid() != 0:
        return None, "only root can change users and owners"
    if shutil.which("unshare") and permitted("unshare", "-m", "sh", "-c", "mkdir -p /srv/t && mount --bind /srv/t /srv/t"):
        return "mount", ""
    if permitted("chroot", "/", "true"):
        return "chroot", ""
    return None, "neither mount namespaces nor chroot are permitted here"


def copy_with_libraries(path, root):
    """Copies a program and what the loader needs for it to the same places below root."""
    todo = [path]
    out = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    todo += re.findall(r"(/\S+) \(0x", out)
    for source in todo:
        target = pathlib.Path(str(root) + source)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def make_chroot(root, pupc):
    (root / "usr" / "bin").mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        link = pathlib.Path("/" + name)
        if link.is_symlink():
            (root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(os.readlink(link))
    for name in ("tmp", "var/lib", "var/tmp", "var/mail", "proc", "sys", "dev", "etc", "home", "root", "srv/t", "run", "opt"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for device, numbers in (("null", (1, 3)), ("zero", (1, 5)), ("full", (1, 7)), ("random", (1, 8)), ("urandom", (1, 9))):
        try:
            os.mknod(root / "dev" / device, 0o666 | stat.S_IFCHR, os.makedev(*numbers))
            os.chmod(root / "dev" / device, 0o666)
        except PermissionError:
            (root / "dev" / device).touch()
    for program in PROGRAMS:
        path = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
        if path:
            copy_with_libraries(path, root)
    copy_with_libraries(pupc, root)
    if pathlib.Path("/usr/lib/git-core").exists():
        shutil.copytree("/usr/lib/git-core", root / "usr/lib/git-core", symlinks=True, dirs_exist_ok=True)
    for module in WANTED_MODULES + OPENSTACK_MODULES:
        if (MODULES / module).exists():
            shutil.copytree((MODULES / module).resolve(), str(root) + str(MODULES / module), dirs_exist_ok=True)


def fresh_etc(etc):
    subprocess.run(["cp", "-a"] + [f"/etc/{name}" for name in FROM_MACHINE if os.path.lexists(f"/etc/{name}")] + [str(etc)], stderr=subprocess.DEVNULL, check=False)
    (etc / "skel").mkdir(exist_ok=True)
    for name, text in ACCOUNTS.items():
        path = etc / name
        if path.is_symlink():
            path.unlink()
        path.write_text(text)
        path.chmod(0o640 if "shadow" in name else 0o644)


class Root:
    """One fresh root: `run` runs shell text in it, `tree` lists what is there. `work` is a directory of its own, seen from inside as `inner`."""

    def __init__(self, top, how, pupc, files, more_modules=()):
        self.how = how
        if how == "chroot":
            # The programs are copied once and the rest is made anew.
            self.base = top.parent / "chroot"
            if not self.base.exists():
                make_chroot(self.base, pupc)
            for name in ("etc", "home", "root", "srv/t", "scenario", "var/mail", "tmp"):
                shutil.rmtree(self.base / name, ignore_errors=True)
                (self.base / name).mkdir(parents=True)
            (self.base / "tmp").chmod(0o1777)
            fresh_etc(self.base / "etc")
            self.work, self.inner = self.base / "scenario", "/scenario"
            command, enter = ["chroot", str(self.base), "/bin/bash"], ""
        else:
            for name in ("etc", "home", "root", "t", "mail", "work"):
                (top / name).mkdir(parents=True)
            fresh_etc(top / "etc")
            self.work, self.inner = top / "work", str(top / "work")
            command = ["unshare", "-m", "--propagation", "private", "/bin/bash"]
            enter = (f"mkdir -p /srv/t /var/mail; mount --bind {top}/etc /etc; mount --bind {top}/t /srv/t; mount --bind {top}/home /home; "
                     f"mount --bind {top}/root /root; mount --bind {top}/mail /var/mail\n")
        (self.work / "bin").mkdir()
        # A build below /home or /root would be out of sight.
        self.pupc = f"{self.inner}/bin/pupc"
        shutil.copy2(pupc, self.work / "bin" / "pupc")
        (self.work / "modules").mkdir()
        for module in WANTED_MODULES + tuple(more_modules):
            (self.work / "modules" / module).symlink_to(MODULES / module)
        self.crontab = self.work / "bin" / "crontab"
        self.crontab.write_text(CRONTAB)
        self.crontab.chmod(0o755)
        for path in files:
            shutil.copy(path, self.work / ("case" + path.suffix))
        environment = {"PATH": f"{self.inner}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb", "PUPC_PUPPET_PLACES": "aio"}
        self.shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd="/")
        self.before = None
        self.run(enter + "umask 022; cd /")
        self.before = self.raw_tree()

    def run(self, text):
        """Shell text; its exit code."""
        self.shell.stdin.write(f"{{ {text}\n}} </dev/null >/dev/null 2>&1\necho $?\n")
        self.shell.stdin.flush()
        answer = self.shell.stdout.readline().strip()
        return int(answer) if answer else -1

    def close(self):
        self.shell.stdin.close()
        self.shell.wait(timeout=60)

    def raw_tree(self):
        out = {}
        inside = pathlib.Path(f"/proc/{self.shell.pid}/root")
        for area, where in AREAS.items():
            base = inside / where
            for directory, names, files in os.walk(base):
                names.sort()
                for name in names + sorted(files):
                    path = pathlib.Path(directory) / name
                    relative = str(path.relative_to(base))
                    if not SKIP_FILES.search(relative):
                        out[f"{area}/{relative}"] = describe(path)
        return out

    def tree(self):
        """What differs from the fresh root: path -> 'mode owner:group content', None when it is gone."""
        now = self.raw_tree()
        out = {name: entry for name, entry in now.items() if self.before.get(name) != entry}
        out.update({name: None for name in self.before if name not in now})
        return out


def describe(path):
    s = path.lstat()
    key = (s.st_dev, s.st_ino, s.st_mtime_ns, s.st_ctime_ns)
    if key not in described:
        described[key] = describe_anew(path, s)
    return described[key]


described = {}


def describe_anew(path, s):
    text = ""
    if stat.S_ISREG(s.st_mode):
        data = path.read_bytes()
        data = re.sub(rb"autogenerated at [-0-9: +]+", b"autogenerated at TIME", data)
        if "shadow" in path.name:
            today = int(time.time() // 86400)
            data = re.sub(rb"(?m)^([^:]*:[^:]*):(\d+):", lambda m: m[1] + (b":TODAY:" if abs(int(m[2]) - today) < 3 else b":" + m[2] + b":"), data)
        text = data.decode("utf-8", "backslashreplace")
    elif stat.S_ISLNK(s.st_mode):
        text = "-> " + os.readlink(path)
    return f"{stat.filemode(s.st_mode)} {s.st_uid}:{s.st_gid} {text}"
