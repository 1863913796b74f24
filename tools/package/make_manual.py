#!/usr/bin/env python3
"""Manual pages and shell completions, made from what `pupc --help` and `pupc COMMAND --help` print, so that nothing can be forgotten.

    make_manual.py PUPC VERSION OUT      writes OUT/man/*.1 and OUT/completions/{bash,zsh,fish}/…
"""
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^ {2,4}(-{1,2}\S.*?)(?: {2,}(.*))?$")


def output_of(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.decode()


def commands_of(pupc):
    """(name, summary) of every command."""
    found, inside = [], False
    for line in output_of(pupc, "--help").splitlines():
        if line.startswith("Commands"):
            inside = True
        elif inside and (m := re.match(r"^  ([a-z][a-z_-]*) +(\S.*)$", line)):
            found.append((m[1], m[2]))
    return found


def names_of(left):
    """Every spelling of an option: `--[no-]noop` is --noop and --no-noop. Also whether it takes a value."""
    names, argument = [], ""
    for part in left.split(", "):
        name, _, argument = part.partition(" ")
        if name.startswith("--[no-]"):
            names += ["--" + name[7:], "--no-" + name[7:]]
        elif name.startswith("-"):
            names.append(name.split("=")[0])
    return names, argument


class Command:
    """What `pupc NAME --help` says: usage, description, options with their texts, examples, exit codes."""

    def __init__(self, pupc, name, summary):
        self.name, self.summary = name, summary
        self.usage, self.text, self.options, self.examples, self.exit_codes = [], [], [], [], ""
        last, part = None, ""
        for line in output_of(pupc, name, "--help").splitlines():
            if m := re.match(r"(Usage|Options|Examples):", line):
                part = m[1]
            elif not line and part != "Options":
                part = ""
            if m := re.match(r"Exit codes: (.*)", line):
                self.exit_codes = m[1]
                continue
            if part == "Usage":
                self.usage.append(line.removeprefix("Usage:").strip())
                continue
            if part == "Examples":
                self.examples += [line.strip()] if line.startswith(" ") else []
                continue
            m = OPTION.match(line)
            if m:
                left, text = m[1], m[2] or ""
                # An option too long for its column is followed by one blank alone.
                if not m[2] and (wide := re.match(r"^(-.*?\b[A-Z][A-Z_|.:,a-z]*) ([a-z].*)$", left)):
                    left, text = wide[1], wide[2]
                last = [left, text]
                self.options.append(last)
            elif last is not None and re.match(r"^ {20,}\S", line):
                last[1] += " " + line.strip()
            elif not self.options and not line.startswith("Options"):
                self.text.append(line)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def page(name, summary, version, body):
    return f'.TH {name.upper()} 1 "" "pupc {version}" "User Commands"\n.SH NAME\n{roff(name)} \\- {roff(summary)}\n{body}'


def paragraphs(lines):
    """Paragraphs stand apart by empty lines; indented lines stay lines of their own."""
    out, fresh = [], True
    for line in lines:
        if not line.strip():
            fresh = True
            continue
        if fresh and out:
            out.append(".PP")
        elif line.startswith("  ") and not fresh:
            out.append(".br")
        out.append(roff(line.strip()))
        fresh = False
    return "\n".join(out) + "\n"


def command_page(command, version):
    body = ".SH SYNOPSIS\n" + "\n.br\n".join(f".B {roff(usage)}" for usage in command.usage) + "\n.SH DESCRIPTION\n" + paragraphs(command.text)
    if command.options:
        body += ".SH OPTIONS\n" + "".join(f".TP\n.B {roff(left)}\n{roff(text)}\n" for left, text in command.options)
    if command.examples:
        body += ".SH EXAMPLES\n" + "\n.br\n".join(f".B {roff(example)}" for example in command.examples) + "\n"
    if command.exit_codes:
        body += f".SH EXIT STATUS\n{roff(command.exit_codes)}\n"
    return page(f"pupc-{command.name}", command.summary, version, body + ".SH SEE ALSO\n.BR pupc (1)\n")


def main_page(commands, version):
    body = ".SH SYNOPSIS\n.B pupc\n.I COMMAND\n[options]\n.SH DESCRIPTION\npupc compiles Puppet manifests to catalogs, checks them and applies them, without Ruby\nbut for the Ruby code of modules.\n.SH COMMANDS\n"
    body += "".join(f".TP\n.BR pupc\\-{roff(c.name)} (1)\n{roff(c.summary)}\n" for c in commands)
    return page("pupc", "compile, check and apply Puppet manifests", version, body)


def bash_completion(commands):
    cases = "".join(f'    {c.name}) words="{" ".join(n for left, _ in c.options for n in names_of(left)[0])}" ;;\n' for c in commands)
    return f"""# Completion of pupc's commands and options for bash.
_pupc() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(c.name for c in commands)} --help --version"
  else
    case ${{COMP_WORDS[1]}} in
{cases}    esac
  fi
  case $current in
  -*) mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "$current") ;;
  *) if [ "$COMP_CWORD" -eq 1 ]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); else mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi ;;
  esac
}}
complete -o filenames -F _pupc pupc
"""


def puppet_completion(pupc):
    """For a link to pupc that is named puppet: its subcommands and their actions, in all three shells' own way."""
    actions = {}
    for line in output_of(pupc, "puppet", "help").splitlines():
        if m := re.match(r"^    ([a-z]+)(?: ([a-z]+))?$", line):
            actions.setdefault(m[1], []).extend([m[2]] if m[2] else [])
    cases = "".join(f'    {name}) words="{" ".join(found)}" ;;\n' for name, found in actions.items() if found)
    bash = f"""# Completion of Puppet's subcommands for bash, for a link to pupc that is named puppet.
_pupc_puppet() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join([*actions, "help"])}"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case ${{COMP_WORDS[1]}} in
{cases}    esac
  fi
  if [ -n "$words" ]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); else mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi
}}
complete -o filenames -F _pupc_puppet puppet
"""
    zsh = "  case $words[2] in\n" + "".join(f"  {name}) (( CURRENT == 3 )) && compadd {' '.join(found)} || _files ;;\n" for name, found in actions.items() if found)
    zsh = f"if [[ $service == puppet ]]; then\n  if (( CURRENT == 2 )); then compadd {' '.join([*actions, 'help'])}; return; fi\n{zsh}  *) _files ;;\n  esac\n  return\nfi\n"
    fish = "".join(f"complete -c puppet -n __fish_use_subcommand -f -a {name}\n" for name in [*actions, "help"])
    fish += "".join(f"complete -c puppet -n '__fish_seen_subcommand_from {name}' -f -a '{' '.join(found)}'\n" for name, found in actions.items() if found)
    return bash, zsh, fish


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_completion(commands, puppet):
    def described(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    out = "#compdef pupc puppet\n# Completion of pupc's commands and options for zsh, and of Puppet's for a link named puppet.\n" + puppet + "local -a commands\ncommands=(\n"
    out += "".join(f"  {quoted(c.name + ':' + described(c.summary))}\n" for c in commands)
    out += ")\nif (( CURRENT == 2 )); then\n  _describe command commands\n  return\nfi\ncase $words[2] in\n"
    for c in commands:
        specs = []
        for left, text in c.options:
            names, argument = names_of(left)
            specs += [quoted(f"*{name}[{described(text)}]" + (f":{described(argument)}:_files" if argument else "")) for name in names]
        out += f"{c.name}) _arguments '2:command:' " + " ".join(specs + ["'*:file:_files'"]) + " ;;\n"
    return out + "esac\n"


def fish_completion(commands):
    out = "# Completion of pupc's commands and options for fish.\n"
    for c in commands:
        out += f"complete -c pupc -n __fish_use_subcommand -f -a {c.name} -d {quoted(c.summary)}\n"
        for left, text in c.options:
            names, argument = names_of(left)
            for name in names:
                kind = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                out += f"complete -c pupc -n '__fish_seen_subcommand_from {c.name}' {kind}{' -r' if argument else ''} -d {quoted(text)}\n"
    return out


def main():
    pupc, version, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    commands = [Command(pupc, name, summary) for name, summary in commands_of(pupc)]
    bash, zsh, fish = puppet_completion(pupc)
    files = {"man/pupc.1": main_page(commands, version), "completions/bash/pupc": bash_completion(commands), "completions/bash/puppet": bash,
             "completions/zsh/_pupc": zsh_completion(commands, zsh), "completions/fish/pupc.fish": fish_completion(commands) + fish}
    for command in commands:
        files[f"man/pupc-{command.name}.1"] = command_page(command, version)
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
