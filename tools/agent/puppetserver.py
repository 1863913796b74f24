"""A puppetserver of Debian's packages for scenarios: settings, code, CA and certificates in a directory of its own, as the user `puppet`, on a free port of localhost."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from fleet import Authority, CA_CONFIG, Code, free_port

JAR = "usr/share/puppetserver/puppetserver.jar"
# /proc and /dev of the process, where the root directory is another one.
MOUNTS = 'if [ "$1" != / ]; then mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"; fi; exec chroot --userspec="$2" "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME="$3" "${@:4}"'
PUPPET_CONF = """[main]
server = localhost
certname = localhost
dns_alt_names = localhost
confdir = {top}/conf
ssldir = {top}/ssl
vardir = {top}/var
keylength = 2048
[server]
serverport = {port}
cadir = {top}/var/ca
environmentpath = {top}/code/environments
environment_timeout = 0
autosign = true
node_terminus = exec
external_nodes = {top}/enc
storeconfigs = false
reports = store
"""
# What the classifier says of a node; the code's version, which a file of the environment tells; a file as it was at a version.
PROGRAMS = {"enc": "if [ -f {top}/enc.d/$1 ]; then cat {top}/enc.d/$1; else echo 'classes: {{}}'; fi\n", "code-id": "cat {top}/code/environments/$1/.code_id 2>/dev/null || true\n",
            "code-content": "exec cat \"{top}/code/environments/$1/.code/$2/$3\"\n"}


def missing(root):
    """Why no puppetserver can be started from this root directory, or None."""
    if os.geteuid() != 0:
        return "root is needed"
    return None if (pathlib.Path(root) / JAR).exists() else f"puppetserver is not installed in {root} (PUPC_PUPPETSERVER_ROOT names a root directory of Debian that has it)"


class ServersAuthority(Authority):
    """The puppetserver's CA, whose key is at hand. What is issued here is kept beside it, with serial numbers of its own."""

    def __init__(self, directory, of):
        self.directory, self.of = pathlib.Path(directory), pathlib.Path(of)
        self.directory.mkdir()
        for name, text in (("index", ""), ("serial", "7000\n"), ("ca.cnf", CA_CONFIG)):
            (self.directory / name).write_text(text)
        for name, source in (("ca.pem", "ca_crt.pem"), ("ca.key", "ca_key.pem"), ("crl.pem", "ca_crl.pem")):
            shutil.copy(self.of / source, self.directory / name)

    def revoke(self, *names):
        """The list of the CA anew; that of the CA above it stays as it is."""
        before = re.findall(r"-----BEGIN X509 CRL-----.*?-----END X509 CRL-----\n", (self.of / "ca_crl.pem").read_text(), re.S)
        super().revoke(*names)
        with open(self.directory / "crl.pem", "a") as file:
            file.write("".join(before[1:]))


