#!/usr/bin/env python3
"""Which nodes `pupc diff` compiles: those that a changed file can reach. And what it keeps for later runs.

  diff_reach_test.py PUPC SAMPLE      SAMPLE: testdata/sample
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PUPC, SAMPLE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
               "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com", "HOME": "/nonexistent"}


class Repository(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)
        self.top, self.cache, self.facts = self.work / "repo", self.work / "cache", self.work / "facts"
        for folder in (self.top, self.cache, self.facts):
            folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commits = 0

    def git(self, *words):
        return subprocess.run(["git", "-C", self.top, *words], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def commit(self, **files):
        """Writes files (None removes one; __ stands for /, _dot_ for a dot) and commits. Returns the commit."""
        for name, text in files.items():
            file = self.top / name.replace("__", "/").replace("_dot_", ".")
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD").strip()

    def node(self, name, **facts):
        (self.facts / f"{name}.json").write_text(json.dumps(facts))

    def diff(self, before, after, *words):
        words = [PUPC, "diff", before, *([after] if after else []), "--facts", self.facts, "--format", "json", "--cache", self.cache, *words]
        done = subprocess.run(list(map(str, words)), cwd=self.top, capture_output=True, text=True, check=False, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr + done.stdout)
        return done

    def compiled(self, before, after, *words):
        """How many nodes were compiled on both sides; the answer must be that of a comparison of all."""
        some, all_nodes = self.diff(before, after, *words), self.diff(before, after, "--every-node", "--no-cache", *words)
        self.assertEqual(json.loads(some.stdout), json.loads(all_nodes.stdout))
        told = re.search(r"^(\d+) of (\d+) nodes compiled on both sides", some.stderr, re.M)
        return int(told[1]) if told else json.loads(some.stdout)["compared"]


class Reached(Repository):
    def setUp(self):
        super().setUp()
        for name, role in (("a", "web"), ("b", "web"), ("c", "db"), ("d", "none")):
            self.node(name, role=role)
        self.first = self.commit(
            environment_dot_conf="modulepath = site:modules\n", manifests__site_dot_pp="node default { include base\n unless $facts['role'] == 'none' { include \"role::${facts['role']}\" } }\n",
            site__role__manifests__web_dot_pp="class role::web { include nginx }\n", site__role__manifests__db_dot_pp="class role::db($size = 1) { notify { \"size ${size}\": } }\n",
            modules__nginx__manifests__init_dot_pp="class nginx { file { '/n': content => template('nginx/n.erb') } nginx::site { 's': } }\n",
            modules__nginx__manifests__site_dot_pp="define nginx::site { file { \"/${name}\": content => epp('nginx/s.epp'), mode => nginx::mode() } }\n",
            modules__nginx__functions__mode_dot_pp="function nginx::mode() { '0644' }\n", modules__nginx__templates__n_dot_erb="n <%= 1 + 1 %>\n", modules__nginx__templates__s_dot_epp="s\n",
            modules__nginx__files__f="f\n", modules__nginx__lib__puppet__functions__up_dot_rb="Puppet::Functions.create_function(:up) do\n  def up(x) x end\nend\n",
            modules__base__manifests__init_dot_pp="class base($text = 'x', Base::Kind $kind = 'one') { notify { $text: } notify { lookup('deep.er', default_value => 'd'): } }\n",
            modules__base__types__kind_dot_pp="type Base::Kind = Enum['one', 'two']\n",
            hiera_dot_yaml="version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - {name: nodes, path: 'nodes/%{trusted.certname}.yaml'}\n"
                           "  - {name: roles, path: 'roles/%{facts.role}.yaml'}\n  - {name: common, path: common.yaml}\n  - {name: more, glob: 'more/*.yaml'}\n",
            data__common_dot_yaml="base::text: hello\nrole::db::size: 2\nunused: 1\nindirect: z\n", README_dot_md="x\n")

    def reached(self, **files):
        return self.compiled(self.first, self.commit(**files))

    def test_code(self):
        self.assertEqual(self.reached(site__role__manifests__db_dot_pp="class role::db($size = 1) { notify { \"sized ${size}\": } }\n"), 1)
        self.assertEqual(self.reached(modules__nginx__manifests__site_dot_pp="define nginx::site { }\n"), 2 + 1)  # and the change before

    def test_each_kind_of_file(self):
        for change, count in (({"modules__nginx__templates__n_dot_erb": "new\n"}, 2), ({"modules__nginx__templates__s_dot_epp": "new\n"}, 2),
                              ({"modules__nginx__functions__mode_dot_pp": "function nginx::mode() { '0600' }\n"}, 2), ({"README_dot_md": "y\n"}, 0), ({"modules__nginx__files__f": "g\n"}, 0),
                              ({"modules__base__types__kind_dot_pp": "type Base::Kind = Enum['one']\n"}, 4), ({"manifests__site_dot_pp": "node default { include base }\n"}, 4),
                              ({"modules__nginx__lib__puppet__functions__up_dot_rb": "Puppet::Functions.create_function(:up) do\n  def up(x) 1 end\nend\n"}, 4),
                              ({"modules__nginx__spec__x_dot_rb": "1\n"}, 0), ({"modules__new__manifests__init_dot_pp": "class new { }\n"}, 4),
                              ({"modules__nginx__manifests__more_dot_pp": "class nginx::more { }\n"}, 0), ({"modules__nginx__manifests__site_dot_pp": None}, 2)):
            with self.subTest(change):
                self.git("checkout", "-q", "--detach", self.first)
                after = self.commit(**change)
                if list(change.values()) == [None]:
                    both = [json.loads(self.diff(self.first, after, *w).stdout)["failures"] for w in ([], ["--every-node", "--no-cache"])]
                    self.assertEqual(both[0], both[1])
                    self.assertEqual(len(both[0]), count)
                else:
                    self.assertEqual(self.compiled(self.first, after), count)

    def test_data_by_its_keys(self):
        text = (self.top / "data/common.yaml").read_text()
        for change, count in (({"data__common_dot_yaml": text.replace("unused: 1", "unused: 2")}, 0), ({"data__common_dot_yaml": text.replace("size: 2", "size: 3")}, 1),
                              ({"data__common_dot_yaml": text.replace("hello", "bye")}, 4), ({"data__common_dot_yaml": text + "deep: {er: found}\n"}, 4), ({"data__common_dot_yaml": "# new\n" + text}, 0),
                              ({"data__common_dot_yaml": text + "lookup_options: {x: {merge: unique}}\n"}, 4), ({"data__nodes__b_dot_yaml": "base::text: of b\n"}, 1),
                              ({"data__roles__web_dot_yaml": "base::text: web\n"}, 2), ({"data__more__x_dot_yaml": "base::text: more\n"}, 4), ({"hiera_dot_yaml": "version: 5\n"}, 4),
                              ({"data__nodes__zz_dot_yaml": "base::text: of nobody\n"}, 0)):
            with self.subTest(change):
                self.git("checkout", "-q", "--detach", self.first)
                self.assertEqual(self.compiled(self.first, self.commit(**change)), count)

    def test_values_that_lead_to_other_keys(self):
        before = self.commit(data__common_dot_yaml="base::text: \"%{lookup('indirect')}\"\nindirect: z\n")
        self.assertEqual(self.compiled(before, self.commit(data__common_dot_yaml="base::text: \"%{lookup('indirect')}\"\nindirect: zz\n")), 4)

    def test_files_that_templates_and_functions_ask_for(self):
        before = self.commit(modules__nginx__templates__n_dot_erb="<%= File.exist?('" + str(self.work / "outside") + "') %>\n",
                             site__role__manifests__db_dot_pp="class role::db { notify { [find_file('nginx/g'), file('nginx/f')].join(','): } }\n")
        self.assertEqual(self.compiled(before, self.commit(modules__nginx__files__f="h\n")), 1)
        self.assertEqual(self.compiled(before, self.commit(modules__nginx__files__g="g\n")), 1)

    def test_the_checkout(self):
        (self.top / "site/role/manifests/db.pp").write_text("class role::db { }\n")
        self.assertEqual(self.compiled(self.first, None), 1)
        (self.top / "data/nodes").mkdir()
        (self.top / "data/nodes/a.yaml").write_text("base::text: untracked\n")
        self.assertEqual(self.compiled(self.first, None), 2)

    def test_what_ran_outside_is_compiled(self):
        before = self.commit(site__role__manifests__db_dot_pp="class role::db { notify { generate('/bin/echo', 'x'): } }\n")
        self.assertEqual(self.compiled(before, self.commit(README_dot_md="z\n")), 1)

    def test_failures(self):
        broken = self.commit(site__role__manifests__db_dot_pp="class role::db { fail('no') }\n")
        for pair in ((self.first, broken), (broken, self.first)):
            for words in ([], ["--every-node", "--no-cache"]):
                report = json.loads(self.diff(*pair, *words).stdout)
                self.assertEqual([f["node"] for f in report["failures"]], ["c"])
                self.assertEqual(report["compared"], 3)


class Kept(Reached):
    """The same with what earlier runs kept; and that it is not used where something else changed."""

    def compiled(self, before, after, *words):
        time.sleep(0.06)  # files must have settled before a run
        count = super().compiled(before, after, *words)
        again = self.diff(before, after, *words)
        self.assertEqual(json.loads(again.stdout), json.loads(self.diff(before, after, "--no-cache", *words).stdout))
        return count

    def test_what_is_kept_counts_only_while_all_else_is_the_same(self):
        (self.top / ".gitignore").write_text("/vendor\n")
        fetched = self.top / "vendor/fetched/manifests"
        fetched.mkdir(parents=True)
        (fetched / "init.pp").write_text("class fetched { notify { 'one': } }\n")
        before = self.commit(environment_dot_conf="modulepath = site:modules:vendor\n", site__role__manifests__db_dot_pp="class role::db { include fetched }\n")
        after = self.commit(modules__base__manifests__init_dot_pp="class base { include fetched }\n")
        self.assertEqual(self.compiled(before, after), 4)
        self.assertTrue([f for f in os.listdir(self.cache) if f.startswith("diff-answer-")])
        self.assertTrue(all((self.cache / f).stat().st_mode & 0o077 == 0 for f in os.listdir(self.cache)))
        (fetched / "init.pp").write_text("class fetched { notify { 'two': } }\n")
        self.assertIn("Notify[two]", self.diff(before, after).stdout)
        self.node("a", role="db")
        report = json.loads(self.diff(before, after).stdout)
        self.assertEqual(report, json.loads(self.diff(before, after, "--every-node", "--no-cache").stdout))
        (self.cache / next(f for f in os.listdir(self.cache) if f.startswith("diff-nodes-"))).write_text("broken")
        self.assertEqual(report, json.loads(self.diff(before, after).stdout))

    def test_another_branch_from_the_same_commit(self):
        time.sleep(0.06)
        one = self.commit(site__role__manifests__db_dot_pp="class role::db { }\n")
        self.diff(self.first, one)
        self.git("checkout", "-q", "--detach", self.first)
        two = self.commit(site__role__manifests__web_dot_pp="class role::web { }\n")
        self.assertEqual(super(Reached, self).compiled(self.first, two), 2)
        # What the second side looked at counts for what follows it.
        self.git("checkout", "-q", "--detach", one)
        three = self.commit(site__role__manifests__db_dot_pp="class role::db { include base }\n")
        self.assertEqual(super(Reached, self).compiled(one, three), 1)


class Sample(Repository):
    """Changes of the sample's files: the same answer as when all nodes are compiled."""

    def test_changes(self):
        shutil.copytree(SAMPLE / "environments", self.top / "environments")
        for file in sorted((SAMPLE / "facts").iterdir())[::7]:
            shutil.copy(file, self.facts)
        first = self.commit()
        production = self.top / "environments/production"
        counts = {}
        for name, old, new in (("site/profiles/manifests/web.pp", "{", "{ notify { 'more': }"), ("modules/firewall/manifests/rule.pp", "{", "{"), ("data/roles/database.yaml", "\n", "\nnew: 1\n"),
                               ("site/profiles/templates/motd.epp", "\n", "\nmore\n"), ("modules/sshd/manifests/init.pp", "0600", "0640"), ("data/nodes/web01.fra.example.com.yaml", "\n", "\nnew: 2\n"),
                               ("site/roles/manifests/worker.pp", "{", "{ notify { 'w': }"), ("manifests/site.pp", "\n", "\n\n")):
            self.git("checkout", "-q", "--detach", first)
            text = (production / name).read_text()
            self.assertIn(old, text, name)
            at = text.index("class") if "class " in text and old == "{" else 0
            (production / name).write_text(text[:at] + text[at:].replace(old, new, 1) if old != "{" else re.sub(r"\) \{|^class [\w:]+ \{", lambda m: m[0] + new[1:], text, count=1, flags=re.M))
            counts[name] = self.compiled(first, self.commit())
        print(counts, file=sys.stderr)
        self.assertEqual(counts["data/roles/database.yaml"], 0)
        self.assertLess(counts["site/roles/manifests/worker.pp"], counts["manifests/site.pp"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
