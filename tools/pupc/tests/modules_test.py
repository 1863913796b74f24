#!/usr/bin/env python3
"""Tests of `pupc modules`, with git repositories and a Forge that the test makes and serves itself.

  modules_test.py PUPC
"""
import hashlib
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import threading
import time
import unittest

from in_folder import InFolder

PUPC = os.path.abspath(sys.argv.pop(1))
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
               "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com", "no_proxy": "*", "NO_PROXY": "*"}
for name in "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "PUPC_FORGE_TOKEN":
    ENVIRONMENT.pop(name, None)


def archive(name, version, files=None, dependencies=(), members=(), top=None):
    """A release as a Forge has it. `members`: further entries of the archive."""
    top = f"{name}-{version}" if top is None else top
    files = {"metadata.json": json.dumps({"name": name, "version": version, "dependencies": list(dependencies)}), "manifests/init.pp": "# code\n", **(files or {})}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
        for entry in members:
            tar.addfile(entry, io.BytesIO(b"x" * entry.size))
    return out.getvalue()


def entry(name, kind=tarfile.REGTYPE, link=""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    member.size = 1 if kind == tarfile.REGTYPE else 0
    return member


class Forge:
    """A Forge on loopback. `releases`: (name, version) -> the archive; `asked`: the paths of the requests so far."""

    def __init__(self):
        self.releases, self.asked, self.token, self.wrong_sum, self.file_uri, self.dependencies = {}, [], None, False, None, {}
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                forge.asked.append(self.path)
                if forge.token and self.headers.get("Authorization") != f"Bearer {forge.token}":
                    return self.answer(401, b"{}")
                body = forge.body(self.path)
                return self.answer(200 if body is not None else 404, body or b'{"message": "404 Not Found"}')

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, name, version, **more):
        self.releases[name, version] = archive(name, version, **more)
        self.dependencies[name, version] = list(more.get("dependencies", ()))

    def body(self, path):
        kind, _, what = path.removeprefix("/v3/").partition("/")
        if kind == "modules":
            versions = [v for n, v in self.releases if n == what]
            return json.dumps({"releases": [{"version": v, "deleted_at": None} for v in versions]}).encode() if versions else None
        for (name, version), data in self.releases.items():
            if kind == "files" and what == f"{name}-{version}.tar.gz":
                return data
            if kind == "releases" and what == f"{name}-{version}":
                return json.dumps({"file_uri": self.file_uri or f"/v3/files/{what}.tar.gz",
                                   "file_sha256": "0" * 64 if self.wrong_sum else hashlib.sha256(data).hexdigest(),
                                   "metadata": {"dependencies": self.dependencies[name, version]}}).encode()
        return None


