"""The Ruby files of the two workers, in the order in which the program has them (the CMake files say it)."""
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = TOP / "catalog" / "ruby" / "library"
COMPILE, RUN = TOP / "compiler" / "ruby", TOP / "runtime" / "ruby"


def names(cmake_file):
    """The words of each `foreach(name …)` in a CMake file."""
    return [words.split() for words in re.findall(r"foreach\(name ([^)]*)\)", cmake_file.read_text(encoding="utf-8"))]


def core():
    return [LIBRARY / f"{name}.rb" for name in names(TOP / "catalog" / "ruby" / "ruby_text_rule.cmake")[0]]


def of_compile(folder):
    """The files of the worker of a compile; `folder` gets the one that is made from the table of messages."""
    protocol = pathlib.Path(folder) / "protocol.rb"
    subprocess.run(["cmake", f"-DTABLE={COMPILE}/worker/ruby_protocol.def", f"-DOUTPUT={protocol}", "-P", COMPILE / "worker" / "ruby_protocol.cmake"], check=True)
    own = [COMPILE / "facade" / f"{name}.rb" for name in names(COMPILE / "worker" / "CMakeLists.txt")[0]]
    return [protocol, *core(), *own, *(LIBRARY / f"{name}.rb" for name in ("execution", "file_system", "http"))]


def of_run():
    """The files of the worker that applies types and providers, without the parts that it asks for when they are needed."""
    first, second = names(RUN / "CMakeLists.txt")[:2]
    facts = ("execution", "file_system", "facter_machine", "facter_resolutions", "facter_execution", "facter")
    return [*core(), *(RUN / "facade" / f"{name}.rb" for name in first), *(LIBRARY / f"{name}.rb" for name in facts), *(RUN / "facade" / f"{name}.rb" for name in second)]
