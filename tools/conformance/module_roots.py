#!/usr/bin/env python3
"""Debian's packaged modules, applied to a whole machine that is thrown away afterwards.

    module_roots.py golden PUPC [NAME…]   pupc against the answers stored in testdata/modules_applied/*.expected.json; needs no Puppet
    module_roots.py live PUPC [NAME…]     pupc against Puppet, now
    module_roots.py update PUPC [NAME…]   stores Puppet's answers
    module_roots.py real PUPC [NAME…]     live with the real apt, services started by their init scripts; needs the network, stores nothing

The machine is this one with the accounts of `throwaway_root` and without what the modules manage (BARE), so that it is the same machine everywhere. A layer
of its own over that (overlayfs in namespaces of mounts and processes) holds all that a run writes. Except in `real`, apt, dpkg-query and systemctl are stand-ins that keep what is installed and running in /var/lib/stand-in.
NAME.pp is the manifest, NAME.sh prepares the machine. Comment lines at the top of the manifest may say
  # modules: those it needs besides stdlib           # packages: in the stand-in's opinion installed before
  # order: free                                      log lines are compared without their order
  # real: no, why                                    left out by `real`
  # again: 2                                         the second run changes something in Puppet as well
Compared: exit codes (--detailed-exitcodes) and log lines of two runs, and type, mode, owner and content of all files in the layer. The second run must
change nothing, and one with --noop must leave a fresh machine as it is. Exit 77 (skipped) when no such layer is permitted here.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import provider_scenarios  # noqa: E402
import throwaway_root  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "testdata" / "modules_applied"
MODULES = pathlib.Path("/usr/share/puppet/modules")
# What runs leave behind by themselves; what only packages bring is compared by name and owner alone.
SKIP = re.compile(r"^(\.dockerenv|scenario|tmp|proc|sys|dev|run|work|home|root/\.(gnupg|cache|wget-hsts)|var/(log|cache|tmp|backups|run)|"
                  r"var/lib/(puppet|dpkg|apt|systemd|ucf|pam|update-rc\.d|stand-in/log)|usr/(share|lib|bin|sbin|include|local/share)|"
                  r"etc/(ld\.so\.cache|mtab|machine-id|\.pwd\.lock|(passwd|group|shadow|gshadow|subuid|subgid)-))(/|$)")
ONLY_STATUS = re.compile(r"^(var/lib|var/spool|usr|etc/(ssl|rc.\.d|ssh/ssh_host_|alternatives))(/|$)|/(shadow|gshadow)$")

# What is taken away from the machine below: each machine has other files there.
BARE = ["etc/" + name for name in """apache2 bind chrony haproxy logrotate.conf logrotate.d memcached.conf ntp.conf ntp redis rsyncd.conf rsync-secrets sssd xinetd.conf xinetd.d
        default/rsync default/ntp default/chrony default/haproxy default/redis-server default/memcached""".split()]
BARE += "var/lib/redis var/lib/apache2 var/lib/haproxy var/lib/ntp var/lib/sss var/cache/bind var/www opt/staging".split()

STAND_INS = r"""
S=/var/lib/stand-in; mkdir -p $S/packages $S/running $S/enabled
for p in %(packages)s; do echo 1.0-1 > $S/packages/$p; done
cat > /scenario/dpkg-query <<'F'
#!/bin/bash
cd /var/lib/stand-in/packages
format=; name=
while [ $# -gt 0 ]; do case $1 in -W|--show) ;; -f|--showformat) format=$2; shift;; --showformat=*) format=${1#*=};; -f=*) format=${1#*=};; -*) ;; *) name=$1;; esac; shift; done
format=${format#\'}; format=${format%%\'}
show() { v=$(cat $1); t=${format//'${Status}'/install ok installed}; t=${t//'${Package}'/$1}; t=${t//'${Version}'/$v}; t=${t//'${Architecture}'/amd64}; t=${t//'${Provides}'/}; printf "$t"; }
if [ -z "$name" ]; then for n in *; do [ -e $n ] && show $n; done; else [ -e "$name" ] || { echo "dpkg-query: no packages found matching $name" >&2; exit 1; }; show $name; fi
exit 0
F
cat > /scenario/apt-get <<'F'
#!/bin/bash
S=/var/lib/stand-in
line="apt-get $*"
verb=; for w; do case $w in install|remove|update) verb=$w;; --purge) verb=remove;; -*|*::*|*=*::*) ;; *) name=$w;; esac; done
[ -z "$verb" ] || echo "$line" >> $S/commands
case $verb in install) v=1.0-1; case $name in *=*) v=${name#*=}; name=${name%%=*};; esac; echo $v > $S/packages/$name;; remove) rm -f $S/packages/$name;; esac
[ ! -x /scenario/installed ] || /scenario/installed $name >/dev/null 2>&1
exit 0
F
cat > /scenario/apt-cache <<'F'
#!/bin/bash
case $1 in policy) printf "$2:\n  Installed: 1.0-1\n  Candidate: 1.0-1\n  Version table:\n";; esac
F
printf '#!/bin/bash\nexit 0\n' > /scenario/apt-mark
cat > /scenario/systemctl <<'F'
#!/bin/bash
S=/var/lib/stand-in
verb=$1; shift; while [ "${1#-}" != "$1" ]; do shift; done; u=${1%%.service}
case $verb in
is-active) [ -e "$S/running/$u" ] && { echo active; exit 0; }; echo inactive; exit 3;;
is-enabled) [ -e "$S/enabled/$u" ] && { echo enabled; exit 0; }; echo disabled; exit 1;;
show) echo NeedDaemonReload=no;;
cat|list-unit-files) exit 0;;
--version) echo systemd 252;;
*) echo "systemctl $verb $u" >> $S/commands
  case $verb in start|restart|reload-or-restart) touch $S/running/$u;; stop) rm -f $S/running/$u;; enable) touch $S/enabled/$u;; disable|mask) rm -f $S/enabled/$u;; esac;;
