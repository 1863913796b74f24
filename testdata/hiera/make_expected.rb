# frozen_string_literal: true
# Runs the cases of cases/*.yaml through Puppet and prints one JSON line per case: the case with Puppet's answer
# to each of its lookups.
#   ruby make_expected.rb cases/*.yaml > expected.jsonl
# A case: name, files (below the environment's directory), binary_files (the same in base64), global (text of the global hiera.yaml) and global_files (beside it), facts, strict,
# code (put before the lookups), basemodulepath files are under modules/. A lookup: key (text or list), merge, type, default, override, default_values_hash, or
# `code`, an expression that stands for the whole lookup. Values are given as the catalog's JSON; ROOT stands for the case's directory, in files
# ROOTDIR does.
require 'fileutils'
require 'json'
require 'tmpdir'
require 'yaml'
require 'puppet'
require 'puppet/pops'
require 'puppet/parser'

WORK = Dir.mktmpdir('hiera-cases')
MAIN = Process.pid
at_exit { FileUtils.rm_rf(WORK) if Process.pid == MAIN }
ENV['HOME'] = WORK
Puppet.initialize_settings(['--confdir', "#{WORK}/c", '--vardir', "#{WORK}/v", '--codedir', "#{WORK}/k", '--rundir', "#{WORK}/r", '--logdir', "#{WORK}/l"], false)
Puppet[:disable_i18n] = true
Puppet[:vendormoduledir] = '' if Puppet.settings.include?(:vendormoduledir)
Puppet::Util::Log.close_all

def literal(v)
  case v
  when nil then 'undef'
  when String then "'#{v.gsub('\\') { '\\\\' }.gsub("'") { "\\'" }}'"
  when Array then "[#{v.map { |e| literal(e) }.join(', ')}]"
  when Hash then "{#{v.map { |k, e| "#{literal(k)} => #{literal(e)}" }.join(', ')}}"
  else v.to_s
  end
end

def expression(lookup)
  return lookup['code'] if lookup['code']
  options = lookup.slice('merge', 'override', 'default_values_hash').map { |k, v| "#{k} => #{literal(v)}" }
  options << "value_type => #{lookup['type']}" if lookup['type']
  options << "default_value => #{literal(lookup['default'])}" if lookup.key?('default')
  "lookup(#{literal(lookup['key'])}#{options.empty? ? '' : ", {#{options.join(', ')}}"})"
end

def text(s)
  s = s.to_s.dup
  s = s.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless s.encoding == Encoding::UTF_8
  s.scrub('?')
end

def without_root(value, root)
  case value
  when String then value.gsub(root, 'ROOT')
  when Array then value.map { |v| without_root(v, root) }
  when Hash then value.to_h { |k, v| [without_root(k, root), without_root(v, root)] }
  else value
  end
end

def compile(root, kase, lookup)
  logs = []
  answer = {}
  Puppet[:strict] = (kase['strict'] || 'error').to_sym
  Puppet[:strict_variables] = kase.fetch('strict_variables', true)
  Puppet[:certname] = 'node.example.com'
  Puppet[:hiera_config] = "#{root}/global/hiera.yaml"
  Puppet[:environmentpath] = root
  $LOAD_PATH.unshift(*Dir["#{root}/production/modules/*/lib"]) # as an agent's plugin directory has them
  code = "#{kase['code']}\nnotify { 'answer': message => [#{expression(lookup)}] }"
  Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) do
    environments = Puppet::Environments::Directories.new(root, [])
    conf = environments.get_conf('production')
    env = Puppet::Node::Environment.create(:production, conf.modulepath.split(':').reject { |p| p.start_with?('$') }, Puppet::Node::Environment::NO_MANIFEST)
    environments.define_singleton_method(:get) { |n| n.to_sym == :production ? env : nil }
    facts = Puppet::Node::Facts.new('node.example.com', kase['facts'] || {})
    facts.sanitize
    node = Puppet::Node.new('node.example.com', environment: env, facts: facts)
    node.merge(facts.values)
    node.parameters['clientcert'] ||= 'node.example.com'
    Puppet[:code] = code
    trusted = Puppet::Context::TrustedInformation.new('local', 'node.example.com', {}, {})
    node.trusted_data = trusted.to_h
    Puppet.override(current_environment: env, root_environment: env, environments: environments, trusted_information: trusted, rich_data: true, stringify_rich: false) do
      catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
      resource = JSON.parse(JSON.generate(catalog.to_data_hash))['resources'].find { |r| r['title'] == 'answer' }
      answer['value'] = without_root(resource['parameters']['message'], root)
    end
  rescue StandardError, ScriptError => e
    answer['error'] = text(e.message).gsub(root, 'ROOT').sub(/\b\d+: unexpected token/, 'unexpected token') # the line of json's own source
  end
  logs.select! { |l| %i[warning err].include?(l.level) }
  answer['logs'] = logs.map { |l| "#{l.level}: #{text(l).gsub(root, 'ROOT')}" }.reject { |l| answer['error'] && l.start_with?('err: ') && l.include?(answer['error'][0, 40]) }
  answer.delete('logs') if answer['logs'].empty?
  answer
end

ARGV.each do |file|
  YAML.safe_load(File.read(file), aliases: true).each_with_index do |kase, i|
    root = File.join(WORK, "#{File.basename(file, '.yaml')}-#{i}")
    FileUtils.mkdir_p("#{root}/production")
    write = lambda do |path, content|
      FileUtils.mkdir_p(File.dirname(path))
      File.binwrite(path, content.gsub('ROOTDIR', root))
    end
    (kase['files'] || {}).each { |name, content| write.call("#{root}/production/#{name}", content) }
    (kase['binary_files'] || {}).each { |name, content| write.call("#{root}/production/#{name}", content.unpack1('m')) }
    write.call("#{root}/global/hiera.yaml", kase['global']) if kase['global']
    (kase['global_files'] || {}).each { |name, content| write.call("#{root}/global/#{name}", content) }
    kase['file'] = File.basename(file)
    kase['lookups'].each do |lookup|
      r, w = IO.pipe
      pid = fork do
        r.close
        w.write(JSON.generate(compile(root, kase, lookup)))
        w.close
        exit!(0)
      end
      w.close
      lookup['expected'] = JSON.parse(r.read.force_encoding('UTF-8'))
      r.close
      Process.wait(pid)
    end
    puts JSON.generate(kase)
    $stdout.flush
  end
end
