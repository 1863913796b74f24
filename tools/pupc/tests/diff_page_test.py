#!/usr/bin/env python3
"""The page of `pupc diff --format html` in a headless browser: its search and its filters.

  diff_page_test.py PUPC      exit code 77 where there is no chromium
"""
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PUPC = sys.argv[1]
CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """What the page shows: references of changes by the nodes of their section, and the count."""

    def __init__(self):
        super().__init__()
        self.shown, self.impacts, self.count = [], [], ""
        self.section_hidden = self.article_hidden = self.impact = self.in_head = self.in_small = self.in_output = False

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag == "section":
            self.section_hidden = "hidden" in names
            self.impact = names.get("class") == "impact"
        elif tag == "article":
            self.article_hidden = "hidden" in names
        elif tag == "h3":
            self.in_head = True
            self.text = ""
        elif tag == "small":
            self.in_small = True
        elif tag == "output":
            self.in_output = True

    def handle_endtag(self, tag):
        if tag == "h3":
            self.in_head = False
            if not self.section_hidden and not self.article_hidden:
                (self.impacts if self.impact else self.shown).append(self.text)
        elif tag == "small":
            self.in_small = False
        elif tag == "output":
            self.in_output = False

    def handle_data(self, data):
        if self.in_head and not self.in_small:
            self.text += data
        if self.in_output:
            self.count += data


class Filters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.top = pathlib.Path(cls.work.name)
        for side, mode in ("old", "0600"), ("new", "0644"):
            (cls.top / side).mkdir()
            for node in "web1", "web2", "db1":
                code = f"file {{ '/etc/motd': mode => '{mode}' }}"
                if node.startswith("web") and side == "new":
                    code += " package { 'nginx': ensure => 'späť <b>' }"
                if node == "db1" and side == "new":
                    code += " service { \"quote'd & </script>\": }"
                subprocess.run([PUPC, "compile", "-e", code, "--node", node, "--output", cls.top / side / f"{node}.json"], check=True)
        (cls.top / "old/gone.json").write_text(json.dumps({"resources": []}))
        done = subprocess.run([PUPC, "diff", cls.top / "old", cls.top / "new", "--format", "html"], capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        cls.page = done.stdout

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def opened(self, fragment="", script=""):
        """The page after a script has run in it."""
        file = self.top / "page.html"
        file.write_text(self.page.replace("</body>", f"<script>{script}</script></body>"))
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={self.top}/profile", "--dump-dom", file.as_uri() + fragment], capture_output=True,
                              text=True, check=True, timeout=120)
        page = Page()
        page.feed(done.stdout)
        return page

    def shown(self, fragment="", script=""):
        """The references that the page shows, and its count."""
        page = self.opened(fragment, script)
        return sorted(page.shown), page.count

    def test_what_it_does(self):
        self.assertEqual(self.opened().impacts, ["installs Package[nginx] on 2 nodes: web1, web2", "writes File[/etc/motd] on all 3 nodes",
                                                 "changes Service[quote'd & </script>] on db1"])
        self.assertEqual(self.opened("#node=db1").impacts, ["writes File[/etc/motd] on all 3 nodes", "changes Service[quote'd & </script>] on db1"])

    def test_all(self):
        self.assertEqual(self.shown(), (["File[/etc/motd]", "Package[nginx]", "Service[quote'd & </script>]", "the catalog"], "4 changes"))

    def test_fragment(self):
        self.assertEqual(self.shown("#node=db1"), (["File[/etc/motd]", "Service[quote'd & </script>]"], "2 of 4 changes"))
        self.assertEqual(self.shown("#node=web2&type=Package"), (["Package[nginx]"], "1 of 4 changes"))

    def test_typing(self):
        typed = "field('search').value = 'SPÄŤ'; field('search').dispatchEvent(new Event('input'));"
        self.assertEqual(self.shown(script=typed), (["Package[nginx]"], "1 of 4 changes"))
        chosen = "field('type').value = 'File'; field('type').dispatchEvent(new Event('input')); document.title = location.hash;"
        self.assertEqual(self.shown(script=chosen), (["File[/etc/motd]"], "1 of 4 changes"))
        nothing = "field('search').value = 'nowhere'; field('search').dispatchEvent(new Event('input'));"
        self.assertEqual(self.shown(script=nothing), ([], "0 of 4 changes"))

    def test_nothing_is_loaded(self):
        self.assertNotIn("http://", self.page)
        self.assertNotIn("https://", self.page)
        self.assertIn("default-src 'none'", self.page)


if __name__ == "__main__":
    if CHROMIUM is None:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