esac
exit 0
F
chmod 755 /scenario/{dpkg-query,apt-get,apt-cache,apt-mark,systemctl}
for p in dpkg-query apt-get apt-cache apt-mark systemctl; do touch /usr/bin/$p; mount --bind /scenario/$p /usr/bin/$p || kill -9 $$; done
echo systemd > /scenario/comm; mount --bind /scenario/comm /proc/1/comm
mount -t tmpfs tmpfs /run; mkdir -p /run/systemd/system /run/lock
"""
REAL = """
printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
mkdir -p /var/cache/apt/archives; mount --bind %(archives)s /var/cache/apt/archives
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true"; APT::Keep-Downloaded-Packages "true";' > /etc/apt/apt.conf.d/99keep; rm -f /etc/apt/apt.conf.d/docker-clean
mount -t tmpfs tmpfs /run; mkdir -p /run/lock
[ -n "$(ls /var/lib/apt/lists/*_Packages* 2>/dev/null)" ] || apt-get update
export DEBIAN_FRONTEND=noninteractive
"""


def options_of(manifest):
    out = {}
    for line in manifest.read_text().splitlines():
        m = re.match(r"# (modules|packages|order|real|again): (.*)", line)
        if not m:
            break
        out[m[1]] = m[2]
    return out


class Machine:
    """One fresh machine: `run` runs shell text in it, `layer` tells what was written."""

    def __init__(self, top, archives=None, isolated=False):
        self.top = top
        top.mkdir(parents=True)
        # What depends on the machine below, and what Facter and pupc find out by different means, is the same everywhere.
        facts = {"FACTER_virtual": "kvm", "FACTER_is_virtual": "true"}
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **facts, "HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb", "PUPC_PUPPET_PLACES": "aio"}
        self.shell = subprocess.Popen(["unshare", "-m", "-p", "-u", "-f"] + (["-n"] if isolated else []) + ["--propagation", "private", "/bin/bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True, env=environment, cwd="/")
        accounts = top.parent / f"{top.name}-accounts"
        accounts.mkdir()
        for name, text in throwaway_root.ACCOUNTS.items():
            (accounts / name).write_text(text)
            (accounts / name).chmod(0o640 if "shadow" in name else 0o644)
        # `real` needs the machine's own accounts and sources of packages.
        strip = "true" if archives else f"""rm -rf etc/apt {' '.join(BARE)} && mkdir -p etc/apt/apt.conf.d etc/apt/preferences.d etc/apt/sources.list.d etc/apt/trusted.gpg.d &&
            rm -f etc/nsswitch.conf && cp -a {accounts}/. etc/"""
        self.works = self.run(f"""cd {top} && mount -t tmpfs tmpfs {top} && cd {top} && mkdir below below_work upper work root &&
            mount -t overlay overlay -o lowerdir=/,upperdir=below,workdir=below_work root && (cd root && {strip}) && umount root &&
            mount -t overlay overlay -o lowerdir=below:/,upperdir=upper,workdir=work root && mount -t proc proc root/proc && mount --rbind /dev root/dev &&
            mount --rbind /sys root/sys && mount --bind /etc/resolv.conf root/etc/resolv.conf && mkdir root/scenario""") == 0
        if archives:
            self.run(f"mkdir -p root{archives} && mount --bind {archives} root{archives}")
        self.write("exec chroot root /bin/bash\n")
        self.run("hostname web1.example.com; umask 022; cd /; mount -t tmpfs tmpfs /tmp; chmod 1777 /tmp")

    def write(self, text):
        with contextlib.suppress(BrokenPipeError):  # no shell where the namespace was refused: run() then answers -1
            self.shell.stdin.write(text)
            self.shell.stdin.flush()

    def run(self, text):
        """Shell text; its exit code."""
        self.write(f"{{ {text}\n}} </dev/null >/dev/null 2>&1\necho $?\n")
        answer = self.shell.stdout.readline().strip()
        return int(answer) if answer else -1

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.shell.stdin.close()
        try:
            self.shell.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.shell.kill()
            self.shell.wait()

    def inside(self, path):
        return pathlib.Path(f"/proc/{self.shell.pid}/root{self.top}/root{path}")

    def put(self, path, text):
        self.inside(path).write_text(text)

    def layer(self):
        """path -> 'mode owner:group content' of all that the layer has; None for what is gone."""
        base = pathlib.Path(f"/proc/{self.shell.pid}/root{self.top}/upper")
        out = {}
        for directory, names, files in os.walk(base):
            relative = os.path.relpath(directory, base)
            names[:] = sorted(n for n in names if not SKIP.search(os.path.normpath(os.path.join(relative, n))))
            for name in names + sorted(files):
                key = os.path.normpath(os.path.join(relative, name))
                if SKIP.search(key):
                    continue
                path = pathlib.Path(directory) / name
                s = path.lstat()
                if stat.S_ISCHR(s.st_mode) and s.st_rdev == 0:
                    out[key] = None
                    continue
                out[key] = f"{stat.filemode(s.st_mode)} {s.st_uid}:{s.st_gid}"
                if stat.S_ISLNK(s.st_mode):
                    out[key] += " -> " + os.readlink(path)
                elif stat.S_ISREG(s.st_mode) and not ONLY_STATUS.search(key) or key.startswith("var/lib/stand-in"):
                    if stat.S_ISREG(s.st_mode):
                        out[key] += " " + path.read_bytes().decode("utf-8", "backslashreplace")
        return out


def log_lines(text, free):
    lines = []
    for line in text.splitlines():
        if not provider_scenarios.LOG.match(line) or re.search(r"Compiled catalog|Applied catalog|Facter|deprecat|^Warning: Undefined variable|^Warning: Could not retrieve either serverip", line):
            continue
        line = re.sub(r"20\d{6}-\d+-\w+(\.lock)?|\.pupc-\d+", "", line)
        line = re.sub(r" @ \w+ - ", " - ", line)
        if not (line.startswith("Error: ") and line in lines):  # Puppet logs one once per exception around it
            lines.append(line)
    if os.environ.get("SHOW"):
        print(text)
    return sorted(lines) if free else lines


def command(who, pupc, extra=""):
    words = f"--modulepath /scenario/modules --detailed-exitcodes --vardir /scenario/var {extra}"
    if who == "reference":
        return f"puppet apply --color=false --confdir /scenario/conf {words} /scenario/case.pp"
    return f"{pupc} apply --legacy-facts --no-strict-variables --strict warning {words} /scenario/case.pp"


def prepared(case, top, pupc, archives):
    manifest = CASES / f"{case}.pp"
    options = options_of(manifest)
    machine = Machine(top, archives)
    machine.inside("/scenario/modules").mkdir()
    for module in ["stdlib"] + options.get("modules", case).split():
        machine.inside(f"/scenario/modules/{module}").symlink_to(MODULES / module)
    shutil.copy(pupc, machine.inside("/scenario/pupc"))
    machine.put("/scenario/case.pp", manifest.read_text())
    machine.put("/scenario/prepare", REAL % {"archives": archives} if archives else STAND_INS % {"packages": options.get("packages", "")})
    machine.run("source /scenario/prepare")
    script = manifest.with_suffix(".sh")
    if script.exists():
        machine.put("/scenario/case.sh", script.read_text())
        machine.run(f"REAL={'yes' if archives else ''} bash -e /scenario/case.sh")
    return machine, options


def judge(who, case, top, pupc, archives):
    machine, options = prepared(case, top, pupc, archives)
    out = {"exit": [], "log": [], "layer": []}
    try:
        for n in (1, 2):
            out["exit"].append(machine.run(f"{command(who, '/scenario/pupc')} >/scenario/log{n} 2>&1"))
            out["log"].append(log_lines(machine.inside(f"/scenario/log{n}").read_text(errors="replace"), options.get("order") == "free" or bool(archives)))
            out["layer"].append(machine.layer())
    finally:
        machine.close()
    first, second = out["layer"]
    out["layer"][1] = {k: second.get(k) for k in sorted(set(first) | set(second)) if first.get(k, "") != second.get(k, "")}
    return out


def noop_problems(case, top, pupc, archives):
    machine, _ = prepared(case, top, pupc, archives)
    try:
        before = machine.layer()
        code = machine.run(f"{command('pupc', '/scenario/pupc', '--noop')} >/scenario/log 2>&1")
        after = machine.layer()
    finally:
        machine.close()
    problems = [f"--noop changed {name}" for name in sorted(set(before) | set(after)) if before.get(name, "") != after.get(name, "")]
    return problems + ([f"--noop: exit {code}"] if code else [])


def differences(want, got):
    shown = dict(want), dict(got)
    for one in shown:
        one["tree"] = [{k: v if v is not None else "gone" for k, v in layer.items()} for layer in one["layer"]]
    return provider_scenarios.differences(*shown)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("golden", "live", "update", "real"):
        sys.exit(__doc__)
    mode, pupc = sys.argv[1], os.path.abspath(sys.argv[2])
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("skipped: only root can put a layer over the machine's files")
        return 77
    if mode != "golden" and not shutil.which("puppet"):
        print("skipped: Puppet is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory(dir="/tmp") as tmp:
        top = pathlib.Path(tmp)
        trial = Machine(top / "trial")
        trial.close()
        if not trial.works:
            print("skipped: no overlayfs in a namespace of its own is permitted here")
            return 77
        archives = None
        if mode == "real":
            archives = str(top / "archives")
            os.makedirs(archives + "/partial")
        for case in sys.argv[3:] or sorted(p.stem for p in CASES.glob("*.pp")):
            options = options_of(CASES / f"{case}.pp")
            missing = [m for m in ["stdlib"] + options.get("modules", case).split() if not (MODULES / m).exists()]
            if missing:
                print(f"{case}: left out, it needs Debian's module {missing[0]}")
                continue
            if mode == "real" and options.get("real", "").startswith("no"):
                continue
            stored = CASES / f"{case}.expected.json"
            want = judge("reference", case, top / f"{case}-reference", pupc, archives) if mode != "golden" else None
            if mode == "update":
                stored.write_text(json.dumps(want, indent=1, sort_keys=True) + "\n")
            if want is None:
                want = json.loads(stored.read_text())
            got = judge("pupc", case, top / f"{case}-pupc", pupc, archives)
            problems = differences(want, got) + noop_problems(case, top / f"{case}-noop", pupc, archives)
            if want["exit"][1] != int(options.get("again", "0").split(",")[0]):
                problems.append(f"Puppet's second run: exit {want['exit'][1]}")
            changed = len([line for line in want["log"][0] if line.startswith("Notice: /Stage")])
            print(f"{case}: {changed} changes, {len(want['layer'][0])} files: {'same' if not problems else f'{len(problems)} differences'}", flush=True)
            for p in problems:
                print("  " + p[:int(os.environ.get("WIDTH", 2000))])
            failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
