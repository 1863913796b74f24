"""Asks pupc the same questions as the oracle. A crash or a hang costs only the request that caused it."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile

NO_ANSWER = "PUPC: no answer"
KNOWN_NEEDS = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "recorded" / "ruby_needed.tsv"


def _lost(request, why):
    error = {"message": f"{NO_ANSWER} ({why})", "file": None, "line": None, "column": None}
    return {"id": request["id"], "ok": False, "catalog": None, "logs": [], "error": error}


def command_options(request):
    options = []
    if request.get("modulepath"):
        options += ["--modulepath", ":".join(request["modulepath"])]
    if request.get("hiera"):
        options += ["--hiera-config", request["hiera"]]
    if "strict" in request:
        options += ["--strict", request["strict"]]
    if "strict_variables" in request:
        options.append("--strict-variables" if request["strict_variables"] else "--no-strict-variables")
    if "ruby" in request:
        options += ["--ruby", request["ruby"]]
    return tuple(options)


def _batch(binary, options, requests, timeout):
    """The answers by id that came before the process ended, and why it ended if not well."""
    with tempfile.TemporaryDirectory(prefix="pupc-conformance") as work:
        given = os.path.join(work, "in.jsonl")
        with open(given, "w", encoding="utf-8") as f:
            for request in requests:
                fields = {k: request[k] for k in ("id", "code", "manifest", "node", "facts") if k in request}
                f.write(json.dumps(fields, ensure_ascii=False) + "\n")
        why = ""
        try:
            done = subprocess.run([binary, "compile", "--batch", given, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
            out = done.stdout
            if done.returncode not in (0, 1):
                why = f"exit {done.returncode} " + done.stderr.decode("utf-8", "replace")[-300:].strip().replace("\n", " | ")
        except subprocess.TimeoutExpired as e:
            out, why = e.stdout or b"", f"more than {timeout} s"
    answers = {}
    for line in out.decode("utf-8", "replace").split("\n"):
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        answers[answer.get("id")] = answer
    return answers, why


def compile_all(binary, requests, timeout=120):
    """Answers to compile requests, in order. Requests with equal options share a process."""
    groups = {}
    for request in requests:
        groups.setdefault(command_options(request), []).append(request)
    by_id = {}
    for options, group in groups.items():
        while group:
            answers, why = _batch(binary, options, group, timeout)
            by_id.update(answers)
            left = [r for r in group if r["id"] not in answers]
            if not left:
                break
            if len(left) < len(group) or len(group) == 1:
                # The first one without an answer ended the process.
                by_id[left[0]["id"]] = _lost(left[0], why or "the batch ended early")
                group = left[1:]
            else:
                # Not even the first was answered: ask it alone to tell its fault from the others'.
                alone, why = _batch(binary, options, group[:1], min(timeout, 30))
                by_id[group[0]["id"]] = alone.get(group[0]["id"]) or _lost(group[0], why or "no output")
                group = group[1:]
    return [by_id[r["id"]] for r in requests]


def validate_all(binary, requests, timeout=120):
    """Answers to validation requests ({"id","file"|"code","epp"}) as {"id","ok","errors"}, in order."""
    with tempfile.TemporaryDirectory(prefix="pupc-conformance") as work:
        paths = []
        for index, request in enumerate(requests):
            path = request.get("file")
            if path is None:
                path = os.path.join(work, f"{index}.{'epp' if request.get('epp') else 'pp'}")
                with open(path, "wb") as f:
                    f.write(request["code"].encode("utf-8", "surrogateescape"))
            paths.append(path)
        findings = {}
        for start in range(0, len(paths), 500):
            findings.update(_validate(binary, paths[start:start + 500], timeout))
        answers = []
        for request, path in zip(requests, paths):
            errors = [f for f in findings.get(path, []) if f["severity"] == "error"]
            if "file" not in request:
                errors = [{**f, "message": f["message"].replace(path, "SOURCE")} for f in errors]
            answers.append({"id": request["id"], "ok": not errors, "errors": errors})
        return answers


def _validate(binary, paths, timeout):
    """Findings by path. When the process fails, halves are asked until the guilty file is found."""
    why = ""
    try:
        done = subprocess.run([binary, "validate", "--syntax-only", "--format", "json", *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
        if done.returncode in (0, 1):
            found = {path: [] for path in paths}
            for finding in json.loads(done.stdout.decode("utf-8", "replace")):
                found.setdefault(finding["file"], []).append(finding)
            return found
        why = f"exit {done.returncode}"
        if done.returncode == 2:
            # Wrong usage: asking for fewer files would not help.
            return {path: [{"severity": "error", "message": f"{NO_ANSWER} ({why})", "line": None, "column": None}] for path in paths}
    except subprocess.TimeoutExpired:
        why = f"more than {timeout} s"
    except ValueError:
        why = "output is not JSON"
    if len(paths) == 1:
        return {paths[0]: [{"severity": "error", "message": f"{NO_ANSWER} ({why})", "line": None, "column": None}]}
    half = len(paths) // 2
    return {**_validate(binary, paths[:half], timeout), **_validate(binary, paths[half:], timeout)}


def _needs_ruby(binary, request):
    """What a compile of the request would have to know to need no Ruby; nothing when it starts none."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as facts, tempfile.NamedTemporaryFile("w", suffix=".pp") as code:
        json.dump(request["facts"], facts)
        code.write(request.get("code", ""))
        facts.flush()
        code.flush()
        done = subprocess.run([binary, "compile", "--explain-ruby", "--manifest", request.get("manifest", code.name), "--node", request["node"],
                               "--facts", facts.name, "--output", os.devnull, *command_options(request)], capture_output=True, text=True, check=False)
    _, needed, lines = done.stderr.partition("To need no Ruby, pupc would have to know:\n")
    return {line.strip() for line in lines.splitlines() if line.startswith("  ")} if needed else set()


def print_ruby_share(binary, requests, jobs):
    """Says which of the requests start Ruby, and what for. A process for each, as the reasons are those of a process. Returns 1 where they
    have a reason that nobody knows (testdata/recorded/ruby_needed.tsv)."""
    with open(KNOWN_NEEDS, encoding="utf-8") as f:
        known = {line.split("\t")[0] for line in f if not line.startswith("#")}
    reasons, without = {}, 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for request, found in zip(requests, pool.map(lambda r: _needs_ruby(binary, r), requests)):
            without += not found
            for line in found:
                reasons.setdefault(line, []).append(request["id"])
    for text, group in sorted(reasons.items(), key=lambda kv: -len(kv[1])):
        print(f"{len(group):4} {text}{'' if text in known else ' (new)'}\n       {' '.join(group[:6])}")
    print(f"{without} of {len(requests)} start no Ruby")
    return 0 if reasons.keys() <= known else 1
