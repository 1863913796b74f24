#!/usr/bin/env python3
"""The picture in README.md: what `pupc validate` and `pupc why` show on a terminal, as SVG.

    terminal_picture.py PUPC            writes tools/pupc/terminal.svg
    terminal_picture.py PUPC --check    exit 1 when the file shows something else than the program does now

The commands run on a terminal of their own, in a folder with the files below. Times are written as 0.01 s. Exit code 77: no terminal to be had.
"""
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile

try:
    import fcntl
    import termios
except ImportError:
    sys.exit(77)

PICTURE = pathlib.Path(__file__).resolve().parents[1] / "pupc/terminal.svg"
COLUMNS = 110
FILES = {
    "environment.conf": "modulepath = site\n",
    "manifests/site.pp": "node default {\n  include profile::web\n}\n",
    "site/profile/manifests/web.pp": """class profile::web (
  String $greeting = 'hello',
) {
  package { 'nginx':
    ensure => instaled,
  }
  file { '/etc/motd':
    content => "${greting}\\n",
    mode    => 0644,
  }
  service { 'nginx':
    ensure    => running,
    subscribe => File['/etc/nginx/nginx.conf'],
  }
}
""",
}
COMMANDS = (["validate", "."],)
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "35": "#c678dd", "36": "#56b6c2", "90": "#7f848e"}


def on_terminal(pupc, words, folder):
    """What a command writes to a terminal, colours and all."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        print(f"no terminal to be had: {error}")
        sys.exit(77)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}, "TERM": "xterm-256color", "HOME": folder, "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen([pupc, *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 65536):
            out += chunk
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.wait(timeout=60)
    return re.sub(r"\d+\.\d\d s\b", "0.01 s", out.decode().replace("\r\n", "\n"))


def spans(line):
    """(text, colour, bold) of the parts of a line."""
    colour, bold, out = None, False, []
    for part in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", line):
        if part.startswith("\x1b["):
            if not part.endswith("m"):
                continue
            for code in part[2:-1].split(";"):
                if code in ("", "0"):
                    colour, bold = None, False
                elif code == "1":
                    bold = True
                elif code in COLOURS:
                    colour = COLOURS[code]
        elif part:
            out.append((part.replace("\r", ""), colour, bold))
    return out


def svg(lines):
    height, rows = 17, []
    for n, line in enumerate(lines):
        parts = "".join(span(*part) for part in spans(line))
        rows.append(f'<text x="14" y="{30 + n * height}" xml:space="preserve">{parts}</text>')
    total = 30 + len(lines) * height
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * 8 + 28}" height="{total}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
            f'font-size="13" fill="#dcdfe4">\n<rect width="100%" height="100%" rx="8" fill="#282c34"/>\n' + "\n".join(rows) + "\n</svg>\n")


def span(text, colour, bold):
    attributes = (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if bold else "")
    return f"<tspan{attributes}>{html.escape(text)}</tspan>"


def picture(pupc):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for words in COMMANDS:
            lines += ["\x1b[1m$ pupc " + " ".join(words) + "\x1b[0m", *on_terminal(pupc, words, folder).replace(folder + "/", "").rstrip("\n").split("\n")]
    return svg(lines)


def main():
    pupc = os.path.abspath(sys.argv[1])
    new = picture(pupc)
    if "--check" not in sys.argv:
        PICTURE.write_text(new)
        return 0
    if PICTURE.read_text() == new:
        return 0
    print(f"{PICTURE.name} shows something else than the program: tools/dev/terminal_picture.py PUPC makes it anew")
    return 1


if __name__ == "__main__":
    sys.exit(main())
