"""The share of equal errors: of what fails in Puppet, how much fails in pupc with the same text, line and column."""


class ErrorCount:
    """Counts pairs of errors ({"message", "line", "column"}, None where there is none). Where Puppet tells no line or column, any is right."""

    def __init__(self):
        self.texts_left_out = 0  # errors of both whose texts nobody compares: a slip in Ruby code, whose words are not Puppet's
        self.total = self.failed = self.text = self.line = self.column = self.equal = 0

    def add(self, expected, actual):
        if expected is None:
            return
        self.total += 1
        if actual is None:
            return
        self.failed += 1
        text = expected["message"] == actual["message"]
        line, column = (expected.get(key) in (None, actual.get(key)) for key in ("line", "column"))
        self.text += text
        self.line += line
        self.column += column
        self.equal += text and line and column

    def report(self):
        def share(n):
            return f"{n} ({100 * n / self.total:.2f} %)"
        return (f"{self.total} end in an error in Puppet; in pupc {share(self.failed)} do, {share(self.text)} with the same text, "
                f"{share(self.line)} line, {share(self.column)} column, {share(self.equal)} all three"
                + (f"; besides, {self.texts_left_out} errors of both whose texts are not compared" if self.texts_left_out else ""))
