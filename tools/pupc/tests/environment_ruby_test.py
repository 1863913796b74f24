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
import shutil
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

    def test_a_function_of_puppet_gets_a_block_of_ruby(self):
        function = """
            Puppet::Functions.create_function(:blocks) do
              dispatch(:blocks) do
                param 'Array', :list
                param 'Hash', :hash
              end
              def blocks(list, hash)
                seen = []
                pairs = call_function('map', hash) { |key, value| "#{key}=#{value}" }
                call_function('each', list) { |item| seen << item * 2 }
                sum = call_function('reduce', list, 10) { |memo, item| memo + item }
                first = call_function('each', list) { |item| break item if item > 1 }
                failed = begin
                  call_function('filter', list) { |item| raise ArgumentError, "no #{item}" if item == 3 }
                rescue ArgumentError => e
                  e.message
                end
                big = lambda { |item| item > 2 }
                [pairs, seen, sum, first, failed, call_function('any', list, &big), closure_scope.call_function('map', [list]) { |item| next 0 if item == 1; item }].inspect
              end
            end
        """
        written(self.environment, {"lib/puppet/functions/blocks.rb": function, "manifests/site.pp": "notify { blocks([1, 2, 3], {'a' => 1, 'b' => undef}): }"})
        for how in "never", "always":
            done = self.run_pupc("compile", f"--ruby={how}", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertEqual(done.returncode, 0, done.stderr)
            titles = [r["title"] for r in json.loads(done.stdout)["resources"] if r["type"] == "Notify"]
            self.assertEqual(titles, ['[["a=1", "b="], [2, 4, 6], 16, 2, "no 3", true, [0, 2, 3]]'], how)

    def test_a_function_that_gets_a_scope_has_its_own_beside(self):
        function = """
            Puppet::Functions.create_function(:scopes, Puppet::Functions::InternalFunction) do
              dispatch(:scopes) do
                scope_param
                param 'String', :code
              end
              def scopes(scope, code)
                "#{closure_scope.lookupvar('x')} #{scope['x']} #{call_function('inline_template', code)} #{scope.call_function('inline_template', code)} #{closure_scope.include?('x')}"
              end
            end
        """
        manifest = "$x = 'top'\nclass m {\n  $x = 'own'\n  notify { scopes('<%= @x %>'): }\n}\ninclude m"
        written(self.environment, {"lib/puppet/functions/scopes.rb": function, "manifests/site.pp": manifest})
        for how in "auto", "always":
            done = self.run_pupc("compile", f"--ruby={how}", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertIn('"top own top own true"', done.stdout, done.stderr)

    def test_break_of_a_puppet_block_ends_puppets_iterations_alone(self):
        function = """
            Puppet::Functions.create_function(:%s) do
              dispatch(:run) do
                param 'Array', :list
                required_block_param
              end
              def run(list)
                out = []
                %s.each { |item| out << yield(item) }
                out
              end
            end
        """
        iterable = "Puppet::Pops::Types::Iterable.asserted_iterable(self, list)"
        written(self.environment, {f"lib/puppet/functions/{name}.rb": function % (name, what) for name, what in (("plain", "list"), ("puppets", iterable))})
        for name, wanted in ("plain", "Error: break() from context where this is illegal"), ("puppets", '"title":"[1]"'):
            written(self.environment, {"manifests/site.pp": f"notify {{ String({name}([1, 2, 3]) |$x| {{ if $x == 2 {{ break() }} $x }}): }}"})
            done = self.run_pupc("compile", "--ruby=always", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertIn(wanted, done.stdout + done.stderr)

    def test_what_needs_ruby_is_no_error_to_rescue(self):
        functions = {
            "lib/puppet/functions/outer.rb": """
                Puppet::Functions.create_function(:outer) do
                  def outer(text)
                    call_function('inner', text)
                  rescue StandardError
                    'rescued'
                  end
                end
            """,
            "lib/puppet/functions/inner.rb": """
                Puppet::Functions.create_function(:inner) do
                  def inner(text)
                    `echo #{text}`.chomp
                  end
                end
            """,
        }
        written(self.environment, functions | {"manifests/site.pp": "notify { outer('x'): }"})
        self.assertIn("needs Ruby, which is not allowed here: line 3: a command", self.compiled().stderr)
        done = self.run_pupc("compile", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
        self.assertIn('"title":"x"', done.stdout, done.stderr)

    def test_a_lookup_error_is_told_as_it_is(self):
        function = """
            Puppet::Functions.create_function(:refuse) do
              dispatch(:refuse) { param 'String', :text }
              def refuse(text)
                raise Puppet::DataBinding::LookupError, "no #{text}"
              end
            end
        """
        written(self.environment, {"lib/puppet/functions/refuse.rb": function, "manifests/site.pp": "refuse('entry')"})
        for how in "never", "always":
            done = self.run_pupc("compile", f"--ruby={how}", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertIn("Error: no entry", done.stderr, how)

    def with_writer(self, body, manifest):
        function = f"""
            require 'fileutils'
            Puppet::Functions.create_function(:kept) do
              dispatch(:kept) {{ param 'String', :folder }}
              def kept(folder)
                {body}
              end
            end
        """
        folder = self.environment.parent / "kept"
        written(self.environment, {"lib/puppet/functions/kept.rb": function, "manifests/site.pp": manifest.format(folder=folder)})
        return folder

    def test_a_function_writes_files(self):
        folder = self.with_writer("""
                cache = File.join(folder, 'a', 'b')
                FileUtils.mkdir_p(File.dirname(cache))
                File.open(cache, 'w', 0o600) { |file| file.write(YAML.dump({ 'x' => 1 })) }
                File.open(cache, 'a') { |file| file.puts('y: 2', 'z: 3') }
                owner = File.stat(folder).uid
                written = [File.chown(owner, nil, cache), File.write("#{folder}/gone", 'x'), File.delete("#{folder}/gone"), FileUtils.rm_f("#{folder}/none").size]
                "#{YAML.safe_load(File.read(cache))} #{written} #{File.stat(cache).mode.to_s(8)}"
        """, "notify {{ kept('{folder}'): }}")
        for how in "never", "always":
            done = self.run_pupc("compile", f"--ruby={how}", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertEqual(done.returncode, 0, done.stderr)
            titles = [r["title"] for r in json.loads(done.stdout)["resources"] if r["type"] == "Notify"]
            self.assertEqual(titles, ['{"x"=>1, "y"=>2, "z"=>3} [1, 1, 1, 1] 100600'], how)
            self.assertEqual(sorted(path.name for path in folder.rglob("*")), ["a", "b"])
            shutil.rmtree(folder)

    def test_what_is_written_before_ruby_takes_over_is_undone(self):
        folder = self.with_writer("""
                old = File.exist?("#{folder}/new")
                FileUtils.mkdir_p(folder)
                File.open("#{folder}/count", 'a') { |file| file.print('x') }
                File.write("#{folder}/new", 'x')
                File.chmod(0o640, "#{folder}/count")
                "#{old} #{`echo 1`.chomp}"
        """, "notify {{ kept('{folder}'): }}")
        for count in 1, 2:
            done = self.run_pupc("compile", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
            self.assertIn('"false 1"' if count == 1 else '"true 1"', done.stdout, done.stderr)
            self.assertEqual((folder / "count").read_text(), "x" * count)
        (folder / "count").chmod(0o604)
        (folder / "new").unlink()
        self.assertEqual(self.compiled().returncode, 1)
        self.assertEqual([path.name for path in folder.iterdir()], ["count"])
        self.assertEqual((folder / "count").read_text(), "xx")
        self.assertEqual((folder / "count").stat().st_mode & 0o777, 0o604)

    def test_a_write_that_fails_is_left_to_ruby(self):
        self.with_writer("File.open(folder, 'w') { |file| file.write('x') } rescue $!.message", "notify {{ kept('/nope/x'): }}")
        self.assertIn("error of /nope/x", self.compiled().stderr)
        done = self.run_pupc("compile", "--environmentpath", str(self.environment.parent), "--node", "test.example.com")
        self.assertIn("No such file or directory @ rb_sysopen - /nope/x", done.stdout, done.stderr)

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
