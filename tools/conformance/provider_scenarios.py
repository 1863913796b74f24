#!/usr/bin/env python3
"""Manifests that change users, files of /etc, crontabs and more, applied in a throw-away root (throwaway_root.py).

    provider_scenarios.py golden PUPC [NAME…]   pupc against the answers stored in testdata/providers/*.expected.json; needs no Puppet
    provider_scenarios.py live PUPC [NAME…]     pupc against Puppet, now
    provider_scenarios.py update PUPC [NAME…]   stores Puppet's answers

NAME.pp is the manifest, NAME.sh prepares the root. Comment lines at the top of the manifest may say
  # args: words for both commands             # environment: NAME=VALUE … for both commands; %{work} is the directory of the scenario
  # needs: mount modules git augeas openstack http apt cc (what the root or the machine must have, else the scenario is left out)
  # pinned: why                               the answer is pupc's own, written by update and read by people: Puppet lacks it or we are better
  # order: free                               log lines are compared without their order, where Puppet's depends on its run
  # noop: changes                             leave out the check that --noop changes nothing
Compared: exit codes (--detailed-exitcodes) and log lines of two runs, and the files with content, owner and mode that differ from the fresh root
after each. With --noop pupc must leave a fresh root as it is. Exit 77 (skipped) when no throw-away root is permitted.
"""
import difflib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import throwaway_root  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "testdata" / "providers"
LOG = re.compile(r"^(Notice|Error|Warning|Info): ")
# Of Puppet's own running, not of the catalog.
NOISE = re.compile(r"Compiled catalog|Applied catalog|Facter|deprecat|environ")


def options_of(manifest):
    out = {}
    for line in manifest.read_text().splitlines():
        m = re.match(r"# (args|environment|needs|pinned|order|noop): (.*)", line)
        if not m:
            break
        out[m[1]] = m[2]
    return out


def log_lines(root, name, free):
    text = (root.work / name).read_text(errors="replace").replace(root.inner, "%{work}")
    if hasattr(http_port, "server"):
        text = text.replace(":" + http_port(), ":HTTPPORT")
    text = re.sub(r"\{mtime\}[-0-9:+ UTC]+", "{mtime}TIME", text)
    lines = []
    for line in text.splitlines():
        if not LOG.match(line) or NOISE.search(line):
            continue
        line = re.sub(r"/tmp/\.pupc-[0-9a-f]{16}/(\S+)", r"/tmp/\1_", line)  # a directory of its own for each download
        # Puppet names its temporary file and the C function; it logs an error once per exception around it.
        line = re.sub(r"20\d{6}-\d+-\w+(\.lock)?|\.pupc-\d+", "", line)
        line = re.sub(r" @ \w+ - \((/[^,)]+), (/[^)]+)\)", r" - \2", line)
        line = re.sub(r" @ \w+ - ", " - ", line)
        if not (line.startswith("Error: ") and line in lines) and line not in lines[-1:]:
            lines.append(line)
    return sorted(lines) if free else lines


def command(who, root, options, extra=""):
    words = f"--modulepath {root.inner}/modules --detailed-exitcodes {options.get('args', '')} {extra}"
    environment = options.get("environment", "").replace("%{work}", root.inner)
    if environment:
        environment = f"env {environment} "
    if who == "reference":
        return f"{environment}puppet apply --color=false {words} --vardir {root.inner}/var --confdir {root.inner}/conf {root.inner}/case.pp"
    return f"{environment}{root.pupc} apply {words} --vardir {root.inner}/var {root.inner}/case.pp"


