#!/usr/bin/env python3
"""Files and archives from servers that this test starts: certificates are checked, https never becomes http, members stay in their target.

  supply_test.py PUPC

The certificate that is trusted is put in place of the machine's in a mount namespace of its own; without one (77) nothing can be told.
"""
import http.server
import io
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

PUPC = str(pathlib.Path(sys.argv.pop(1)).resolve())
STORE = "/etc/ssl/certs/ca-certificates.crt"


def tar_of(*members):
    """A tar with (name, type, link) members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, link in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname = link
            text = b"evil" if kind == tarfile.REGTYPE else b""
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return out.getvalue()


ARCHIVES = {
    "good": tar_of(("dir/x", tarfile.REGTYPE, ""), ("dir/l", tarfile.SYMTYPE, "x")),
    "parent": tar_of(("../escaped", tarfile.REGTYPE, "")),
    "inner-parent": tar_of(("a/../../escaped", tarfile.REGTYPE, "")),
    "hard-link": tar_of(("h", tarfile.LNKTYPE, "../victim")),
    "through-link": tar_of(("door", tarfile.SYMTYPE, ".."), ("door/escaped", tarfile.REGTYPE, "")),
    "over-link": tar_of(("door", tarfile.SYMTYPE, "../victim"), ("door", tarfile.REGTYPE, "")),
}


# The attributes that the test uses; pupc's own provider does the rest.
ARCHIVE_TYPE = """Puppet::Type.newtype(:archive) do
  ensurable
  newparam(:path, namevar: true)
""" + "".join(f"  newparam(:{name})\n" for name in "source extract extract_path cleanup extract_command checksum checksum_type".split()) + """  newproperty(:creates)
end
"""


class Handler(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        Handler.asked.append((self.server.name, self.path))
        if self.path.startswith("/to-http"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.plain_port}/file")
            self.end_headers()
            return
        body = ARCHIVES.get(self.path.strip("/").removesuffix(".tar"), b"content\n")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Supply(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = pathlib.Path(cls.folder.name)
        for name in ("trusted", "stranger"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost", "-keyout", cls.top / f"{name}.key", "-out", cls.top / f"{name}.crt"],
                           check=True, capture_output=True)
        cls.servers = {}
        plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.start(plain, "plain", plain.server_port)
        for name in ("trusted", "stranger"):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(cls.top / f"{name}.crt", cls.top / f"{name}.key")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            cls.start(server, name, plain.server_port)

    @classmethod
    def start(cls, server, name, plain_port):
        server.name, server.plain_port = name, plain_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.servers[name] = server

    @classmethod
    def tearDownClass(cls):
        for server in cls.servers.values():
            server.shutdown()
        cls.folder.cleanup()

    def setUp(self):
        Handler.asked.clear()
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        (self.work / "out").mkdir()
        (self.work / "tmp").mkdir()
        (self.work / "modules/archive/lib/puppet/type").mkdir(parents=True)
        (self.work / "modules/archive/lib/puppet/type/archive.rb").write_text(ARCHIVE_TYPE)
        (self.work / "victim").write_text("kept")

    def url(self, server, path):
        scheme = "http" if server == "plain" else "https"
        return f"{scheme}://localhost:{self.servers[server].server_port}/{path}"

    def apply(self, manifest):
        """Applies a manifest where the trusted server's certificate is the only one that the machine trusts."""
        (self.work / "site.pp").write_text(manifest)
        done = subprocess.run(["unshare", "-m", "sh", "-c", f'mount --bind "$1" {STORE} && shift && exec "$@"', "sh", self.top / "trusted.crt", PUPC, "apply",
                               "--vardir", self.work / "var", "--modulepath", self.work / "modules", "--detailed-exitcodes", self.work / "site.pp"],
                              env={**{k: v for k, v in os.environ.items() if "proxy" not in k.lower()}, "TMPDIR": str(self.work / "tmp")}, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def file(self, url):
        code, said = self.apply(f"file {{ '{self.work}/f': source => '{url}' }}")
        return code, said, (self.work / "f").exists()

    def archive(self, url, more=""):
        code, said = self.apply(f"archive {{ '{self.work}/a.tar': source => '{url}', {more} }}")
        return code, said, (self.work / "a.tar").exists()

    def test_trusted_servers_are_used(self):
        code, said, there = self.file(self.url("trusted", "file"))
        self.assertEqual((code, there), (2, True), said)
        code, said, there = self.archive(self.url("trusted", "file"))
        self.assertEqual((code, there), (2, True), said)

    def test_certificates_are_checked(self):
        for fetch in (self.file, self.archive):
            code, said, there = fetch(self.url("stranger", "file"))
            self.assertEqual((code, there), (4, False), said)
            self.assertIn("certificate", said)
            code, said, there = fetch(self.url("trusted", "file").replace("localhost", "127.0.0.1"))
            self.assertEqual((code, there), (4, False), said)

    def test_https_is_not_redirected_to_http(self):
        for fetch in (self.file, self.archive):
            code, said, there = fetch(self.url("trusted", "to-http"))
            self.assertEqual((code, there), (4, False), said)
        self.assertNotIn("plain", [server for server, _ in Handler.asked])
        code, said, there = self.file(self.url("plain", "to-http"))
        self.assertEqual((code, there), (2, True), said)

    def test_checksums_of_downloads(self):
        code, said, there = self.archive(self.url("trusted", "file"), f"checksum => '{'0' * 64}', checksum_type => 'sha256'")
        self.assertEqual((code, there), (4, False), said)
        self.assertIn("checksum mismatch", said)
        self.assertEqual(os.listdir(self.work / "tmp"), [])

    def test_members_stay_in_their_target(self):
        for name in ARCHIVES:
            more = f"extract => true, extract_path => '{self.work}/out', creates => '{self.work}/out/none', cleanup => false, extract_command => 'tar xPf %s'"
            code, said, _ = self.archive(self.url("trusted", name + ".tar"), more)
            (self.work / "a.tar").unlink(missing_ok=True)
            if name == "good":
                self.assertTrue((self.work / "out/dir/l").is_symlink(), said)
            else:
                self.assertIn("would be outside the target directory", said, name)
            self.assertFalse((self.work / "escaped").exists(), name)
            self.assertEqual((self.work / "victim").read_text(), "kept", name)


if __name__ == "__main__":
    def skip(why):
        print(f"skipped: {why}")
        sys.exit(77)

    if missing := [tool for tool in ("openssl", "curl", "tar", "unshare") if not shutil.which(tool)]:
        skip(f"there is no {' and no '.join(missing)}")
    if not os.path.exists(STORE):
        skip(f"there is no {STORE}")
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        skip("needs root and a mount namespace")
    unittest.main()
