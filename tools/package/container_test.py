#!/usr/bin/env python3
"""The container file works on a Debian that holds nothing: its steps are taken one by one, the image's program compiles a catalog, apt removes the package.

    container_test.py BUILD_FOLDER             the first stage is the package of the build folder: a minute (`ctest -C heavy`)
    container_test.py BUILD_FOLDER --source    the first stage too builds from source in its own Debian: 15 minutes of CPU

Neither podman nor a registry of images is needed: an image `debian:…` is what debootstrap makes of Debian's archive, and a step runs in it with chroot, in a
mount namespace of its own. Exit code 77 where root's rights, debootstrap or Debian's archive are missing.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

from package_test import build_package
from package_tools import SKIPPED, SOURCE, NotHere, may_chroot, run, test_main

CONTAINERFILE = SOURCE / "tools/package/Containerfile"
INSIDE = """set -e
mount --rbind /proc "$1/proc"; mount --rbind /dev "$1/dev"; mkdir -p "$1/ccache"; mount --bind "$2" "$1/ccache"
exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive sh -ec "cd $3; $4"
"""


def steps(text):
    """(word, rest) of each step; lines that end with a backslash go on."""
    text = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


class Image:
    def __init__(self, root, base, cache):
        run("cp", "-a", base, root)
        self.root, self.cache, self.folder, self.entry = root, cache, "/", []

    def run(self, command):
        return run("unshare", "--mount", "--propagation", "private", "sh", "-c", INSIDE, "sh", self.root, self.cache, self.folder, command)

    def copy(self, source, words):
        """COPY: folders give what they hold, as in every container file."""
        *names, target = words
        target = self.root / target.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            found = glob.glob(str(source / name.lstrip("/")))
            assert found, f"COPY {name}: there is none"
            for path in found:
                run("cp", "-a", path + "/." if os.path.isdir(path) else path, target)


def build_images(base, work, cache, built):
    """The last image of the container file. `built`: the folder that stands for the first stage, as a root; without it the stage is built."""
    images, image = {}, None
    for word, rest in steps(CONTAINERFILE.read_text()):
        if built and word == "FROM" and not images:
            images[re.search(r" AS (\w+)$", rest)[1]] = built
        if built and image is None and not (word == "FROM" and " AS " not in rest):
            continue
        if word == "FROM":
            name = re.match(r"(debian:12(?:-slim)?)(?: AS (\w+))?$", rest)
            assert name, f"FROM {rest}: not known here"
            image = images[name[2] or ""] = Image(work / f"image{len(images)}", base, cache)
        elif word == "COPY":
            words = rest.split()
            other = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else None
            source = images[other] if other else SOURCE
            image.copy(source.root if isinstance(source, Image) else source, words)
        elif word == "WORKDIR":
            image.folder = rest
        elif word == "RUN":
            image.run(rest)
        elif word == "ENTRYPOINT":
            image.entry = json.loads(rest)
        else:
            raise AssertionError(f"{word}: a step that this test does not know")
    return image


def test(build, work):
    base = work / "debian"
    try:
        run("debootstrap", "--variant=minbase", "bookworm", base)
    except AssertionError as error:
        raise NotHere(f"Debian's archive does not answer: {error}") from error
    built = None
    if "--source" not in sys.argv:
        built = work / "first_stage"
        build_package(build, built / "src/build/release")
    cache = work / "ccache"
    if shutil.which("ccache"):
        cache = run("ccache", "--get-config", "cache_dir").strip()
    os.makedirs(cache, exist_ok=True)
    image = build_images(base, work, cache, built)
    catalog = image.run(" ".join([*image.entry, "compile", "-e", "'notify { \"from the image\": }'"]))
    assert "from the image" in catalog, catalog
    installed = image.run("dpkg-query -W -f '${Package} '").split()
    assert "pupc" in installed and not any(name.startswith(("g++", "libstdc++-12-dev", "ruby")) for name in installed), installed
    image.run("apt-get purge -y pupc")
    left = [path for path in image.root.glob("usr/**/*pupc*")]
    assert not left, f"left after removal: {left}"
    return f"{len(installed)} packages in the image"


if __name__ == "__main__":
    if not may_chroot() or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        print("not run: chroot and mount namespaces are not permitted")
        sys.exit(SKIPPED)
    sys.exit(test_main(__doc__, ("debootstrap", "unshare", "chroot"), test))
