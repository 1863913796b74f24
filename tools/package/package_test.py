#!/usr/bin/env python3
"""The Debian package is built and works where nothing of the build is.

    package_test.py BUILD_FOLDER            builds it, checks its files and what it depends on, runs what is in it
    package_test.py BUILD_FOLDER --root     the same in a fresh minimal Debian (debootstrap, as root, a few hundred MB of packages):
                                            apt installs the file there and a catalog is compiled

lintian's tags are all errors but those named in ALLOWED, each with its reason. Exit code 77: a tool that is needed is not there.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ALLOWED = {
    "bogus-mail-host": "the project has no address of its own yet",
    "bogus-mail-host-in-debian-changelog": "the same",
    "embedded-library": "libraries are linked statically on purpose: each shared one costs a part of every start",
    "initial-upload-closes-no-bugs": "the package is not meant for Debian's archive",
}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout.decode()


def build_package(build, out):
    run("cmake", "--build", build, "--target", "pupc", "manual")
    run("cpack", "-G", "DEB", "-B", out, cwd=build)
    return next(pathlib.Path(out).glob("*.deb"))


def check_files(package):
    listing = run("dpkg-deb", "-c", package)
    for wanted in ("usr/bin/pupc", "usr/share/man/man1/pupc-compile.1.gz", "usr/share/bash-completion/completions/pupc",
                   "usr/share/zsh/vendor-completions/_pupc", "usr/share/fish/vendor_completions.d/pupc.fish",
                   "lib/systemd/system/pupc-apply.timer", "usr/share/doc/pupc/copyright", "usr/share/doc/pupc/changelog.Debian.gz"):
        assert wanted in listing, f"{wanted} is not in the package:\n{listing}"
    assert not re.search(r"^\S+w\S* root/root .*(/include/|\.a$)", listing, re.M), "the package holds files of the build"
    depends = run("dpkg-deb", "-f", package, "Depends")
    assert "libc6" in depends and "ruby" not in depends, depends
    assert "libstdc++" not in depends and "libfmt" not in depends, f"shared libraries came back: {depends}"


def check_program(package, root):
    run("dpkg-deb", "-x", package, root)
    pupc = root / "usr/bin/pupc"
    catalog = run(pupc, "compile", "-e", "notify { 'from the package': }")
    assert "from the package" in catalog, catalog
    for page in sorted((root / "usr/share/man/man1").glob("*.gz")):
        if shutil.which("groff"):
            said = subprocess.run(f"zcat {page} | groff -Kutf8 -man -Tutf8 -ww >/dev/null", shell=True, stderr=subprocess.PIPE).stderr.decode()
            assert not said, f"{page.name}: {said}"
    words = run("bash", "-c", f"source {root}/usr/share/bash-completion/completions/pupc; COMP_WORDS=(pupc val); COMP_CWORD=1; _pupc; echo $COMPREPLY")
    assert words.strip() == "validate", words
    words = run("bash", "-c", f"source {root}/usr/share/bash-completion/completions/pupc; COMP_WORDS=(pupc apply --noo); COMP_CWORD=2; _pupc; echo $COMPREPLY")
    assert words.strip() == "--noop", words


def check_lintian(package):
    if not shutil.which("lintian"):
        print("lintian is not installed: not run")
        return
    said = subprocess.run(["lintian", "--tag-display-limit", "0", str(package)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    bad = [line for line in said.splitlines() if (m := re.match(r"[EW]: \S+: (\S+)", line)) and m[1] not in ALLOWED]
    assert not bad, "\n".join(bad)


def check_root(package, work):
    root = work / "debian"
    run("debootstrap", "--variant=minbase", "bookworm", root)
    shutil.copy(package, root / "tmp")
    run("chroot", root, "apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")
    assert "libstdc++-12-dev" not in run("chroot", root, "dpkg", "-l")
    assert "from the root" in run("chroot", root, "pupc", "compile", "-e", "notify { 'from the root': }")
    run("chroot", root, "apt-get", "purge", "-y", "pupc")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--root", action="store_true")
    arguments = parser.parse_args()
    if not all(shutil.which(tool) for tool in ("dpkg-deb", "dpkg-shlibdeps", "cpack")):
        print("dpkg-dev or cpack is not installed")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        try:
            package = build_package(arguments.build, work / "packages")
            check_files(package)
            check_program(package, work / "files")
            check_lintian(package)
            if arguments.root:
                check_root(package, work)
        except subprocess.CalledProcessError as error:
            print(f"{error}\n{error.stdout.decode(errors='replace')[-4000:]}")
            return 1
        except AssertionError as error:
            print(error)
            return 1
        print(f"{package.name}: {package.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
