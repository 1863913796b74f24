"""What the tests of the packages share: programs run with their output kept, small roots, the tests' frame."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tools/conformance"))
from throwaway_root import copy_with_libraries  # noqa: E402

SKIPPED = 77


class NotHere(Exception):
    """What a test needs is not to be had on this machine."""


def run(*words, code=0, **more):
    """The output of a command that ends with `code`; anything else is an error with the output."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **more)
    out = done.stdout.decode(errors="replace")
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}, not {code}\n{out[-4000:]}")
    return out


def may_chroot():
    return os.geteuid() == 0 and subprocess.run(["chroot", "/", "true"], capture_output=True).returncode == 0


def add_programs(root, *programs):
    """Copies this machine's programs with the libraries they need into a root, so that they can run there."""
    for program in programs:
        copy_with_libraries(shutil.which(program), root)


def add_libraries(root, program):
    """Copies the libraries that a program inside the root needs, to where it looks for them."""
    for line in run("ldd", root / program.lstrip("/")).splitlines():
        path = next((word for word in line.split() if word.startswith("/")), None)
        if path:
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def test_main(description, needed, test):
    """Runs `test(build folder, empty folder)`, which returns a closing line. Exit code 77: a program that is needed is not there."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    arguments, _ = parser.parse_known_args()
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"not run: {', '.join(missing)} not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="pupc-package") as directory:
        try:
            print(test(arguments.build.resolve(), pathlib.Path(directory)))
        except NotHere as reason:
            print(f"not run: {reason}")
            return SKIPPED
        except AssertionError as error:
            print(error)
            return 1
    return 0
