#!/usr/bin/env python3
"""A module as its author meets it: plans, excerpts of errors in defined types, documentation, slow facts. Usage: module_test.py PUPC"""
import json
import os
import shutil
import subprocess
import sys
import unittest

from in_folder import InFolder

PUPC = os.path.abspath(sys.argv.pop(1))

PLAN = """# Upgrades machines.
# @param targets which ones
plan web::upgrade(TargetSpec $targets, Integer $step = 1) {
  $found = run_task('web::look', $targets)
  $targets.apply_prep
  apply($targets, '_noop' => true) {
    include web
    Package <| title == 'nginx' |> -> Service['nginx']
  }
  return $found
}
"""
INNER = """# One port.
define web::port(Integer $number, Optional[String] $comment = undef) {
  file { "/etc/web/${title}":
    ensure  => file,
    contnet => "${number}",
  }
}
"""
OUTER = """# All ports.
define web::ports(Variant[Integer, String] $first) {
  web::port { "${title}-a":
    number => $first,
  }
}
"""
INIT = """# Manages the web server.
#
# @summary The web server
# @example Plain use
#   include web
# @param port
#   The port to listen on,
#   below 1024 only as root
# @param user [String] whose processes
class web(
  Integer $port = 80,
  $user = 'www',
  Enum['a', 'b'] $kind = 'a',
) {
  web::ports { 'x':
    first => $port,
  }
}
"""


class Module(InFolder):
    def setUp(self):
        super().setUp()
        for name, text in (("manifests/init.pp", INIT), ("manifests/port.pp", INNER), ("manifests/ports.pp", OUTER), ("plans/upgrade.pp", PLAN), ("tasks/look.sh", "#!/bin/sh\n"),
                           ("metadata.json", json.dumps({"name": "me-web", "version": "1.0.0", "author": "me", "license": "Apache-2.0", "summary": "s", "source": "s",
                                                         "dependencies": []}))):
            self.file("modules/web/" + name, text)

    def run_pupc(self, *words, **how):
        done = subprocess.run([PUPC, *words], capture_output=True, text=True, timeout=120, cwd=self.root, stdin=subprocess.DEVNULL, check=False, **how)
        return done.returncode, done.stdout, done.stderr

    def compiled(self, code):
        status, _, err = self.run_pupc("compile", "--format", "human", "--color", "never", "--modulepath", "modules", "--node", "n", "-e", code)
        self.assertEqual(status, 1, err)
        return err.replace(self.root, "DIR")


class Plans(Module):
    def test_a_plan_is_no_error(self):
        self.file("modules/web/manifests/port.pp", INNER.replace("contnet", "content"))
        status, out, err = self.run_pupc("validate", "--format", "json", "modules/web")
        self.assertEqual([f for f in json.loads(out) if "plans" in f["file"]], [], err)
        self.assertEqual(self.run_pupc("validate", "modules/web/plans/upgrade.pp"), (0, "", ""))
        self.assertEqual(self.run_pupc("validate", "--syntax-only", "plans/upgrade.pp")[0], 1, "no such file")

    def test_what_a_plan_must_not_have(self):
        self.file("modules/web/plans/bad.pp", "plan web::bad() {\n  notify { 'x': }\n}\nclass web::c { }\n")
        status, out, _ = self.run_pupc("validate", "--format", "json", "modules/web/plans/bad.pp")
        found = [(f["line"], f["message"]) for f in json.loads(out)]
        self.assertEqual(status, 1)
        self.assertIn((2, "A Resource Statement is only available when compiling a catalog"), found)
        self.assertIn((4, "A Host Class Definition is only available when compiling a catalog"), found)
        # A class whose folder is called so is no plan.
        self.file("modules/web/manifests/plans/c.pp", "class web::plans::c { notify { 'x': } }\n")
        self.assertEqual(self.run_pupc("validate", "modules/web/manifests/plans/c.pp"), (0, "", ""))

    def test_plans_are_formatted(self):
        self.file("modules/web/plans/upgrade.pp", PLAN.replace("  $targets.apply", "      $targets.apply"))
        self.assertEqual(self.run_pupc("fmt", "modules/web/plans/upgrade.pp")[0], 0)
        with open(os.path.join(self.root, "modules/web/plans/upgrade.pp"), encoding="utf-8") as f:
            self.assertEqual(f.read(), PLAN)


