"""Edge values for all functions: what goes wrong goes wrong with one of these."""

VALUES = ["undef", "true", "-7", "3", "-2.5", "''", "'abc'", "' Ünï\\n'", "'12'", "'0x1F'", "[]", "[3, 1, 2]", "['b', 'a', 'b', 'Ä']", "[[1], [2, [undef]]]",
          "{}", "{'b' => 1, 'a' => 2}", "{'a' => {'b' => [1]}}", "default", "/a.b/", "Sensitive('abc')", "Integer[1, 3]", "SemVer('1.2.3')"]
# For functions whose errors say the same for most values.
FEW = ["undef", "false", "1", "''", "'abc'", "[]", "['a']", "{}", "{'a' => 1}", "Sensitive('x')", "String"]


def one(name, values=VALUES, before="", after=""):
    """Calls with no argument and with one."""
    yield f"{name}({before.rstrip(', ')})"
    for v in values:
        yield f"{name}({before}{v}{after})"


def two(name, first, second):
    for a in first:
        for b in second:
            yield f"{name}({a}, {b})"


def unique(snippets):
    seen = set()
    for s in snippets:
        if s not in seen:
            seen.add(s)
            yield s
