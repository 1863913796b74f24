#!/usr/bin/env python3
"""The roles of a control repository, compiled by both programs.

    control_repo.py prepare MATERIAL STORE    an environment with a node and facts for every role, in STORE/roles
    control_repo.py answers STORE             asks the oracle (PUPPET_LIBRARY: the library of the Puppet to ask)
    control_repo.py compare STORE [FILTER…]   pupc against the stored answers, grouped by what differs

MATERIAL holds `control-repo` (modules, r10k_modules, data, manifests, hiera.yaml) and `rspec-cases/facts`, of which machines of the
roles' operating systems are taken. Secrets that the repository leaves out are made up (each key that a lookup does not
find), and so are files that the material leaves out.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import compare  # noqa: E402
import oracle  # noqa: E402
import recorded_cases  # noqa: E402

# What the repository's own facts would tell on a Windows machine.
WINDOWS_FACTS = {
    "custom_win_mozspace": "C:\\mozilla", "custom_win_systemdrive": "C:", "custom_win_roninprogramdata": "C:\\ProgramData\\PuppetLabs\\ronin",
    "custom_win_system32": "C:\\Windows\\System32", "custom_win_temp_dir": "C:\\Windows\\Temp", "custom_win_programfiles": "C:\\Program Files",
    "custom_win_programfilesx86": "C:\\Program Files (x86)", "custom_win_programdata": "C:\\ProgramData", "custom_win_os_arch": "x64",
    "custom_win_os_version": "win_11_2009", "custom_win_roninlogdir": "C:\\logs", "custom_win_roninslogdir": "C:\\logs", "custom_win_roninsemaphoredir": "C:\\semaphore",
    "custom_win_worker_pool_id": "pool/one", "custom_win_d_drive": "exists", "custom_win_purpose": "builder", "custom_win_display_version": "22H2",
    "custom_win_net_category": "private", "custom_win_kms_activated": "needed", "custom_win_gpu": "yes", "custom_win_firewall_status": "running",
    "custom_win_git_version": "2.0.0", "custom_win_genericworker_version": "1.0.0", "custom_win_genericworker_service": "present",
    "custom_win_runner_service": "present", "custom_win_taskcluster_proxy_version": "1.0", "custom_win_release_id": "2009", "custom_win_os_caption": "windows 11",
    "custom_win_admin_sid": "S-1-5-21-500", "custom_win_github_pat": "x", "custom_win_deployment_id": "d1",
}


# Keys whose values the repository compares with words of its own.
SECRETS = {"win-worker.function": "tester", "win-worker.log.level": "restricted", "windows.ext_pkg_src": "https://example.com/packages"}
# Releases of the systems that roles are named for.
RELEASES = {"1804": "18.04", "2204": "22.04", "2404": "24.04", "talos": "18.04", "netperf": "18.04"}
MACOS = {"1015": ("19", "10.15"), "1400": ("23", "14.0"), "1500": ("24", "15.0"), "arm64": ("23", "14.0"), "signing": ("22", "13.0")}
# Puppet's own modules that come with its packages.
CORE = ["augeas_core", "cron_core", "host_core", "mount_core", "selinux_core", "sshkeys_core", "yumrepo_core"]
LENIENT = ["--strict", "warning", "--no-strict-variables"]


def machine(facts, name, release):
    """The facts of a recorded machine with that operating system and release."""
    for path in sorted(facts.glob("*.json")):
        values = json.loads(path.read_text())
        system = values.get("os")
        if isinstance(system, dict) and system.get("name") == name and str(system.get("release", {}).get("full", "")).startswith(release) and "networking" in values:
            return values
    sys.exit(f"no recorded machine runs {name} {release}")


def prepare(material, store):
    repository, facts = pathlib.Path(material, "control-repo").resolve(), pathlib.Path(material, "rspec-cases", "facts")
    machines = {"win": machine(facts, "windows", "20"), "linux": machine(facts, "Ubuntu", "22.04"), "osx": machine(facts, "Darwin", "20")}
    roles = sorted(p.stem for p in (repository / "modules/roles_profiles/manifests/roles").glob("*.pp"))
    base = pathlib.Path(store, "roles")
    shutil.rmtree(base, ignore_errors=True)
    (base / "facts").mkdir(parents=True)
    nodes = {"production": [], "windows": []}
    for role in roles:
        system = "win" if role.startswith("win") else "linux" if "linux" in role or role.startswith(("maas", "bitbar")) else "osx"
        for stage in ["", "complete"] if system == "win" else [""]:
            name = role.replace("_", "-") + (f"-{stage}" if stage else "")
            values = json.loads(json.dumps(machines[system]))
            release = next((r for word, r in RELEASES.items() if word in role), "22.04")
            if system == "linux":
                values["os"]["release"] = {"full": release, "major": release}
                values["os"]["distro"] = values["os"].get("distro", {}) | {"release": values["os"]["release"]}
            if system == "osx":
                darwin, macos = next((r for word, r in MACOS.items() if word in role), ("20", "11.5"))
                values["os"]["release"] = {"full": f"{darwin}.6.0", "major": darwin, "minor": "6"}
                major, minor = macos.split(".")
                values["os"]["macosx"]["version"] = {"full": macos, "major": major, "minor": minor, "patch": "0"}
            values |= {"puppet_role": role, "worker_id": "w1", "custom_win_role": role, "running_in_test_kitchen": False}
            if system == "win":
                values |= WINDOWS_FACTS | {"custom_win_bootstrap_stage": stage, "custom_win_gw_workertype": role, "custom_win_location": "azure" if "azure" in role else "datacenter"}
            environment = "windows" if system == "win" else "production"
            nodes[environment].append(f"node '{name}.example.com' {{ include roles_profiles::roles::{role} }}\n")
            (base / "facts" / environment).mkdir(exist_ok=True)
            (base / "facts" / environment / f"{name}.example.com.json").write_text(json.dumps({"name": f"{name}.example.com", "values": values}))
    for environment, hiera in (("production", "hiera.yaml"), ("windows", "win_hiera.yaml")):
        target = base / "environments" / environment
        target.mkdir(parents=True)
        (target / "r10k_modules").symlink_to(repository / "r10k_modules")
        (target / "modules").mkdir()
        for module in (repository / "modules").iterdir():
            (target / "modules" / module.name).symlink_to(module)
        for folder in ("data", "manifests"):
            shutil.copytree(repository / folder, target / folder)
        shutil.copy(repository / hiera, target / "hiera.yaml")
        (target / "core").mkdir()
        for module in CORE:
            (target / "core" / module).symlink_to(pathlib.Path(material, "open-modules", module).resolve())
        (target / "environment.conf").write_text("modulepath = modules:r10k_modules:core\n")
        (target / "manifests" / "roles.pp").write_text("".join(nodes[environment]))
    # Nobody's vault is asked: its client's library only needs to be there.
    (base / "ruby").mkdir()
    (base / "ruby" / "vault.rb").write_text("module Vault\n  class Client\n    def shutdown; end\n  end\nend\n")
    (base / "ruby" / "debouncer.rb").write_text("class Debouncer\n  def initialize(*); end\n\n  def method_missing(*) = nil\nend\n")
    return base


def surroundings(base):
    """The environment of both programs."""
    return os.environ | {"RUBYLIB": str(base / "ruby"), "VAULT_TOKEN": "IGNORE-VAULT"}


def stand_in(modules, module, name):
    """Gives a module a file that the material leaves out; the module is copied for that."""
    folder = modules / module
    if folder.is_symlink():
        source = folder.resolve()
        folder.unlink()
        shutil.copytree(source, folder)
    (folder / "files" / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "files" / name).write_text("stands in for a file that is not here\n")


def invent(pupc, base):
    """Adds to the data what lookups of any role do not find and files that are not there, until nothing is missing."""
    for environment in ("production", "windows"):
        file = base / "environments" / environment / "data" / "secrets" / "vault.yaml"
        file.parent.mkdir(exist_ok=True)
        secrets = {}
        for _ in range(60):
            file.write_text(json.dumps(secrets, indent=1))
            found, files = set(), set()
            for answer in ask_pupc(pupc, base, environment).values():
                for text in (answer["error"] or {}).get("message", ""), *(log["message"] for log in answer["logs"]):
                    found |= set(re.findall(r"did not find a value for (?:the name |any of the names \[.*)'([^']+)'", text))
                    files |= set(re.findall(r"Could not find any files from ([^/, ]+)/([^, ]+)", text))
            for module, name in files:
                stand_in(base / "environments" / environment / "modules", module, name)
            if not found and not files:
                break
            for key in found:
                inner = secrets
                *parents, last = key.split(".")
                for part in parents:
                    inner = inner.setdefault(part, {}) if isinstance(inner.get(part, {}), dict) else {}
                inner[last] = SECRETS.get(key, 22 if "port" in key.lower() else f"secret of {key}")


def ask_pupc(pupc, base, environment):
    """Node -> its answer."""
    found = {}
    for facts in sorted((base / "facts" / environment).glob("*.json")):
        done = subprocess.run([pupc, "compile", "--environmentpath", base / "environments", "--environment", environment, *LENIENT, "--facts", facts, "--node", facts.stem],
                              capture_output=True, text=True, check=False, env=surroundings(base))
        logs = []
        for line in done.stderr.splitlines():
            level, _, text = line.partition(": ")
            if level in ("Warning", "Notice", "Error"):
                logs.append({"level": "err" if level == "Error" else level.lower(), "message": text})
            elif logs:
                logs[-1]["message"] += "\n" + line
        error = None
        if done.returncode != 0:
            error = {"message": logs[-1]["message"] if logs else f"exit {done.returncode} {done.stderr}"}
            logs = logs[:-1]
        found[facts.stem] = {"ok": done.returncode == 0, "catalog": json.loads(done.stdout) if done.returncode == 0 else None, "logs": logs, "error": error}
    return found


def ask_oracle(base):
    for environment in ("production", "windows"):
        subprocess.run([*oracle.ruby(), HERE / "oracle" / "environment.rb", base / "environments", base / "facts" / environment, base / "answers" / environment,
                        "--environment", environment, *LENIENT], check=True, env=surroundings(base))


def render(answer, base):
    """As answers.py, but with the text of an error alone: the command line prints its place elsewhere."""
    lines = answers.render(answer, [(str(base), "ROLES")])
    return [re.sub(r"^error [^ ]*: ", "error: ", line) if line.startswith("error ") else line for line in lines]


def ask_and_compare(pupc, base, filters, show):
    equal = compiled = 0
    causes, errors = {}, {}
    for environment in ("production", "windows"):
        for node, answer in ask_pupc(pupc, base, environment).items():
            if filters and not any(f in node for f in filters):
                continue
            stored = json.loads((base / "answers" / environment / f"{node}.json").read_text())
            expected, actual = render(stored, base), render(answer, base)
            same = compare.differences(expected, actual) == []
            if stored["ok"]:
                compiled += 1
                equal += same
            else:
                errors.setdefault(("equal: " if same else "differs: ") + expected[-1], []).append(node)
            if not same:
                causes.setdefault(recorded_cases.cause(expected, actual), []).append(node)
                if show:
                    print(f"--- {node}\n" + "\n".join(compare.diff_text(expected, actual).splitlines()[2:][:show]))
    for title, groups in (("errors of Puppet", errors), ("differences", causes)):
        for text, group in sorted(groups.items(), key=lambda kv: -len(kv[1])):
            print(f"{title}: {len(group):4} {text}\n       {' '.join(group[:8])}")
    print(f"{equal} of {compiled} nodes that Puppet compiles are equal")
    return 1 if causes else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["prepare", "answers", "compare"])
    parser.add_argument("folders", nargs="+", metavar="MATERIAL, STORE, FILTER")
    parser.add_argument("--pupc", default=str(HERE.parents[1] / "build" / "release" / "pupc"))
    parser.add_argument("--show", type=int, default=0, metavar="LINES")
    options = parser.parse_args()
    if options.mode == "prepare":
        material, store = options.folders
        invent(os.path.abspath(options.pupc), prepare(material, store))
        return 0
    base = pathlib.Path(options.folders[0], "roles").resolve()
    if options.mode == "answers":
        ask_oracle(base)
        return 0
    return ask_and_compare(os.path.abspath(options.pupc), base, options.folders[1:], options.show)


if __name__ == "__main__":
    sys.exit(main())