class Excerpts(Module):
    def test_a_wrong_attribute_in_a_define_of_a_define(self):
        err = self.compiled("include web")
        self.assertIn(" --> modules/web/manifests/port.pp:5:5\n", err)
        self.assertIn("5 |     contnet => \"${number}\",\n  |     ^^^^^^^\n", err)
        self.assertIn(" = Did you mean 'content'?\n", err)
        way = [line.strip() for line in err.splitlines() if line.startswith("  = in ")]
        self.assertEqual(way, ["= in Web::Port[x-a] (file: modules/web/manifests/ports.pp, line: 3)", "= in Web::Ports[x] (file: modules/web/manifests/init.pp, line: 15)",
                               "= in Class[Web]", "= in Class[main]"])

    def test_a_wrong_value_of_a_defines_parameter(self):
        err = self.compiled("web::ports { 'y':\n  first => 'eighty' }")
        self.assertIn("parameter 'number' expects an Integer value, got String", err)
        self.assertIn("4 |     number => $first,\n  |     ^^^^^^\n", err)
        self.assertIn(" = in Web::Ports[y] (line: 1)\n", err)

    def test_a_wrong_name_of_a_classs_parameter(self):
        err = self.compiled("class { 'web':\n  port => 1,\n  usr  => 'x',\n}")
        self.assertIn("3 |   usr  => 'x',\n  |   ^^^\n", err)
        self.assertIn(" = Did you mean 'user'?\n", err)

    def test_what_fails_in_a_body(self):
        self.file("modules/web/manifests/port.pp", "define web::port($number) {\n  $x = $number + 'a'\n}\n")
        err = self.compiled("web::ports { 'y': first => 1 }")
        self.assertIn(" --> modules/web/manifests/port.pp:2:18\n", err)
        self.assertIn(" = in Web::Port[y-a] (file: modules/web/manifests/ports.pp, line: 3)\n", err)
        self.assertIn(" = in Web::Ports[y] (line: 1)\n", err)

    def test_plain_text_stays(self):
        code, out, err = self.run_pupc("compile", "--modulepath", "modules", "--node", "n", "-e", "web::ports { 'y': first => 'a' }")
        self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)


