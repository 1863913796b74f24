# frozen_string_literal: true
# Compiles the nodes of a directory environment with Puppet, one after the other in the order of their names.
#   ruby environment.rb ENVIRONMENTPATH FACTS_DIRECTORY OUT_DIRECTORY [--environment NAME] [--store] [--strict LEVEL] [--no-strict-variables]
# --strict off|warning|error and --no-strict-variables are Puppet's settings.
# Writes OUT_DIRECTORY/NODE.json in the form of compile.rb's answers. With --store, storeconfigs is on: exported resources are kept and found
# as PuppetDB's termini do it (its own search: only of other nodes, by title, tags and parameters as stored), in two rounds: what all nodes
# export in the first is what the second collects.
require_relative 'harness'

environmentpath, facts_directory, out_directory = ARGV.shift(3).map { |p| File.expand_path(p) }
environment_name = 'production'
with_store = false
strict = :error
strict_variables = true
until ARGV.empty?
  case (a = ARGV.shift)
  when '--environment' then environment_name = ARGV.shift
  when '--store' then with_store = true
  when '--strict' then strict = ARGV.shift.to_sym
  when '--no-strict-variables' then strict_variables = false
  else abort "unknown argument #{a}"
  end
end
Oracle.start
Puppet[:strict] = strict
Puppet[:strict_variables] = strict_variables

# Node name => list of stored resources, as documents with their tags.
STORED = {} # rubocop:disable Style/MutableConstant

# What PuppetDB's resource terminus does, over STORED.
class OracleStore
  def search(request)
    filter = request.options[:filter]
    STORED.keys.sort.reject { |n| n == request.options[:host] }.flat_map do |certname|
      STORED[certname].select { |r| r['type'] == request.key.to_s && matches?(filter, r) }.map do |r|
        params = (r['parameters'] || {}).map { |k, v| Puppet::Parser::Resource::Param.new(name: k, value: v) }
        resource = Puppet::Parser::Resource.new(r['type'], r['title'], parameters: params, scope: request.options[:scope])
        resource.collector_id = "#{certname}|#{r['type']}|#{r['title']}"
        resource
      end
    end
  end

  private

  def matches?(filter, resource)
    return true if filter.nil?

    left, operator, right = filter
    case operator
    when 'and' then matches?(left, resource) && matches?(right, resource)
    when 'or' then matches?(left, resource) || matches?(right, resource)
    when '==' then equal?(left, right, resource)
    when '!=' then !equal?(left, right, resource)
    else raise Puppet::Error, "Operator #{operator} in #{filter.inspect} not supported"
    end
  end

  def equal?(field, value, resource)
    case field
    when 'tag' then resource['tags'].include?(value.downcase)
    when 'title' then resource['title'] == value
    else (resource['parameters'] || {}).any? { |k, v| k == field && v == JSON.parse(JSON.generate([value]))[0] }
    end
  end
end

def stored_resources(catalog)
  catalog.resources.select(&:exported).map do |r|
    document = JSON.parse(JSON.generate(r.to_data_hash))
    (document['sensitive_parameters'] || []).each { |p| document['parameters'].delete(p) }
    document
  end
end

if with_store
  Puppet[:storeconfigs] = true
  store = OracleStore.new
  Puppet::Resource.indirection.define_singleton_method(:search) do |key, options|
    store.search(Puppet::Indirector::Request.new(:resource, :search, key, nil, options))
  end
end

# One process for all nodes, as the server does it: code is parsed once.
def compile(loader, environment_name, name, values)
  logs = []
  answer = { 'id' => name, 'ok' => false, 'catalog' => nil, 'logs' => [], 'error' => nil }
  failure = nil
  exports = []
  Puppet[:certname] = name
  Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) do
    # The settings of environment.conf are asked of the loader in force.
    env = Puppet.override(environments: loader) { loader.get!(environment_name) }
    facts = Puppet::Node::Facts.new(name, values)
    facts.sanitize
    node = Puppet::Node.new(name, environment: env, facts: facts)
    node.merge(facts.values)
    node.parameters['clientcert'] ||= name
    trusted = Puppet::Context::TrustedInformation.new('local', name, {}, {})
    node.trusted_data = trusted.to_h
    Puppet.override(current_environment: env, root_environment: env, environments: loader, trusted_information: trusted, rich_data: true, stringify_rich: false) do
      catalog = Puppet::Parser::Compiler.compile(node)
      exports = stored_resources(catalog)
      answer['catalog'] = JSON.parse(JSON.generate(catalog.filter(&:virtual?).to_data_hash))
      answer['ok'] = true
    end
  rescue Exception => e # rubocop:disable Lint/RescueException
    answer['catalog'] = nil
    failure = e
  end
  answer['logs'] = Oracle.log_lines(logs)
  answer['error'] = Oracle.error(failure, answer['logs']) if failure
  [answer, exports]
end

FileUtils.mkdir_p(out_directory)
Puppet[:environmentpath] = environmentpath
loader = Puppet::Environments::Cached.new(Puppet::Environments::Directories.new(environmentpath, []))
(with_store ? 2 : 1).times do
  exported = {}
  Dir.glob("#{facts_directory}/*.json").sort.each do |file|
    document = JSON.parse(File.read(file))
    answer, exports = compile(loader, environment_name, document['name'], document['values'])
    exported[document['name']] = exports if answer['ok']
    File.write("#{out_directory}/#{document['name']}.json", JSON.generate(answer))
  end
  STORED.replace(exported)
end
