#!/usr/bin/env python3
"""Ruby that an environment has in its own `lib`, without a module: functions of both APIs and a Hiera backend, with the files that they require.
Types and functions of another namespace are not found there, as in Puppet.

  environment_ruby_test.py PUPC

All but what needs a second function of a file or asks a server runs without a Ruby process.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

PUPC = os.path.abspath(sys.argv[1])
FILES = {
    "lib/puppet/functions/shout.rb": """
        Puppet::Functions.create_function(:shout) do
          dispatch(:shout) { param 'String', :text }
          def shout(text)
            text.upcase + '!'
          end
        end
    """,
    "lib/puppet/functions/environment/port.rb": """
        Puppet::Functions.create_function(:'environment::port') do
          dispatch(:port) { param 'Integer', :base }
          def port(base)
            base + 1
          end
        end
    """,
    "lib/puppet/parser/functions/padded.rb": """
        require File.join(File.dirname(__FILE__), '..', '..', '..', 'site_helpers', 'padding.rb')
        module Puppet::Parser::Functions
          newfunction(:padded, :type => :rvalue, :arity => 1) do |args|
            pad_left(args[0])
          end
        end
    """,
    "lib/site_helpers/padding.rb": """
        def pad_left(text)
          text.rjust(6, '.')
        end
    """,
    "lib/puppet/functions/site_data.rb": """
        Puppet::Functions.create_function(:site_data) do
          dispatch(:find) do
            param 'String', :key
            param 'Hash', :options
            param 'Puppet::LookupContext', :context
          end
          def find(key, options, context)
            return context.cached_value(key) if context.cache_has_key(key)
            context.not_found unless key.start_with?('known')
            context.cache(key, "#{options['prefix']}#{key}")
          end
        end
    """,
    "hiera.yaml": """
        version: 5
        hierarchy:
          - name: site
            lookup_key: site_data
            options: {prefix: 'v-'}
    """,
    "manifests/site.pp": """
        notify { shout('hello'): }
        notify { "port ${environment::port(8080)}": }
        notify { padded('abc'): }
        notify { lookup('known::a'): }
        notify { lookup('other', undef, undef, 'none'): }
    """,
}


def written(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.strip("\n").split("\n")
        margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        path.write_text("".join(line[margin:] + "\n" for line in lines), encoding="utf-8")


class EnvironmentRuby(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = pathlib.Path(folder.name) / "environments" / "production"
        written(self.environment, FILES)

    def run_pupc(self, *arguments):
        return subprocess.run([PUPC, *arguments], capture_output=True, text=True, check=False, timeout=60)

    def compiled(self):
        return self.run_pupc("compile", "--ruby=never", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")

    def test_everything_is_found_without_ruby(self):
        done = self.compiled()
        self.assertEqual(done.returncode, 0, done.stderr)
        resources = json.loads(done.stdout)["resources"]
        self.assertEqual([r["title"] for r in resources if r["type"] == "Notify"], ["HELLO!", "port 8081", "...abc", "v-known::a", "none"])

    def test_another_namespace_is_not_found(self):
        function = FILES["lib/puppet/functions/environment/port.rb"].replace("environment::", "site::")
        written(self.environment, {"lib/puppet/functions/site/port.rb": function, "manifests/site.pp": "notice(site::port(1))"})
        self.assertIn("Unknown function: 'site::port'", self.compiled().stderr)

    def test_a_type_is_not_found(self):
        gadget = "Puppet::Type.newtype(:gadget) do\n  newparam(:name, :namevar => true)\nend"
        written(self.environment, {"lib/puppet/type/gadget.rb": gadget, "manifests/site.pp": "gadget { 'one': }"})
        self.assertIn("Unknown resource type: 'gadget'", self.compiled().stderr)

    def test_a_file_may_have_a_second_function(self):
        pair = """
            module Puppet::Parser::Functions
              newfunction(:'site::quoted', :type => :rvalue) { |args| "<#{args[0]}>" }
              newfunction(:listed, :type => :rvalue) do |args|
                options = args[0]
                options['words'].map { |word| call_function('site::quoted', [word]) }.join(' ')
              end
            end
        """
        written(self.environment, {"lib/puppet/parser/functions/listed.rb": pair, "manifests/site.pp": "notice(listed({ 'words' => ['a', 'b'] }), site::quoted('c'))"})
        done = self.run_pupc("compile", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
        self.assertIn("<a> <b> <c>", done.stderr + done.stdout)

    def test_a_function_asks_a_server(self):
        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps({"secret": f"for {self.headers['X-Token']}"}).encode()
                self.send_response(200 if self.path == "/v1/db?a=b" else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        function = """
            Puppet::Functions.create_function(:secret) do
              dispatch(:secret) { param 'String', :address }
              def secret(address)
                client = Puppet.runtime[:http]
                found = client.get(URI("#{address}/v1/db"), params: { a: 'b' }, headers: { 'X-Token' => 't' }, options: { include_system_store: true })
                missing = client.get(URI("#{address}/none"))
                begin
                  client.get(URI('http://127.0.0.1:1/'))
                rescue Puppet::HTTP::ConnectionError => e
                  refused = e.message.include?('Request to http://127.0.0.1:1/ failed')
                end
                "#{found.success?} #{JSON.parse(found.body)['secret']} #{missing.code} #{refused}"
              end
            end
        """
        address = f"http://127.0.0.1:{server.server_port}"
        written(self.environment, {"lib/puppet/functions/secret.rb": function, "manifests/site.pp": f"notify {{ secret('{address}'): }}"})
        done = self.run_pupc("compile", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
        self.assertIn('"true for t 404 true"', done.stdout, done.stderr)
        deferred = f"notify {{ 'n': message => Deferred('secret', ['{address}']) }}"
        done = self.run_pupc("apply", "--vardir", str(self.environment.parent / "var"), "--environmentpath", str(self.environment.parent), "-e", deferred)
        self.assertIn("Notice: true for t 404 true", done.stdout, done.stderr)

    def test_validate_knows_the_functions(self):
        done = self.run_pupc("validate", "--color", "never", str(self.environment))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_required_file_that_is_missing_is_left_to_ruby(self):
        (self.environment / "lib/site_helpers/padding.rb").unlink()
        done = self.compiled()
        self.assertEqual(done.returncode, 1)
        self.assertIn("require", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