class Documentation(Module):
    def test_document(self):
        status, out, err = self.run_pupc("puppet", "strings", "generate", "--format", "json")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(json.loads(out)["puppet_classes"], [])
        done = subprocess.run([PUPC, "puppet", "strings", "generate", "--format", "json"], capture_output=True, text=True, timeout=60, cwd=self.root + "/modules/web", check=True)
        document = json.loads(done.stdout)
        self.assertEqual(list(document), ["puppet_classes", "data_types", "data_type_aliases", "defined_types", "resource_types", "providers", "puppet_functions", "puppet_tasks",
                                          "puppet_plans"])
        web = document["puppet_classes"][0]
        self.assertEqual((web["name"], web["file"], web["line"]), ("web", "manifests/init.pp", 10))
        self.assertEqual(web["docstring"]["text"], "Manages the web server.")
        self.assertEqual(web["docstring"]["tags"], [
            {"tag_name": "summary", "text": "The web server"},
            {"tag_name": "example", "text": "include web", "name": "Plain use"},
            {"tag_name": "param", "text": "The port to listen on,\nbelow 1024 only as root", "types": ["Integer"], "name": "port"},
            {"tag_name": "param", "text": "whose processes", "types": ["String"], "name": "user"},
            {"tag_name": "param", "text": "", "types": ["Enum['a', 'b']"], "name": "kind"}])
        self.assertEqual(web["defaults"], {"port": "80", "user": "'www'", "kind": "'a'"})
        self.assertTrue(web["source"].startswith("class web(\n") and web["source"].endswith("}"))
        self.assertEqual([d["name"] for d in document["defined_types"]], ["web::port", "web::ports"])
        self.assertEqual([p["name"] for p in document["puppet_plans"]], ["web::upgrade"])

    def test_functions_types_tasks(self):
        self.file("modules/web/functions/twice.pp", "# Twice.\n# @param x a number\n# @return the double\nfunction web::twice(Integer $x, *$more) >> Integer {\n  $x * 2\n}\n")
        self.file("modules/web/types/port.pp", "# A port.\ntype Web::Port = Integer[0, 65535]\n")
        self.file("modules/web/tasks/look.json", json.dumps({"description": "Looks.", "input_method": "stdin", "parameters": {"name": {"description": "whose", "type": "String[1]"}}}))
        self.file("modules/web/lib/puppet/functions/old.rb", "Puppet::Functions.create_function(:old) { }\n")
        done = subprocess.run([PUPC, "puppet", "strings", "generate", "--format", "json", "--out", "doc.json"], capture_output=True, text=True, timeout=60,
                              cwd=self.root + "/modules/web", check=True)
        self.assertEqual(done.stderr, "Warning: functions, types and providers in Ruby are left out\n")
        with open(self.root + "/modules/web/doc.json", encoding="utf-8") as f:
            document = json.load(f)
        twice = document["puppet_functions"][0]
        self.assertEqual(twice["signatures"][0]["signature"], "web::twice(Integer $x, Any *$more)")
        self.assertEqual(twice["docstring"]["tags"][1], {"tag_name": "return", "text": "the double", "types": ["Integer"]})
        self.assertEqual([(a["name"], a["line"], a["alias_of"]) for a in document["data_type_aliases"]], [("Web::Port", 2, "Integer[0, 65535]")])
        task = document["puppet_tasks"][0]
        self.assertEqual((task["name"], task["supports_noop"], task["input_method"]), ("look", False, "stdin"))
        self.assertEqual(task["docstring"], {"text": "Looks.", "tags": [{"tag_name": "param", "text": "whose", "types": ["String[1]"], "name": "name"}]})


@unittest.skipIf(shutil.which("ruby") is None, "Ruby is missing")
class Facts(Module):
    def fact(self, name, code, options=""):
        self.file(f"facts/{name}.rb", f"Facter.add(:{name}{options}) do\n  setcode do\n    {code}\n  end\nend\n")

    def test_times_and_limits(self):
        self.fact("quick", "'q'")
        self.fact("sleeps", "sleep 60")
        self.fact("own", "sleep 1.2\n    'o'", ", timeout: 30")
        self.fact("asks", "Facter.value(:quick) + '!'")
        status, out, err = self.run_pupc("facts", "--custom-dir", "facts", "--fact-timeout", "1", "--timing", "quick", "sleeps", "own", "asks")
        self.assertEqual((status, json.loads(out)), (0, {"asks": "q!", "own": "o", "quick": "q", "sleeps": None}))
        self.assertIn("Error: Facter: Timed out after 1 seconds while resolving fact='sleeps', resolution='<anonymous>'\n", err)
        for name in ("quick", "sleeps", "own", "asks"):
            self.assertRegex(err, rf"fact 'custom:{name}', took: [0-9.]+ ms\n")

    def test_a_process_that_ends_keeps_what_it_told(self):
        self.fact("a_first", "1")
        self.fact("b_killed", "Process.kill(:KILL, Process.pid)")
        self.fact("c_never", "1")
        status, out, err = self.run_pupc("facts", "--custom-dir", "facts", "a_first", "c_never")
        self.assertEqual((status, json.loads(out)), (0, {"a_first": 1, "c_never": None}))
        self.assertEqual(err, "Error: Facter: the Ruby process of the custom facts was killed by signal 9 while it resolved the fact 'b_killed'\n")

    def test_a_value_without_a_form_in_json(self):
        self.fact("a_nan", "Float::NAN")
        self.fact("b_good", "2")
        status, out, err = self.run_pupc("facts", "--custom-dir", "facts", "a_nan", "b_good")
        self.assertEqual((status, json.loads(out)), (0, {"a_nan": None, "b_good": 2}))
        self.assertIn("Error: Facter: The value of the fact 'a_nan' cannot be kept", err)


if __name__ == "__main__":
    unittest.main()