class Pages(http.server.BaseHTTPRequestHandler):
    """What scenarios that need http fetch; HTTPPORT in their manifests is its port."""
    PAGES = {
        "/sha": (200, b"abc\n", {"X-Checksum-Sha256": "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb"}),
        "/md5": (200, b"abc\n", {"Content-MD5": "C+6JsHokjifIP8PVlRITwQ=="}),
        "/wrong": (200, b"abc\n", {"Content-MD5": "C+5gCOCj7ONG1EfNPpMn9w=="}),
        "/old": (200, b"old\n", {"Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        "/new": (200, b"new\n", {"Last-Modified": "Wed, 21 Oct 2065 07:28:00 GMT"}),
        "/redirect": (302, b"", {"Location": "/sha"}),
        "/fails": (500, b"broken", {"X-Checksum-Sha256": "00"}),
    }

    def answer(self, head):
        status, body, headers = self.PAGES.get(self.path, (404, b"no such page", {}))
        if self.path == "/fails" and head:
            status = 200
        if self.path == "/nohead":
            status, body, headers = (405, b"", {}) if head else self.PAGES["/sha"]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not head:
            self.wfile.write(body)

    def do_HEAD(self):  # noqa: N802, the name is the library's
        self.answer(True)

    def do_GET(self):  # noqa: N802
        self.answer(False)

    def log_message(self, *_):
        pass


def http_port():
    """Port of the pages, served from the first need to the end of the process."""
    if not hasattr(http_port, "server"):
        http_port.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=http_port.server.serve_forever, daemon=True).start()
    return str(http_port.server.server_port)


def fill_in(root, options):
    if "http" in options.get("needs", "").split():
        case = root.work / "case.pp"
        case.write_text(case.read_text().replace("HTTPPORT", http_port()))


def more_modules(options):
    return throwaway_root.OPENSTACK_MODULES if "openstack" in options.get("needs", "").split() else ()


def judge(who, case, top, how, pupc):
    manifest = CASES / f"{case}.pp"
    options = options_of(manifest)
    root = throwaway_root.Root(top, how, pupc, [p for p in (manifest, manifest.with_suffix(".sh")) if p.exists()], more_modules(options))
    fill_in(root, options)
    out = {"exit": [], "log": [], "tree": []}
    try:
        if manifest.with_suffix(".sh").exists():
            root.run(f"bash {root.inner}/case.sh")
        for n in (1, 2):
            out["exit"].append(root.run(f"{command(who, root, options)} >{root.inner}/log{n} 2>&1"))
            out["log"].append(log_lines(root, f"log{n}", options.get("order") == "free"))
            out["tree"].append(root.tree())
    finally:
        root.close()
    # Most second runs change nothing; only what they change is worth a place.
    out["tree"][1] = {k: v for k, v in out["tree"][1].items() if k not in out["tree"][0] or out["tree"][0][k] != v}
    return out


def noop_problems(case, top, how, pupc):
    manifest = CASES / f"{case}.pp"
    options = options_of(manifest)
    if options.get("noop") == "changes":
        return []
    root = throwaway_root.Root(top, how, pupc, [p for p in (manifest, manifest.with_suffix(".sh")) if p.exists()], more_modules(options))
    fill_in(root, options)
    try:
        if manifest.with_suffix(".sh").exists():
            root.run(f"bash {root.inner}/case.sh")
        before = root.tree()
        code = root.run(f"{command('pupc', root, options, '--noop')} >{root.inner}/log 2>&1")
        after = root.tree()
    finally:
        root.close()
    problems = [f"--noop changed {name}" for name in sorted(set(before) | set(after)) if before.get(name) != after.get(name)]
    if code & 2:
        problems.append(f"--noop: exit {code}")
    return problems


def differences(want, got):
    problems = []
    for n in (0, 1):
        if want["exit"][n] != got["exit"][n]:
            problems.append(f"exit of run {n + 1}: {got['exit'][n]}, want {want['exit'][n]}")
        problems += [f"log of run {n + 1}: {line}" for line in difflib.unified_diff(want["log"][n], got["log"][n], "want", "pupc", lineterm="", n=0)]
        a, b = want["tree"][n], got["tree"][n]
        problems += [f"run {n + 1}: {name}: {b.get(name, 'as before')!r}, want {a.get(name, 'as before')!r}" for name in sorted(set(a) | set(b))
                     if a.get(name, "") != b.get(name, "")]
    return problems


def sanitized(pupc):
    """Whether the program was built with a sanitizer: such a build loads no libaugeas and no libselinux (runtime/sys/shared_library.h)."""
    libraries = subprocess.run(["ldd", pupc], capture_output=True, text=True, check=False).stdout
    return "libasan" in libraries or "libtsan" in libraries


def lacking(options, how, pupc):
    needs = options.get("needs", "").split()
    if ("augeas" in needs or "cc" in needs) and sanitized(pupc):
        return "a build without sanitizers"
    if "mount" in needs and how != "mount":
        return "a mount namespace"
    if "modules" in needs and not (throwaway_root.MODULES / "stdlib").exists():
        return f"Debian's modules in {throwaway_root.MODULES}"
    if "augeas" in needs and (how != "mount" or not throwaway_root.LENSES.exists()):
        return "libaugeas and its lenses"
    if "openstack" in needs and not all((throwaway_root.MODULES / m).exists() for m in throwaway_root.OPENSTACK_MODULES):
        return "the modules of OpenStack"
    if "apt" in needs and not all(os.path.exists(f"/usr/bin/{p}") for p in ("apt-get", "apt-cache", "apt-mark", "dpkg", "dpkg-query", "debconf-set-selections")):
        return "apt and dpkg, to put others in their place"
    if "cc" in needs and not shutil.which("cc"):
        return "a C compiler"
    if "git" in needs and not shutil.which("git"):
        return "git"
    return ""


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("golden", "live", "update"):
        sys.exit(__doc__)
    mode, pupc = sys.argv[1], os.path.abspath(sys.argv[2])
    how, reason = throwaway_root.kind()
    if how is None:
        print(f"skipped: {reason}")
        return 77
    if mode != "golden" and not shutil.which("puppet"):
        print("skipped: Puppet is not installed")
        return 77
    names = sys.argv[3:] or sorted(p.stem for p in CASES.glob("*.pp"))
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        top = pathlib.Path(tmp)
        top.chmod(0o755)
        for case in names:
            options = options_of(CASES / f"{case}.pp")
            stored = CASES / f"{case}.expected.json"
            if missing := lacking(options, how, pupc):
                print(f"{case}: left out, it needs {missing}")
                continue
            reference = mode != "golden" and "pinned" not in options
            want = judge("reference", case, top / f"{case}-reference", how, pupc) if reference else None
            got = judge("pupc", case, top / f"{case}-pupc", how, pupc)
            if mode == "update":
                stored.write_text(json.dumps(want or got, indent=1, sort_keys=True) + "\n")
            if want is None:
                if not stored.exists():
                    print(f"{case}: no stored answer")
                    failed += 1
                    continue
                want = json.loads(stored.read_text())
            problems = differences(want, got) + noop_problems(case, top / f"{case}-noop", how, pupc)
            resources = len(re.findall(r"^\w+ \{ ", (CASES / f"{case}.pp").read_text(), re.M))
            print(f"{case}: {resources} resources: {'same' if not problems else f'{len(problems)} differences'}", flush=True)
            for p in problems:
                print("  " + p)
            failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
