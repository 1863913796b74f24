#!/usr/bin/env python3
"""The Debian package is built and works where nothing of the build is: its files, what it depends on, the program, manual pages, completions, the service
of its timer. (container_test.py installs it in a fresh Debian with apt.)

    package_test.py BUILD_FOLDER

lintian's tags are all errors but those named in ALLOWED, each with its reason. The service runs in a root of its own with chroot, as root only. Exit code
77: a tool that is needed is not there.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from package_tools import add_libraries, add_programs, may_chroot, run, test_main

ALLOWED = {
    "bogus-mail-host": "the project has no address of its own yet",
    "bogus-mail-host-in-debian-changelog": "the same",
    "embedded-library": "libraries are linked statically on purpose: each shared one costs a part of every start",
    "uses-dpkg-database-directly": "the package provider looks who holds dpkg's lock and waits, as apt does; it opens nothing there",
    "initial-upload-closes-no-bugs": "the package is not meant for Debian's archive",
}
UNITS = "usr/lib/systemd/system"
# What zsh is offered for the words after the folder of completions: the functions of its completion system print their words.
ZSH = """
compadd() { print -rl -- "$@" }
_describe() { print -rl -- ${(P)2} }
_arguments() { print -rl -- "$@" }
_files() { }
service=$2 words=("${@:2}") CURRENT=$(($# - 1))
fpath=($1 $fpath); autoload -Uz _pupc; _pupc
"""


def build_package(build, out):
    run("cmake", "--build", build, "--target", "pupc", "manual")
    run("cpack", "-G", "DEB", "-B", out, cwd=build)
    return next(out.glob("*.deb"))


def check_files(package):
    listing = run("dpkg-deb", "-c", package)
    for wanted in ("usr/bin/pupc", "usr/share/man/man1/pupc-compile.1.gz", "usr/share/bash-completion/completions/pupc",
                   "usr/share/zsh/vendor-completions/_pupc", "usr/share/fish/vendor_completions.d/pupc.fish", f"{UNITS}/pupc-apply.service",
                   f"{UNITS}/pupc-apply.timer", "usr/share/doc/pupc/copyright", "usr/share/doc/pupc/changelog.Debian.gz"):
        assert wanted in listing, f"{wanted} is not in the package:\n{listing}"
    assert not re.search(r"^\S+w\S* root/root .*(/include/|\.a$)", listing, re.M), "the package holds files of the build"
    depends = run("dpkg-deb", "-f", package, "Depends")
    assert "libc6" in depends and "ruby" not in depends, depends
    recommends = run("dpkg-deb", "-f", package, "Recommends")
    assert "ruby" in recommends, recommends
    assert "libstdc++" not in depends and "libfmt" not in depends, f"shared libraries came back: {depends}"


def check_program(root):
    catalog = run(root / "usr/bin/pupc", "compile", "-e", "notify { 'from the package': }")
    assert "from the package" in catalog, catalog


def check_manual(root):
    """Every page formats without a warning, of groff and, where it is installed, of mandoc."""
    pages = sorted((root / "usr/share/man/man1").glob("*.gz"))
    assert len(pages) > 10, pages
    for page in pages:
        if shutil.which("groff"):
            said = run("sh", "-c", f"zcat {page} | groff -Kutf8 -man -Tutf8 -ww 2>&1 >/dev/null")
            assert not said, f"{page.name}: {said}"
        if shutil.which("mandoc"):
            # The pages tell no date: they belong to the version that they name.
            said = run("sh", "-c", f"zcat {page} | mandoc -Tlint -Wwarning | grep -v 'missing date' || true")
            assert not said, f"{page.name}: {said}"
    text = run("sh", "-c", f"zcat {root / 'usr/share/man/man1/pupc-ast.1.gz'}")
    for part in (".SH SYNOPSIS", "\nPrints the tree of a manifest", ".SH OPTIONS", ".SH EXAMPLES", ".SH EXIT STATUS"):
        assert part in text, f"pupc-ast.1 lacks {part!r}:\n{text}"


def check_completions(root):
    bash = root / "usr/share/bash-completion/completions/pupc"
    puppet = root / "usr/share/bash-completion/completions/puppet"
    for words, wanted in (("puppet par", "parser"), ("puppet parser val", "validate")):
        said = run("bash", "-c", f"source {puppet}; COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _pupc_puppet; echo $COMPREPLY")
        assert said.strip() == wanted, f"bash completes {words!r} to {said!r}"
    for words, wanted in (("pupc val", "validate"), ("pupc apply --noo", "--noop")):
        said = run("bash", "-c", f"source {bash}; COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _pupc; echo $COMPREPLY")
        assert said.strip() == wanted, f"bash completes {words!r} to {said!r}"
    if shutil.which("zsh"):
        run("zsh", "-n", root / "usr/share/zsh/vendor-completions/_pupc")
        for words, wanted in (("pupc val", "validate"), ("pupc apply --noo", "*--noop"), ("puppet par", "parser"), ("puppet parser val", "validate")):
            said = run("zsh", "-fc", ZSH, "zsh", root / "usr/share/zsh/vendor-completions", *words.split())
            assert wanted in [re.split(r"[:\[]", line)[0] for line in said.splitlines()], f"zsh completes {words!r} to {said!r}"
    if shutil.which("fish"):
        fish = root / "usr/share/fish/vendor_completions.d/pupc.fish"
        home = {**os.environ, "HOME": str(root), "XDG_CONFIG_HOME": str(root), "XDG_DATA_HOME": str(root)}
        for words, wanted in (("pupc val", "validate"), ("pupc apply --noo", "--noop"), ("puppet parser val", "validate")):
            said = run("fish", "-c", f"source {fish}; complete -C '{words}'", env=home)
            assert wanted in [line.split("\t")[0] for line in said.splitlines()], f"fish completes {words!r} to {said!r}"


def check_scripts(package, work):
    """Purging removes what runs have kept, and nothing else does; without systemd the scripts do nothing."""
    control = work / "control"
    run("dpkg-deb", "-e", package, control)
    for name in ("postinst", "prerm", "postrm"):
        run("sh", "-n", control / name)
        assert (control / name).stat().st_mode & 0o111, name
    if not may_chroot():
        print("chroot is not permitted: the scripts were not run")
        return
    root = work / "scripts"
    kept = root / "var/lib/pupc/state"
    kept.mkdir(parents=True)
    (root / "control").mkdir()
    for name in ("postinst", "prerm", "postrm"):
        shutil.copy(control / name, root / "control")
    add_programs(root, "sh", "rm")
    shell = "/" + str(pathlib.Path(shutil.which("sh")).relative_to("/"))
    for name, word in (("postinst", "configure"), ("prerm", "remove"), ("postrm", "remove"), ("postrm", "upgrade")):
        run("chroot", root, shell, f"/control/{name}", word)
        assert kept.exists(), f"{name} {word} removed the state"
    run("chroot", root, shell, "/control/postrm", "purge")
    assert not kept.parent.exists() and kept.parent.parent.exists()


def check_lintian(package):
    if not shutil.which("lintian"):
        print("lintian is not installed: not run")
        return
    said = subprocess.run(["lintian", "--tag-display-limit", "0", str(package)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    bad = [line for line in said.splitlines() if (m := re.match(r"[EW]: \S+: (\S+)", line)) and m[1] not in ALLOWED]
    assert not bad, "\n".join(bad)


def check_units(root):
    """systemd takes the units, and the program that they start is in the package."""
    if not shutil.which("systemd-analyze"):
        print("systemd-analyze is not installed: units not verified")
        return
    system = root / UNITS
    run("sh", "-c", f"cp -a /{UNITS}/*.target /{UNITS}/*.slice {system}")
    said = run("systemd-analyze", "verify", f"--root={root}", "--man=no", "pupc-apply.timer", "pupc-apply.service")
    assert not said, said
    text = (system / "pupc-apply.service").read_text() + (system / "pupc-apply.timer").read_text()
    for page in re.findall(r"^Documentation=man:(\S+)\((\d)\)", text, re.M):
        assert (root / f"usr/share/man/man{page[1]}/{page[0]}.{page[1]}.gz").exists(), f"there is no manual page {page}"


def service_command(root):
    """The words that systemd would start, as the unit, its variables and its files of variables say."""
    unit = (root / UNITS / "pupc-apply.service").read_text()
    values = {}
    for setting in re.findall(r"^Environment=(.*)$", unit, re.M):
        values.update(word.split("=", 1) for word in shlex.split(setting))
    for path in re.findall(r"^EnvironmentFile=-(.*)$", unit, re.M):
        if (root / path.lstrip("/")).exists():
            values.update(shlex.split(line)[0].split("=", 1) for line in (root / path.lstrip("/")).read_text().splitlines() if "=" in line)
    out = []
    for word in shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M)[1]):
        out += shlex.split(values[word[1:]]) if word.startswith("$") else [word]
    return out, int(re.search(r"^SuccessExitStatus=(\d+)$", unit, re.M)[1])


def check_service(root):
    """What the timer starts brings the root into the state that its environment describes, and leaves it alone the next time."""
    if not may_chroot():
        print("chroot is not permitted: the service was not run")
        return
    add_libraries(root, "usr/bin/pupc")
    for folder in ("etc", "tmp", "var/lib", "dev", "proc"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    manifests = root / "etc/puppetlabs/code/environments/production/manifests"
    manifests.mkdir(parents=True)
    (manifests / "site.pp").write_text("file { '/etc/made-by-the-timer': content => \"here\\n\" }\n")
    words, changed = service_command(root)
    run("chroot", root, *words, code=changed)
    assert (root / "etc/made-by-the-timer").read_text() == "here\n"
    run("chroot", root, *words)
    # An administrator's own options.
    (root / "etc/default").mkdir()
    (root / "etc/default/pupc").write_text('PUPC_OPTIONS="--noop --environmentpath /etc/puppetlabs/code/environments"\n')
    (root / "etc/made-by-the-timer").write_text("changed\n")
    words, _ = service_command(root)
    run("chroot", root, *words)
    assert (root / "etc/made-by-the-timer").read_text() == "changed\n"


def test(build, work):
    package = build_package(build, work / "packages")
    check_files(package)
    root = work / "root"
    run("dpkg-deb", "-x", package, root)
    check_program(root)
    check_manual(root)
    check_completions(root)
    check_scripts(package, work)
    check_lintian(package)
    check_units(root)
    check_service(root)
    return f"{package.name}: {package.stat().st_size // 1024} kB"


if __name__ == "__main__":
    sys.exit(test_main(__doc__, ("dpkg-deb", "dpkg-shlibdeps", "cpack"), test))
