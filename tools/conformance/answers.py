"""Answers as text: what a compile or a check said, in a form that people read and programs compare line by line.

Of a catalog everything is shown but what differs from run to run (version, catalog_uuid, code_id) and what is always the same:
Stage[main], Class[Settings] and Class[main] are left out while they look as in an empty catalog, likewise classes and tags
with nothing but `settings`. A resource is one line and its parameters follow, one each:

    Apache::Vhost[x] (define) exported @/path/init.pp:12 in Class[A] #apache::vhost #apache #vhost
      port = 80
      sensitive: password

Containment is shown at the contained; if the catalog lists its edges in another order than its resources, an `edges:` list
follows. An error is `error FILE:LINE:COLUMN: text` (no file for code that has none) without the place and node that Puppet
appends to the text.
"""

import json
import re

PLACE = r" \((?:file: [^()\n]*|(?:file: [^()\n]*, )?line: \d+(?:, column: \d+)?)\)"
AT_END = re.compile(rf"(?:{PLACE})*(?: on node \S+)?\s*\Z")
PARSE_PREFIX = re.compile(r"\ACould not parse for environment \S+: ")
STANDARD = [
    ["Stage[main] #stage", '  name = "main"'],
    ["Class[Settings] in Stage[main] #class #settings"],
    ["Class[main] in Stage[main] #class", '  name = "main"'],
]


def message_text(text):
    """The substance of a message: without the places and the node behind it and the parser's prefix in front."""
    text = PARSE_PREFIX.sub("", text or "")
    # Who set a parameter is printed with the address of a Ruby object.
    text = re.sub(r"( is already set on .*) by .*? at \(", r"\1 by … at (", text)
    return AT_END.sub("", text)


def one_line(text):
    return text.replace("\r", "␍").replace("\n", "⏎").replace("\0", "␀")


def _json(value):
    """JSON on one line; non-ASCII as it is, but not what an editor would hide or break a line at."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\xa0\u2028\u2029\ufeff]", lambda m: f"\\u{ord(m.group()):04x}", text)


def _error_line(error):
    place = ""
    if error.get("line"):
        place = f" {error['file']}:" if error.get("file") else " "
        place += str(error["line"]) + (f":{error['column']}" if error.get("column") else "")
    return f"error{place}: {one_line(message_text(error['message']))}"


def _ref(resource):
    return f"{resource['type']}[{one_line(str(resource['title']))}]"


def _kind(resource):
    kind = resource.get("kind")
    usual = "unknown" if resource["type"] in ("Class", "Node") else "compilable_type"
    if kind is None or kind == usual:
        return ""
    return {"class": " (declared)", "defined_type": " (define)"}.get(kind, f" ({kind})")


def _resource_block(resource, containers):
    head = _ref(resource) + _kind(resource)
    if resource.get("exported"):
        head += " exported"
    if resource.get("virtual"):
        head += " virtual"
    if resource.get("file"):
        head += f" @{resource['file']}:{resource.get('line', '')}"
    elif resource.get("line"):
        head += f" @{resource['line']}"
    if containers:
        head += " in " + ", ".join(one_line(c) for c in containers)
    head += "".join(" #" + one_line(t) for t in resource.get("tags", []))
    block = [head]
    for name, value in (resource.get("parameters") or {}).items():
        block.append(f"  {name} = {_json(value)}")
    if resource.get("sensitive_parameters"):
        block.append("  sensitive: " + " ".join(resource["sensitive_parameters"]))
    return block


def _catalog_lines(catalog):
    lines = []
    if catalog.get("classes", []) != ["settings"]:
        lines.append("classes: " + " ".join(catalog.get("classes", [])))
    if catalog.get("tags", []) != ["settings"]:
        lines.append("tags: " + " ".join(catalog.get("tags", [])))
    containers = {}
    edges = [(e["source"], e["target"]) for e in catalog.get("edges", [])]
    for source, target in edges:
        containers.setdefault(target, []).append(source)
    blocks = []
    by_resource = []
    for resource in catalog.get("resources", []):
        ref = f"{resource['type']}[{resource['title']}]"
        mine = containers.get(ref, [])
        by_resource += [(source, ref) for source in mine]
        blocks.append(_resource_block(resource, mine))
    for index, block in enumerate(blocks):
        if index >= len(STANDARD) or block != STANDARD[index]:
            lines += block
    if by_resource != edges:
        lines.append("edges:")
        lines += [f"  {one_line(s)} -> {one_line(t)}" for s, t in edges]
    return lines


def render(answer, replace=()):
    """A compile's answer (the form of `pupc compile --batch`) as lines. `replace`: (text, stand-in) pairs for paths."""
    lines = []
    error = answer.get("error")
    final = message_text(error["message"]) if error else None
    for log in answer.get("logs") or []:
        # Puppet also logs the error that ends the compile.
        if log["level"] == "err" and final is not None and message_text(log["message"]) == final:
            continue
        lines.append(f"{log['level']}: {one_line(PARSE_PREFIX.sub('', log['message']))}")
    if error:
        lines.append(_error_line(error))
    elif answer.get("catalog"):
        lines += _catalog_lines(answer["catalog"])
    if not error and not any(not re.match(r"[a-z]+: ", line) for line in lines):
        lines.append("ok")
    return _replaced(lines, replace)


def render_errors(errors, replace=()):
    """The errors of a check ({"message","line","column"} each) as lines, `ok` for none."""
    return _replaced([_error_line({**e, "file": None}) for e in errors] or ["ok"], replace)


def _replaced(lines, replace):
    for text, stand_in in replace:
        lines = [line.replace(text, stand_in) for line in lines]
    return lines
