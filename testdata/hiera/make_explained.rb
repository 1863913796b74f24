# frozen_string_literal: true
# Asks Puppet to explain lookups of set-ups in expected.jsonl: the first lookups of each by key, with their merge.
#   ruby make_explained.rb > explained.jsonl
# A line: name of the case, key, merge, and the text that `puppet lookup --explain` prints; ROOT stands for the case's directory.
require 'fileutils'
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'
require 'puppet/parser'

WORK = Dir.mktmpdir('hiera-explained')
MAIN = Process.pid
at_exit { FileUtils.rm_rf(WORK) if Process.pid == MAIN }
ENV['HOME'] = WORK
Puppet.initialize_settings(['--confdir', "#{WORK}/c", '--vardir', "#{WORK}/v", '--codedir', "#{WORK}/k", '--rundir', "#{WORK}/r", '--logdir', "#{WORK}/l"], false)
Puppet[:disable_i18n] = true
Puppet[:vendormoduledir] = '' if Puppet.settings.include?(:vendormoduledir)
Puppet::Util::Log.close_all

PER_CASE = 3
MORE = { 'backends.yaml' => 12, 'shapes.yaml' => 12, 'calls.yaml' => 12, 'values.yaml' => 12 }.freeze
# Shown as Ruby objects, each time with another number.
UNREADABLE = [%w[deferred dtype htype], %w[many]].flatten.freeze
FILES = %w[functions.yaml version3.yaml hocon.yaml layers.yaml data.yaml backends.yaml shapes.yaml calls.yaml values.yaml].freeze
GENERATED = 25

def explained(root, kase, lookups)
  Puppet[:strict] = (kase['strict'] || 'error').to_sym
  Puppet[:strict_variables] = true
  Puppet[:certname] = 'node.example.com'
  Puppet[:hiera_config] = "#{root}/global/hiera.yaml"
  Puppet[:environmentpath] = root
  environments = Puppet::Environments::Directories.new(root, [])
  conf = environments.get_conf('production')
  env = Puppet::Node::Environment.create(:production, conf.modulepath.split(':').reject { |p| p.start_with?('$') }, Puppet::Node::Environment::NO_MANIFEST)
  environments.define_singleton_method(:get) { |n| n.to_sym == :production ? env : nil }
  $LOAD_PATH.unshift(*Dir["#{root}/production/modules/*/lib"]) # as an agent's plugin directory has them
  facts = Puppet::Node::Facts.new('node.example.com', kase['facts'] || {})
  facts.sanitize
  node = Puppet::Node.new('node.example.com', environment: env, facts: facts)
  node.merge(facts.values)
  Puppet[:code] = kase['code'].to_s
  trusted = Puppet::Context::TrustedInformation.new('local', 'node.example.com', {}, {})
  node.trusted_data = trusted.to_h
  lookups.map do |lookup|
    explainer = Puppet::Pops::Lookup::Explainer.new(true, false)
    begin
      Puppet.override(current_environment: env, root_environment: env, environments: environments, trusted_information: trusted, rich_data: true) do
        compiler = Puppet::Parser::Compiler.new(node)
        compiler.compile do |catalog|
          invocation = Puppet::Pops::Lookup::Invocation.new(compiler.topscope, {}, {}, explainer)
          merge = lookup['merge'] # as the command makes options of it
          merge = { 'strategy' => 'deep', 'sort_merged_arrays' => false, 'merge_hash_arrays' => false } if merge == 'deep'
          Puppet::Pops::Lookup.lookup([lookup['key']], nil, nil, false, merge, invocation)
          catalog
        end
      end
    rescue StandardError => e
      next if e.class.to_s == 'NoMethodError'
      next unless e.message.include?('did not find a value')
    end
    { 'name' => kase['name'], 'key' => lookup['key'], 'merge' => lookup['merge'], 'text' => explainer.explain.gsub(root, 'ROOT') }
  end.compact
end

generated = 0
File.foreach(File.join(__dir__, 'expected.jsonl')).with_index do |line, i|
  kase = JSON.parse(line)
  if kase['file'] == 'generated.yaml'
    next if (generated += 1) > GENERATED
  elsif !FILES.include?(kase['file'])
    next
  end
  # What is given by a hash cannot be given to the command.
  lookups = kase['lookups'].select { |l| l['key'].is_a?(String) && [nil, 'first', 'unique', 'hash', 'deep'].include?(l['merge']) && !l['type'] && !l['default'] && !l['override'] && l['expected']['value'] }.last(MORE.fetch(kase['file'], PER_CASE))
  lookups.reject! { |l| MORE.key?(kase['file']) && UNREADABLE.include?(l['key']) }
  root = File.join(WORK, i.to_s)
  FileUtils.mkdir_p("#{root}/production")
  write = lambda do |path, content|
    FileUtils.mkdir_p(File.dirname(path))
    File.binwrite(path, content.gsub('ROOTDIR', root))
  end
  (kase['files'] || {}).each { |name, content| write.call("#{root}/production/#{name}", content) }
  write.call("#{root}/global/hiera.yaml", kase['global']) if kase['global']
  (kase['global_files'] || {}).each { |name, content| write.call("#{root}/global/#{name}", content) }
  r, w = IO.pipe
  pid = fork do
    r.close
    w.write(explained(root, kase, lookups).map { |e| JSON.generate(e) + "\n" }.join)
    w.close
    exit!(0)
  end
  w.close
  print r.read.force_encoding('UTF-8')
  r.close
  Process.wait(pid)
  $stdout.flush
end