class Puppetserver(Code):
    def __init__(self, root="/"):
        self.root, self.port, self.process = pathlib.Path(root), free_port(), None
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="pupc-puppetserver-", dir=self.root / "tmp"))
        self.inner = "/" + str(self.top.relative_to(self.root))
        owner = self.root / "etc/passwd"
        self.user = next((int(uid), int(gid)) for name, _, uid, gid, *_ in (line.split(":") for line in owner.read_text().splitlines()) if name == "puppet")
        self.environments, self.code_path = self.top / "code/environments", f"{self.inner}/code/environments"
        (self.top / "enc.d").mkdir()
        self.configure()
        self.own()
        self.in_root("puppetserver", "ca", "setup", "--config", f"{self.inner}/conf/puppet.conf", check=True)
        self.ca = ServersAuthority(self.top / "ca", self.top / "var/ca")
        self.new_code()

    def configure(self):
        """The package's settings, with places of their own."""
        conf = self.top / "conf"
        shutil.copytree(self.root / "etc/puppet/puppetserver", conf / "puppetserver")
        (conf / "puppet.conf").write_text(PUPPET_CONF.format(top=self.inner, port=self.port))
        for name, text in PROGRAMS.items():
            (self.top / name).write_text("#!/bin/sh\n" + text.format(top=self.inner))
            (self.top / name).chmod(0o755)
        for name in ("code/environments", "var", "ssl", "run", "log"):
            (self.top / name).mkdir(parents=True)
        d = conf / "puppetserver/conf.d"
        text = re.sub(r"^ *(server-(conf|code|var|run|log)-dir|max-active-instances):.*\n", "", (d / "puppetserver.conf").read_text(), flags=re.M)
        places = {"conf": "conf", "code": "code", "var": "var", "run": "run", "log": "log"}
        own = "".join(f"    server-{name}-dir: {self.inner}/{place}\n" for name, place in places.items())
        (d / "puppetserver.conf").write_text(text.replace("jruby-puppet: {\n", "jruby-puppet: {\n    max-active-instances: 1\n" + own, 1))
        (d / "versioned-code.conf").write_text(f"versioned-code: {{ code-id-command: {self.inner}/code-id, code-content-command: {self.inner}/code-content }}\n")
        (d / "webserver.conf").write_text(f"webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {self.port} }}\n")
        (d / "global.conf").write_text(f"global: {{ logging-config: {self.inner}/conf/puppetserver/logback.xml }}\n")
        for name in ("logback.xml", "request-logging.xml"):
            file = conf / "puppetserver" / name
            file.write_text(file.read_text().replace("/var/log/puppetserver", f"{self.inner}/log").replace("${logappender}", "STDOUT"))

    def own(self):
        subprocess.run(["chown", "-R", "{}:{}".format(*self.user), self.top], check=True)
        self.top.chmod(0o755)

    def words(self, *command):
        return ["unshare", "-m", "bash", "-c", MOUNTS, "-", str(self.root), "{}:{}".format(*self.user), f"{self.inner}/var", *command]

    def in_root(self, *command, **options):
        return subprocess.run(self.words(*command), capture_output=True, text=True, **options)

    def start(self):
        """Starts it; this takes one to five minutes."""
        self.own()
        conf = f"{self.inner}/conf/puppetserver"
        with open(self.top / "output", "w") as output:
            self.process = subprocess.Popen(self.words("/usr/bin/java", "-Xms512m", "-Xmx1g", "-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger", "-Djruby.lib=/usr/share/jruby/lib",
                                                       "-jar", f"/{JAR}", "--config", f"{conf}/conf.d", "--bootstrap-config", f"{conf}/services.d", "--restart-file", f"{self.inner}/run/restart"),
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        restart = self.top / "run/restart"
        for _ in range(2400):
            if restart.exists() and restart.read_text().startswith("1"):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.25)
        raise RuntimeError("puppetserver does not start: " + (self.top / "output").read_text()[-4000:])

    def close(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.top, ignore_errors=True)

    def new_code(self):
        shutil.rmtree(self.environments, ignore_errors=True)
        self.environments.mkdir(parents=True)
        self.environment("production")
        for file in (self.top / "enc.d").glob("*"):
            file.unlink()

    def classify(self, node, text):
        (self.top / "enc.d" / node).write_text(text)

    def version(self, name="production"):
        directory = self.environments / name
        code = str(20260101 + len(list((directory / ".code").glob("*"))))  # the server tells digits as a number
        shutil.copytree(directory / "modules", directory / ".code" / code / "modules", symlinks=True)
        (directory / ".code_id").write_text(code)

    def bucket(self):
        return self.top / "var/bucket"

    def forget(self, node):
        """The CA knows nothing of the node any more."""
        for name in ("signed", "requests"):
            with contextlib.suppress(FileNotFoundError):
                (self.top / f"var/ca/{name}/{node}.pem").unlink()

    def revoke(self, node):
        """The server refuses the node's certificate from now on."""
        self.ca.revoke(node)
        for place in (self.top / "ssl/crl.pem", self.top / "var/ca/ca_crl.pem"):
            place.write_bytes((self.ca.directory / "crl.pem").read_bytes())
        self.until_refused(node)

    def until_refused(self, node):
        import ssl
        context = ssl.create_default_context(cafile=self.ca.directory / "ca.pem")
        context.load_cert_chain(self.ca.directory / f"{node}.pem", self.ca.directory / f"{node}.key")
        for _ in range(240):
            try:
                with socket.create_connection(("localhost", self.port), 10) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
                    tls.sendall(b"GET /status/v1/simple HTTP/1.0\r\n\r\n")
                    if not tls.recv(1):
                        return
            except OSError:
                return
            time.sleep(0.25)
        raise RuntimeError("the revoked certificate is still taken")
