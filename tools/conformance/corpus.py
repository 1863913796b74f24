"""Sources for the parser: the manifests and templates of Debian's packaged modules, and mutants of them that differ in one
token. Both are made the same way on every machine with the same packages."""

import gzip
import hashlib
import json
import os
import re

PACKAGED = "/usr/share/puppet/modules.available"

TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|(?P<token>
    '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | @\("?[^)\n]*\) | \$(?:::)?\w+(?:::\w+)* | 0[xX][0-9a-fA-F]+ | \d+(?:\.\d+)?(?:[eE]-?\d+)?
    | (?:::)?[A-Za-z_]\w*(?:-\w+)*(?:::\w+)* | <<\|  | \|>> | <\| | \|> | <%-?=?|-?%> | => | \+> | -> | ~> | <- | <~ | == | != | =~ | !~ | <= | >= | << | >>
    | \+= | -= | :: | @@ | [][(){}<>=+*/%!?:;,.|@~$^&\\-] | .)""",
    re.VERBOSE | re.DOTALL)

# What a mutant may put in: every kind of token that a manifest can hold.
SPARE = """
if else elsif unless case class define node inherits function type default undef true false and or in import site application
consumes produces attr private plan include notify file x foo::bar ::a Foo Foo::Bar Integer $x $::y $a::b $0 0 7 0x1f 017 1.5 1e3 09 0xg
'' 'str' "str" "a${x}b" "${x[1]}" "$" /re/ /(/ { } ( ) [ ] | , ; : => +> -> ~> <- <~ <| |> <<| |>> @ @@ * + - / % = == != =~ !~ < > <= >=
<< >> ! ? . .. :: ~ += -= \\ ` ^ & # <%= %> -%> @(EOT) ${ } \\n é _ _x a-b A.b return() next() break()
""".split()
OPERATIONS = ["delete", "duplicate", "swap", "replace", "insert"]


def _paths():
    found = {}
    for root, _dirs, names in os.walk(PACKAGED, followlinks=True):
        for name in names:
            if name.endswith((".pp", ".epp")):
                real = os.path.realpath(os.path.join(root, name))
                found[real] = None
    return sorted(found)


def files():
    """A validation request for every manifest and template."""
    return [{"id": p, "file": p, "epp": p.endswith(".epp")} for p in _paths()]


class _Dice:
    """Numbers that depend on nothing but the seed and how many were drawn."""

    def __init__(self, seed):
        self.seed, self.drawn = seed, 0

    def below(self, limit):
        digest = hashlib.sha256(f"{self.seed}:{self.drawn}".encode()).digest()
        self.drawn += 1
        return int.from_bytes(digest[:8], "big") % limit

    def one_of(self, items):
        return items[self.below(len(items))]


def tokens(source):
    """Spans (start, end) of the tokens, white space and comments left out."""
    return [m.span("token") for m in TOKEN.finditer(source) if m.group("token") is not None]


def mutate(source, dice):
    """The source with one token changed, and what was done; None for a source without tokens."""
    spans = tokens(source)
    if len(spans) < 2:
        return None
    operation = dice.one_of(OPERATIONS)
    index = dice.below(len(spans) - 1)
    start, end = spans[index]
    token = source[start:end]
    if operation == "delete":
        new, stop = "", end
    elif operation == "duplicate":
        new, stop = token + (" " if dice.below(2) else "") + token, end
    elif operation == "swap":
        next_start, stop = spans[index + 1]
        new = source[next_start:stop] + source[end:next_start] + token
    elif operation == "replace":
        new, stop = dice.one_of(SPARE), end
    else:
        spare = dice.one_of(SPARE)
        new, stop = (f" {spare} {token}" if dice.below(2) else spare + token), end
    return source[:start] + new + source[stop:], f"{operation} {token[:30]!r} at line {source.count(chr(10), 0, start) + 1}"


def mutants(count, seed):
    """`count` validation requests with the source in `code`; the same for equal packages, count and seed."""
    readable = []
    for path in _paths():
        with open(path, "rb") as f:
            content = f.read()
        try:
            # Very long files would be drawn no more often than others but cost most of the time.
            if 1 < len(content) <= 20000:
                readable.append((path, content.decode("utf-8")))
        except UnicodeDecodeError:
            continue
    made = []
    number = 0
    while readable and len(made) < count:
        dice = _Dice(f"{seed}:{number}")
        number += 1
        path, source = dice.one_of(readable)
        mutant = mutate(source, dice)
        if mutant is None or mutant[0] == source:
            continue
        code, what = mutant
        made.append({"id": f"{number} {path}: {what}", "code": code, "epp": path.endswith(".epp")})
    return made


class Stored:
    """The oracle's verdicts in testdata/parse/NAME.txt.gz: a digest of the sources, then a line per source: `+` for accepted, else the
    line of the first error (0 when the oracle tells none)."""

    def __init__(self, testdata, name):
        self.path = os.path.join(testdata, "parse", name + ".txt.gz")

    @staticmethod
    def _digest(requests):
        digest = hashlib.sha256()
        for r in requests:
            if "code" in r:
                digest.update(r["code"].encode("utf-8"))
            else:
                with open(r["file"], "rb") as f:
                    digest.update(f.read())
            digest.update(b"\0")
        return digest.hexdigest()

    def write(self, requests, answers):
        lines = [self._digest(requests)]
        lines += ["+" if a["ok"] else str(a["errors"][0]["line"] or 0) for a in answers]
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "wb") as f:
            f.write(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))

    def answers(self, requests):
        """The verdicts, or None when none are stored for exactly these sources."""
        if not os.path.exists(self.path):
            return None
        with gzip.open(self.path, "rt", encoding="utf-8") as f:
            digest, *lines = f.read().splitlines()
        if len(lines) != len(requests) or digest != self._digest(requests):
            return None
        return [{"ok": True, "errors": []} if v == "+" else {"ok": False, "errors": [{"message": "", "line": int(v) or None}]} for v in lines]


def judge(requests, expected, actual, options, verdict_rate, line_rate=0.97):
    """Prints what differs and whether the rates of equal verdicts and of equal error lines are reached; the exit code."""
    wrong, moved, placed = [], [], 0
    for request, e, a in zip(requests, expected, actual):
        if e["ok"] != a["ok"]:
            wrong.append((request, e, a))
        elif not e["ok"] and e["errors"][0]["line"]:
            placed += 1
            if e["errors"][0]["line"] != a["errors"][0]["line"]:
                moved.append((request, e, a))

    def tell(kind, items):
        for request, e, a in items[:options.limit]:
            say = lambda x: "accepted" if x["ok"] else f"line {x['errors'][0]['line']} {x['errors'][0]['message']}"  # noqa: E731
            print(f"{kind} {request['id']}\n    Puppet: {say(e)}\n    pupc:   {say(a)}")
        if len(items) > options.limit:
            print(f"… {len(items) - options.limit} more")

    tell("VERDICT", wrong)
    if options.verbose:
        tell("LINE", moved)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            for kind, items in (("verdict", wrong), ("line", moved)):
                for request, e, a in items:
                    f.write(json.dumps({"differs": kind, "expected": e, "actual": a, **request}, ensure_ascii=False) + "\n")
    same = 1 - len(wrong) / len(requests)
    lines = 1 - len(moved) / placed if placed else 1.0
    print(f"verdict equal for {same:.3%} of {len(requests)} sources (at least {verdict_rate:.1%}), "
          f"line equal for {lines:.2%} of {placed} errors (at least {line_rate:.0%})")
    failed = len(wrong) if same < verdict_rate else 0
    failed += len(moved) if lines < line_rate else 0
    print(f"{len(requests) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0
