#!/usr/bin/env python3
"""Types of modules as the facade of providers has them, against Puppet.

    provider_types.py LIB…     lib/ directories of modules; the one that Ruby finds (RUBYLIB chooses another)

Compared of each type: properties, parameters, namevars, features; of each provider whether it is suitable here and its features; the default
provider. Facts are a few fixed ones in both. Exits 1 when anything differs, 77 where there is no Ruby or no Puppet.
"""
import json
import pathlib
import shutil
import subprocess
import sys

import ruby_facades

TOP = pathlib.Path(__file__).resolve().parents[2]
COMMON = """
require 'json'
FACTS = { 'osfamily' => 'Debian', 'operatingsystem' => 'Debian', 'os.family' => 'Debian', 'os.name' => 'Debian', 'kernel' => 'Linux', 'os.release.major' => '12',
          'operatingsystemmajrelease' => '12', 'operatingsystemrelease' => '12.5',
          'os' => { 'family' => 'Debian', 'name' => 'Debian', 'release' => { 'major' => '12', 'full' => '12.5' } } }.freeze
def describe(type)
  providers = {}
  if type.paramclass(:provider)
    type.providers.sort.each { |name| p = type.provider(name); providers[name.to_s] = [p.respond_to?(:features) ? (p.features || []).map(&:to_s) : nil, p.suitable? ? true : false] }
  end
  { 'properties' => type.properties.map { |p| p.name.to_s }.sort, 'parameters' => type.parameters.map(&:to_s).sort, 'namevars' => type.key_attributes.map(&:to_s),
    'features' => type.features.map(&:to_s).sort, 'providers' => providers, 'default' => type.paramclass(:provider) && type.defaultprovider&.name.to_s }
end
def all(libraries)
  names = libraries.flat_map { |d| Dir.glob("#{d}/puppet/type/*.rb").map { |f| File.basename(f, '.rb') } }.uniq.sort
  names.to_h do |name|
    type = Puppet::Type.type(name)
    [name, type ? describe(type) : 'none']
  rescue Exception => e
    [name, "#{e.class}: #{e.message}"]
  end
end
"""
OURS = COMMON + """
NATIVE = JSON.parse(File.read(ARGV.shift))
ARGV.shift(ARGV.shift.to_i).each { |f| eval(File.read(f).gsub('@PUPPET_VERSION@', '8.11.0'), nil, f, 1) }
SOURCES = ARGV.shift
module PupcWorker
  class << self
    def ask(what, name = nil, *)
      return Dir.glob(name == 'native_providers' ? "#{SOURCES}/native_{packages,rpm,services,accounts}.rb" : "#{SOURCES}/#{name}.rb").map { |f| File.read(f) }.join("\n") if what == 'source'

      return [false, nil, false, nil, false] if what == 'setting'

      { 'fact' => FACTS, 'native_type' => NATIVE }.fetch(what, {})[name]
    end

    def log(*); end
  end
end
PupcWorker::Operations.start(ARGV, { 'environment' => 'production' }, [], 'notice')
puts JSON.generate(all(ARGV))
"""
THEIRS = COMMON + """
$LOAD_PATH.unshift(*ARGV)
require 'puppet'
Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent', '--strict', 'error'])
require 'facter'
module Facter
  class << self
    def value(name) = FACTS[name.to_s]
    def fact(name) = (v = FACTS[name.to_s]) && Struct.new(:value).new(v)
    alias [] fact
  end
end
environment = Puppet::Node::Environment.create(:production, [])
Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) { puts JSON.generate(all(ARGV)) }
"""


def native_types(dump):
    """What pupc would tell of its own types, from the dump of conformance's type_dump."""
    names = "package service user group file exec host cron mount mailalias ssh_authorized_key sshkey yumrepo augeas notify schedule tidy resources filebucket stage".split()
    out = subprocess.run([dump, *names], capture_output=True, text=True, check=True).stdout
    types = [json.loads(line) for line in out.splitlines()]
    return {t["name"]: [[name, kind, name in t["namevars"]] for name, kind in t["attributes"]] for t in types if "name" in t}


def main():
    libraries = sys.argv[1:]
    if not libraries:
        sys.exit(__doc__)
    if shutil.which("ruby") is None or subprocess.run(["ruby", "-W0", "-e", "require 'puppet'"], capture_output=True, check=False).returncode:
        return 77
    dump = TOP / "build" / "release" / "tools" / "conformance" / "type_dump"
    native = pathlib.Path(f"/tmp/pupc-native-{__import__('os').getpid()}.json")
    native.write_text(json.dumps(native_types(dump)))
    files = [str(file) for file in ruby_facades.of_run()]
    try:
        ours = subprocess.run(["ruby", "-W0", "--disable-gems", "-EUTF-8:", "-e", OURS, str(native), str(len(files)), *files, str(ruby_facades.RUN / "facade"), *libraries], capture_output=True, text=True, check=False)
    finally:
        native.unlink()
    theirs = subprocess.run(["ruby", "-W0", "-e", THEIRS, *libraries], capture_output=True, text=True, check=False)
    answers = []
    for r in (ours, theirs):
        try:
            answers.append(json.loads(r.stdout.splitlines()[-1]))
        except (IndexError, ValueError):
            sys.exit(r.stderr[-2000:])
    different = 0
    for name, want in answers[1].items():
        got = answers[0].get(name)
        if got == want:
            continue
        different += 1
        print(name)
        for key in want if isinstance(got, dict) and isinstance(want, dict) else [None]:
            a, b = (got, want) if key is None else (got[key], want[key])
            if a != b:
                print(f"    {key or ''} ours {str(a)[:300]}\n    {key or ''} theirs {str(b)[:300]}")
    print(f"{different} of {len(answers[1])} types differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