class Modules(InFolder):
    def setUp(self):
        super().setUp()
        self.forge = Forge()
        self.addCleanup(self.forge.server.server_close)
        self.addCleanup(self.forge.server.shutdown)
        os.makedirs(os.path.join(self.root, "repo"))
        self.repo = pathlib.Path(self.root, "repo")
        self.modules = self.repo / "modules"

    def puppetfile(self, text):
        self.file("repo/Puppetfile", f"forge '{self.forge.url}'\n{text}")

    def pupc(self, *words, code=0, environment=()):
        done = subprocess.run([PUPC, "modules", *words, "--cache", os.path.join(self.root, "cache")], cwd=self.repo, capture_output=True, text=True,
                              timeout=120, check=False, env={**ENVIRONMENT, **dict(environment)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        leftovers = [p.name for p in self.modules.iterdir() if p.name.startswith(".pupc-work")] if self.modules.is_dir() else []
        self.assertEqual(leftovers, [])
        return done

    def git(self, where, *words):
        return subprocess.run(["git", "-C", where, *words], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout.strip()

    def repository(self, name="own"):
        path = os.path.join(self.root, "git", name)
        os.makedirs(path)
        self.git(path, "init", "-q", "-b", "main")
        self.commit(path, "first")
        self.git(path, "tag", "v1.0.0")
        return path

    def commit(self, path, text, file="manifests/init.pp"):
        full = os.path.join(path, file)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(f"# {text}\n")
        self.git(path, "add", "-A")
        self.git(path, "commit", "-q", "-m", text)
        return self.git(path, "rev-parse", "HEAD")

    def code_of(self, name, file="manifests/init.pp"):
        return self.text(self.modules / name / file)


class FromForge(Modules):
    def test_installs_and_leaves_what_is_right(self):
        for version in "1.0.0", "1.2.0", "2.0.0-rc1":
            self.forge.add("a-one", version)
        self.forge.add("a-two", "3.0.0")
        self.puppetfile("mod 'a/one', '1.0.0'\nmod 'a-two', :latest\n")
        self.assertIn("a-one is missing, asked for is 1.0.0", self.pupc("check", code=1).stdout)
        self.assertFalse(self.modules.exists())
        done = self.pupc("install")
        self.assertIn("2 modules: 2 installed, 0 right already, 0 removed", done.stdout)
        self.assertEqual(json.loads(self.text(self.modules / "one/metadata.json"))["version"], "1.0.0")
        self.assertEqual(oct((self.modules / "one/manifests/init.pp").stat().st_mode & 0o7777), "0o644")
        self.forge.asked.clear()
        self.puppetfile("mod 'a/one', '1.0.0'\nmod 'a-two', '>= 3.0.0 < 4.0.0'\n")
        self.assertIn("0 installed, 2 right already", self.pupc("install").stdout)
        self.assertEqual(self.forge.asked, [], "what is right asks nobody")
        self.assertIn("2 right, 0 missing", self.pupc("check").stdout)
        self.assertIn("a-one has a newer 1.2.0 than 1.0.0\n", self.pupc("check", "--newer").stdout)
        self.puppetfile("mod 'a/one', '1.2.0'\n")
        done = self.pupc("install")
        self.assertIn("a-one 1.2.0, was 1.0.0\nmodules/two removed\n", done.stdout)
        self.assertFalse((self.modules / "two").exists())

    def test_what_nobody_named_stays(self):
        self.puppetfile("")
        self.file("repo/modules/mine/manifests/init.pp", "# mine\n")
        self.assertIn("modules/mine is there and not named; --purge", self.pupc("install").stderr)
        self.assertTrue((self.modules / "mine").exists())
        self.pupc("install", "--purge")
        self.assertFalse((self.modules / "mine").exists())

    def test_a_directory_of_a_person_is_not_replaced(self):
        self.forge.add("a-one", "1.0.0")
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        self.file("repo/modules/one/notes", "mine\n")
        self.assertIn("modules/one is not from here: --force replaces it", self.pupc("install", code=1).stderr)
        self.assertEqual(self.code_of("one", "notes"), "mine\n")
        self.pupc("install", "--force")
        self.assertEqual(self.code_of("one"), "# code\n")
        # Another version, as r10k has put it there, is no person's work.
        self.pupc("install", "--force")
        (self.modules / ".pupc-modules.json").unlink()
        self.forge.add("a-one", "1.1.0")
        self.puppetfile("mod 'a-one', '1.1.0'\n")
        self.pupc("install")

    def test_links_in_the_way(self):
        self.forge.add("a-one", "1.0.0")
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        outside = self.file("outside/precious", "x")
        self.modules.mkdir()
        (self.modules / "one").symlink_to(os.path.dirname(outside))
        self.pupc("install", code=1)
        self.pupc("install", "--force")
        self.assertTrue(os.path.exists(outside))
        self.assertFalse((self.modules / "one").is_symlink())

    def test_checksums(self):
        self.forge.add("a-one", "1.0.0")
        self.forge.wrong_sum = True
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        self.assertIn("the file is not the one that the Forge describes", self.pupc("install", code=1).stderr)
        self.assertFalse((self.modules / "one").exists())

    def test_the_forge_names_no_other_host(self):
        self.forge.add("a-one", "1.0.0")
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        for uri in "https://example.invalid/x.tar.gz", "file:///etc/passwd", "x.tar.gz":
            self.forge.file_uri = uri
            self.assertIn("names no file of its own", self.pupc("install", code=1).stderr)

    def test_token(self):
        self.forge.add("a-one", "1.0.0")
        self.forge.token = "sesame-value"
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        self.assertIn("it asks for a token", self.pupc("install", code=1).stderr)
        self.pupc("install", environment={"PUPC_FORGE_TOKEN": "sesame-value"})
        (self.modules / "one/metadata.json").unlink()
        self.pupc("install", "--forge-token-file", self.file("token", "sesame-value\n"))
        self.assertNotIn("sesame", "".join(p.read_text() for p in self.repo.rglob("*") if p.is_file()))

    def test_hostile_archives(self):
        top = "a-one-1.0.0"
        for members, told in (
                ([entry("../evil")], "would be outside the module"),
                ([entry(f"{top}/../../evil")], "would be outside the module"),
                ([entry("/tmp/evil")], "would be outside the module"),
                ([entry(f"{top}/link", tarfile.SYMTYPE, "../../.."), entry(f"{top}/link/evil")], "would be outside the module"),
                ([entry(f"{top}/link", tarfile.SYMTYPE, "/etc/passwd")], "leads out of the module"),
                ([entry(f"{top}/link", tarfile.SYMTYPE, "../other")], "leads out of the module"),
                ([entry(f"{top}/hard", tarfile.LNKTYPE, "/etc/passwd")], "would be outside the module"),
                ([entry(f"{top}/fifo", tarfile.FIFOTYPE)], "neither a file nor a directory"),
                ([entry(f"{top}/.git/config")], "it has a .git"),
                ([entry("second/file")], "not in one directory")):
            self.forge.releases["a-one", "1.0.0"] = archive("a-one", "1.0.0", members=members)
            self.forge.dependencies["a-one", "1.0.0"] = []
            self.puppetfile("mod 'a-one', '1.0.0'\n")
            self.assertIn(told, self.pupc("install", code=1).stderr, members[-1].name)
            self.assertFalse((self.modules / "one").exists())
            self.assertEqual([str(p) for p in pathlib.Path(self.root).rglob("evil")], [])
        self.forge.releases["a-one", "1.0.0"] = archive("a-other", "1.0.0")
        self.assertIn("its metadata.json is not that of a-one 1.0.0", self.pupc("install", code=1).stderr)
        self.forge.releases["a-one", "1.0.0"] = b"no archive"
        self.assertIn("cannot be unpacked", self.pupc("install", code=1).stderr)
        # A link that stays inside is fine, and special bits go.
        program = entry(f"{top}/program")
        program.mode = 0o4755
        self.forge.releases["a-one", "1.0.0"] = archive("a-one", "1.0.0", members=[program, entry(f"{top}/link", tarfile.SYMTYPE, "manifests/init.pp")])
        self.pupc("install")
        self.assertEqual(self.code_of("one", "link"), "# code\n")
        self.assertEqual((self.modules / "one/program").stat().st_mode & 0o7777, 0o755)

    def test_one_failure_does_not_stop_the_others(self):
        self.forge.add("a-one", "1.0.0")
        self.puppetfile("mod 'a-none', '1.0.0'\nmod 'a-one', '1.0.0'\n")
        done = self.pupc("install", code=1)
        self.assertRegex(done.stderr, r"Error: a-none: http://127\.0\.0\.1:\d+/v3/releases/a-none-1\.0\.0: the Forge answers 404: it does not have that \(file: Puppetfile, line: 2\)")
        self.assertIn("1 installed", done.stdout)

    def test_lock(self):
        self.forge.add("a-one", "1.0.0")
        own = self.repository()
        self.puppetfile(f"mod 'a-one', '1.x'\nmod 'own', git: '{own}', branch: 'main'\n")
        self.pupc("install", "--lock")
        first = self.git(own, "rev-parse", "HEAD")
        lock = json.loads(self.text(self.repo / "Puppetfile.lock.json"))["modules"]
        self.assertEqual((lock["modules/one"]["got"], lock["modules/own"]["got"]), ("1.0.0", first))
        self.assertEqual(lock["modules/one"]["sha256"], hashlib.sha256(self.forge.releases["a-one", "1.0.0"]).hexdigest())
        self.forge.add("a-one", "1.1.0")
        second = self.commit(own, "second")
        subprocess.run(["rm", "-rf", self.modules], check=True)
        self.pupc("install")
        self.assertEqual((json.loads(self.code_of("one", "metadata.json"))["version"], self.code_of("own")), ("1.0.0", "# first\n"))
        # The Forge has another file under the same version.
        subprocess.run(["rm", "-rf", self.modules], check=True)
        good = self.forge.releases["a-one", "1.0.0"]
        self.forge.add("a-one", "1.0.0", files={"more": "x"})
        self.assertIn("another file for 1.0.0 than the lock", self.pupc("install", code=1).stderr)
        self.forge.releases["a-one", "1.0.0"] = good
        self.pupc("install", "--update")
        lock = json.loads(self.text(self.repo / "Puppetfile.lock.json"))["modules"]
        self.assertEqual((lock["modules/one"]["got"], lock["modules/own"]["got"]), ("1.1.0", second))
        self.file("repo/Puppetfile.lock.json", "GIT\n  remote: x\n")
        self.assertIn("It is no lock of `pupc modules`", self.pupc("install", code=1).stderr)

    def test_dependencies_of_metadata(self):
        self.forge.add("a-lib", "1.0.0")
        self.forge.add("a-lib", "1.5.0")
        self.forge.add("a-lib", "2.0.0")
        self.forge.add("a-mid", "1.0.0", dependencies=[{"name": "a/lib", "version_requirement": ">= 1.0.0 < 2.0.0"}])
        self.file("repo/metadata.json", json.dumps({"name": "me-mine", "version": "0.1.0", "dependencies": [
            {"name": "a-lib", "version_requirement": ">= 1.0.0"}, {"name": "a/mid", "version_requirement": ">= 1.0.0 < 2.0.0"}]}))
        self.pupc("install", "--forge", self.forge.url)
        self.modules = self.repo / "spec/fixtures/modules"
        self.assertEqual(json.loads(self.code_of("lib", "metadata.json"))["version"], "1.5.0")
        self.assertTrue((self.modules / "mid").is_dir())
        self.forge.asked.clear()
        self.assertIn("0 installed, 2 right already", self.pupc("install", "--forge", self.forge.url).stdout)
        self.assertEqual(self.forge.asked, [])
        self.file("repo/metadata.json", json.dumps({"name": "me-mine", "version": "0.1.0", "dependencies": [
            {"name": "a-lib", "version_requirement": ">= 2.0.0"}, {"name": "a/mid"}]}))
        self.assertRegex(self.pupc("install", "--forge", self.forge.url, code=1).stderr, "a-lib: no release fits '>= .*' and '>= ")

    def test_unmet_dependencies_are_told(self):
        self.forge.add("a-one", "1.0.0", dependencies=[{"name": "a/lib", "version_requirement": ">= 1.0.0"}])
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        self.assertEqual(self.pupc("install").stderr, "Warning: 1 of the modules' dependencies is not met: `pupc modules check` lists them\n")
        self.assertIn("Warning: a-one 1.0.0 needs a-lib >= 1.0.0, which nothing names", self.pupc("check").stderr)
        self.forge.add("a-lib", "0.5.0")
        self.puppetfile("mod 'a-one', '1.0.0'\nmod 'a-lib', '0.5.0'\n")
        self.pupc("install")
        self.assertIn("needs a-lib >= 1.0.0, which is there in version 0.5.0", self.pupc("check").stderr)

    def test_forty_modules_that_are_right_take_no_time(self):
        for n in range(40):
            self.forge.add(f"a-m{n}", "1.0.0")
        self.puppetfile("".join(f"mod 'a-m{n}', '1.0.0'\n" for n in range(40)))
        self.pupc("install")
        best = min(self.timed() for _ in range(5))
        self.assertLess(best, 0.2)

    def timed(self):
        begin = time.monotonic()
        self.pupc("install")
        return time.monotonic() - begin


class FromGit(Modules):
    def test_revisions(self):
        own = self.repository()
        first = self.git(own, "rev-parse", "HEAD")
        self.git(own, "tag", "-a", "annotated", "-m", "x")
        self.git(own, "checkout", "-q", "-b", "feature")
        feature = self.commit(own, "feature")
        self.git(own, "checkout", "-q", "main")
        self.commit(own, "second")
        for revision, text in (("", "second"), ("tag: 'v1.0.0'", "first"), (":tag => 'annotated'", "first"), ("branch: 'feature'", "feature"),
                               (f"commit: '{first}'", "first"), (f"ref: '{feature[:10]}'", "feature"), ("ref: 'feature'", "feature"),
                               ("branch: 'gone', default_branch: 'feature'", "feature"),
                               ("branch: 'gone', default_branch: 'main', default_branch_override: 'feature'", "feature"),
                               ("branch: :control_branch, default_branch: 'main'", "second")):
            self.puppetfile(f"mod 'own', git: '{own}'{', ' if revision else ''}{revision}\n")
            self.pupc("install")
            self.assertEqual(self.code_of("own"), f"# {text}\n", revision)
            self.assertFalse((self.modules / "own/.git").exists())
        for revision, told in (("tag: 'main'", "there is no tag 'main'"), ("branch: 'v1.0.0'", "there is no branch 'v1.0.0'"),
                               ("branch: :control_branch", "is on no branch"), (f"commit: '{'0' * 40}'", "")):
            self.puppetfile(f"mod 'own', git: '{own}', {revision}\n")
            self.assertIn(told, self.pupc("install", code=1).stderr)
            self.assertEqual(self.code_of("own"), "# second\n", "what was there stays")
        self.assertIn("there is no branch 'gone'", self.pupc_with("branch: 'gone'", own))
        self.puppetfile(f"mod 'own', git: '{own}', branch: 'gone'\n")
        self.pupc("install", "--default-branch-override", "feature")
        self.assertEqual(self.code_of("own"), "# feature\n")

    def pupc_with(self, revision, own):
        self.puppetfile(f"mod 'own', git: '{own}', {revision}\n")
        return self.pupc("install", code=1).stderr

    def test_control_branch(self):
        own = self.repository()
        self.git(own, "checkout", "-q", "-b", "staging")
        self.commit(own, "staging")
        self.git(self.repo, "init", "-q", "-b", "staging")
        self.puppetfile(f"mod 'own', git: '{own}', branch: :control_branch, default_branch: 'main'\n")
        self.pupc("install")
        self.assertEqual(self.code_of("own"), "# staging\n")
        self.pupc("install", "--control-branch", "unknown")
        self.assertEqual(self.code_of("own"), "# first\n")

    def test_branches_move_and_tags_stay(self):
        own = self.repository()
        self.puppetfile(f"mod 'own', git: '{own}', branch: 'main'\nmod 'tagged', git: '{own}', tag: 'v1.0.0'\n")
        self.pupc("install")
        self.assertIn("2 right already", self.pupc("install").stdout)
        second = self.commit(own, "second")
        self.git(own, "tag", "v1.1.0")
        newer = self.pupc("check", "--newer").stdout
        self.assertIn(f"own has a newer {second[:10]}", newer)
        self.assertIn("tagged has a newer v1.1.0", newer)
        self.assertIn(f"own {second[:10]}, was", self.pupc("install").stdout)
        self.assertEqual((self.code_of("own"), self.code_of("tagged")), ("# second\n", "# first\n"))

    def test_a_tag_asks_the_repository_once(self):
        own = self.repository()
        self.puppetfile("".join(f"mod 'm{n}', git: '{own}', {how}\n" for n, how in enumerate(("ref: 'v1.0.0'", "tag: 'v1.0.0'", f"commit: '{self.git(own, 'rev-parse', 'HEAD')}'"))))
        self.pupc("install")
        os.rename(own, own + ".away")
        self.assertIn("3 right already", self.pupc("install").stdout)
        self.puppetfile(f"mod 'm0', git: '{own}', ref: 'main'\n")  # another request, and a branch may have moved
        self.pupc("install", code=1)

    def test_directories_as_librarian_has_them(self):
        self.file("repo/site/own/manifests/init.pp", "# own\n")
        self.puppetfile("mod 'own', path: './site/own'\nmod 'there', :path => 'modules/there'\n")
        self.file("repo/modules/there/manifests/init.pp", "# there\n")
        self.assertIn("own is missing, asked for is the directory ./site/own", self.pupc("check", code=1).stdout)
        self.pupc("install")
        self.assertEqual((self.code_of("own"), self.code_of("there")), ("# own\n", "# there\n"))
        self.assertIn("0 installed, 2 right already", self.pupc("install").stdout)
        self.file("repo/site/own/manifests/init.pp", "# changed\n")
        self.pupc("check", code=1)
        self.pupc("install")
        self.assertEqual(self.code_of("own"), "# changed\n")
        self.puppetfile("mod 'there', path: 'modules/there'\nmod 'gone', path: 'site/gone'\n")
        done = self.pupc("install", code=1)
        self.assertIn("there is no directory site/gone (file: Puppetfile, line: 3)", done.stderr)
        self.assertIn("modules/own removed", done.stdout)

    def test_paths(self):
        own = self.repository()
        self.commit(own, "inner", file="sub/inner/manifests/init.pp")
        self.commit(own, "test", file="spec/a_spec.rb")
        self.puppetfile(f"mod 'inner', git: '{own}', path: 'sub/inner'\nmod 'own', git: '{own}', install_path: 'site/fetched', exclude_spec: true\n"
                        "mod 'here', local: true\n")
        self.file("repo/modules/here/x", "")
        self.pupc("install")
        self.assertEqual(self.code_of("inner"), "# inner\n")
        self.assertEqual(self.text(self.repo / "site/fetched/own/manifests/init.pp"), "# first\n")
        self.assertFalse((self.repo / "site/fetched/own/spec").exists())
        self.puppetfile("mod 'here', local: true\nmod 'absent', local: true\n")
        self.assertIn("absent is missing, asked for is what this repository has itself\n", self.pupc("check", code=1).stdout)
        self.puppetfile("mod 'here', local: true\n")
        self.assertIn("modules/inner removed\nsite/fetched/own removed\n", self.pupc("install").stdout)
        self.assertTrue((self.modules / "here/x").exists())

    def test_links_out_of_the_repository(self):
        own = self.repository()
        os.symlink("../../../../etc/passwd", os.path.join(own, "link"))
        self.commit(own, "with a link")
        self.puppetfile(f"mod 'own', git: '{own}'\n")
        self.assertIn("its link 'link' leads out of the module", self.pupc("install", code=1).stderr)
        self.assertFalse((self.modules / "own").exists())

    def test_passwords_are_not_shown(self):
        self.puppetfile("mod 'own', git: 'http://me:opensesame@127.0.0.1:9/x.git'\n")
        done = self.pupc("install", code=1)
        self.assertNotIn("opensesame", done.stdout + done.stderr)
        self.assertIn("http://***@127.0.0.1:9/x.git", done.stderr)

    def test_programs_in_urls_are_not_run(self):
        mark = os.path.join(self.root, "ran")
        for url in f"ext::touch {mark}", f"--upload-pack=touch {mark}":
            self.puppetfile(f"mod 'own', git: '{url}'\n")
            self.pupc("install", code=1)
            self.assertFalse(os.path.exists(mark))

    def test_local_changes_of_a_checkout(self):
        own = self.repository()
        self.modules.mkdir()
        self.git(self.modules, "clone", "-q", own, "own")
        commit = self.git(own, "rev-parse", "HEAD")
        self.puppetfile(f"mod 'own', git: '{own}', commit: '{commit}'\n")
        self.assertIn("1 right already", self.pupc("install").stdout)  # as r10k has left it
        self.file("repo/modules/own/manifests/init.pp", "# changed\n")
        second = self.commit(own, "second")
        self.puppetfile(f"mod 'own', git: '{own}', commit: '{second}'\n")
        self.assertIn("changes that are not committed", self.pupc("install", code=1).stderr)
        self.assertEqual(self.code_of("own"), "# changed\n")


class Language(Modules):
    def error(self, text):
        self.file("repo/Puppetfile", text)
        done = self.pupc("check", code=1)
        return done.stderr.strip().replace(f"{self.repo}/", "")

    def test_forms(self):
        self.file("repo/Puppetfile", """\
# comment
forge "https://forge.example.com"
moduledir 'fetched'
=begin
mod 'not/this'
=end
mod('a/one', '1.0.0')
mod "a-two",
  :latest
mod 'three', # comment
  :git => 'https://git.example.com/three.git',
  'tag' => 'v1'
mod 'four', git: 'git@example.com:four.git', branch: :control_branch, :default_branch => 'main'
mod 'five', { } if false
""")
        self.assertIn("Puppetfile, line: 14, column: 13)", self.pupc("check", code=1).stderr)
        text = self.text(self.repo / "Puppetfile").rsplit("mod 'five'", 1)[0]
        self.file("repo/Puppetfile", text)
        out = self.pupc("check", code=1).stdout
        for line in ("a-one is missing, asked for is 1.0.0", "a-two is missing, asked for is latest", "three is missing, asked for is tag v1",
                     "four is missing, asked for is the control repository's branch", "4 modules: 0 right, 4 missing, 0 different"):
            self.assertIn(line, out)

    def test_names_of_forges(self):
        """Old files name only the host, or that of the Forge's pages."""
        host = self.forge.url.removeprefix("http://")
        self.forge.add("a-one", "1.0.0")
        for written, asked in ((self.forge.url + "/", "http://" + host), (host, "https://" + host), (f"https://{host}", "https://" + host),
                               ("http://forge.puppetlabs.com", "https://forgeapi.puppetlabs.com"), ("forge.puppet.com/v3", "https://forgeapi.puppet.com")):
            self.file("repo/Puppetfile", f"forge '{written}'\nmod 'a-one', '1.0.0'\n")
            done = subprocess.run([PUPC, "modules", "install", "--cache", os.path.join(self.root, "cache")], cwd=self.repo, capture_output=True, text=True, timeout=120,
                                  check=False, env={**ENVIRONMENT, "https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"})
            self.assertTrue(done.returncode == 0 or f"Error: a-one: {asked}/v3/releases/a-one-1.0.0: " in done.stderr, done.stderr)

    def test_errors_have_places(self):
        for text, told in (
                ("mod 'a/b', ENV['X']\n", "Error: Expected a text, a symbol, true or false, not 'ENV': a Puppetfile's Ruby is not run (file: Puppetfile, line: 1, column: 12)"),
                ("\nsystem('touch x')\n", "expected mod, forge, moduledir, metadata or exclusion, not 'system' (file: Puppetfile, line: 2, column: 1)"),
                ("mod \"a/#{x}\"\n", "expected a text without interpolation (file: Puppetfile, line: 1, column: 5)"),
                ("mod '../evil', git: 'x'\n", "Expected the name of a module"),
                ("mod 'a/../b', '1'\n", "Expected the name of a module"),
                ("mod 'b'\n", "A module of the Forge has an author: expected 'AUTHOR-b', or git: with a URL"),
                ("mod 'b', git: '-x'\n", "git: expected the URL of a repository"),
                ("mod 'b', git: 'x', tag: '--upload-pack=x'\n", "tag: expected the name of a revision"),
                ("mod 'b', git: 'x', install_path: '../..'\n", "install_path: expected a directory below the Puppetfile's"),
                ("mod 'b', git: 'x', path: '/etc'\n", "path: expected a directory in the repository"),
                ("moduledir '../x'\n", "Expected a directory below the Puppetfile's, without '..'"),
                ("moduledir '/etc'\n", "Expected a directory below the Puppetfile's, without '..'"),
                ("mod 'b', git: 'x', tag: 'a', branch: 'b'\n", "Expected one of ref, tag, branch and commit, not several"),
                ("mod 'b', git: 'x', colour: 'b'\n", "mod has no option 'colour'; expected one of git, ref"),
                ("mod 'b', svn: 'x'\n", "The source svn is not supported"),
                ("mod 'a-b', '1.0.0'\nmod 'c/b', '1.0.0'\n", "The module 'b' stands twice, first in line 1 (file: Puppetfile, line: 2, column: 1)"),
                ("mod 'a-b\n", "This quote is not closed on its line"),
                ("mod 'a-b',", "Expected an argument after the comma, not the end of the file"),
                ("forge 'ftp://x'\n", "Expected the URL of a Forge"), ("forge 'x'\n", "Expected the URL of a Forge"),
                ("mod 'a-b', '1.0.0', path: 'x'\n", "ref, tag, branch, commit and path belong to a module of git")):
            self.assertIn(told, self.error(text), text)

    def test_places_where_all_can_write_are_not_trusted(self):
        self.puppetfile("")
        os.chmod(self.repo, 0o1777)
        self.assertIn("another user can change", self.pupc("check", code=2).stderr)
        self.pupc("check", "--puppetfile", "Puppetfile")

    def test_usage(self):
        self.pupc("check", code=2)
        self.puppetfile("mod 'a-one', '1.0.0'\n")
        self.pupc(code=2)
        self.pupc("install", "--newer", code=2)
        self.pupc("check", "--lock", code=2)
        self.assertIn("It names no module 'two'", self.pupc("install", "two", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
