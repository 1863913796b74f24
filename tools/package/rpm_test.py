#!/usr/bin/env python3
"""The rpm is built by its spec, and what it installs in an empty root works there: rpm's own test of the files, a compile, removal.

    rpm_test.py BUILD_FOLDER

pupc is not compiled again: the spec's macros of Fedora, which Debian's rpm lacks, stand for the build folder here. Installing needs root. Exit code 77: rpmbuild
is not there, or this is not root.
"""
import pathlib
import re
import subprocess
import sys
import tarfile

from package_tools import SKIPPED, SOURCE, add_libraries, may_chroot, run, test_main

SPEC = SOURCE / "tools/package/pupc.spec"


def build_rpm(build, top):
    run("cmake", "--build", build, "--target", "pupc", "manual")
    version = re.search(r"^Version:\s*(\S+)", SPEC.read_text(), re.M)[1]
    (top / "SOURCES").mkdir(parents=True)
    with tarfile.open(top / f"SOURCES/pupc-{version}.tar.gz", "w:gz") as tar:
        for name in ("LICENSE", "README.md", "tools/package/CHANGELOG.md"):
            tar.add(SOURCE / name, f"pupc-{version}/{name}")
    macros = {
        "_topdir": top, "_unitdir": "/usr/lib/systemd/system", "cmake": "true", "cmake_build": "true", "cmake_install": f"DESTDIR=%{{buildroot}} cmake --install {build} --prefix /usr",
        "autosetup": "%setup -q", "debug_package": "%{nil}", "systemd_post()": "true", "systemd_preun()": "true", "systemd_postun()": "true", "_docdir_fmt": "%{NAME}",
    }
    words = [word for name, value in macros.items() for word in ("--define", f"{name} {value}")]
    out = run("rpmbuild", "-bb", "--nodeps", *words, SPEC)
    # Debian's rpm warns of nothing else.
    warnings = [line for line in out.splitlines() if re.match(r"\s*(warning|error):", line) and "Could not canonicalize hostname" not in line]
    assert not warnings, "\n".join(warnings)
    return next((top / "RPMS").glob("*/*.rpm"))


def check_package(package):
    files = run("rpm", "-qpl", package).splitlines()
    for wanted in ("/usr/bin/pupc", "/usr/share/man/man1/pupc-compile.1.gz", "/usr/share/bash-completion/completions/pupc", "/usr/share/bash-completion/completions/puppet", "/usr/share/zsh/site-functions/_pupc",
                   "/usr/share/fish/vendor_completions.d/pupc.fish", "/usr/lib/systemd/system/pupc-apply.timer", "/usr/share/doc/pupc/README.md",
                   "/usr/share/licenses/pupc/LICENSE"):
        assert wanted in files, f"{wanted} is not in the package:\n" + "\n".join(files)
    assert not any("Debian" in name for name in files), "what only Debian wants is in the package"
    requires = run("rpm", "-qpR", package)
    assert "libc.so.6" in requires and "libstdc++" not in requires and "ruby" not in requires, requires
    assert "ruby" in run("rpm", "-qp", "--recommends", package)


def check_root(package, root):
    root.mkdir()
    # The root holds nothing that scripts could run.
    run("rpm", "--root", root, "--initdb")
    run("rpm", "--root", root, "--install", "--nodeps", "--noscripts", package)
    run("rpm", "--root", root, "--verify", "--nodeps", "pupc")
    add_libraries(root, "usr/bin/pupc")
    assert "from the rpm" in run("chroot", root, "/usr/bin/pupc", "compile", "-e", "notify { 'from the rpm': }")
    run("rpm", "--root", root, "--erase", "--noscripts", "pupc")
    left = [path for path in root.glob("usr/**/*pupc*") if "lib/sysimage" not in str(path)]
    assert not left, f"left after removal: {left}"


def test(build, work):
    package = build_rpm(build, work / "rpmbuild")
    check_package(package)
    check_root(package, work / "root")
    return f"{package.name}: {package.stat().st_size // 1024} kB"


if __name__ == "__main__":
    if not may_chroot():
        print("not run: rpm installs into a root only as root, with chroot")
        sys.exit(SKIPPED)
    sys.exit(test_main(__doc__, ("rpmbuild", "rpm", "cmake"), test))
