# frozen_string_literal: true
# Compiles catalogs with Puppet, many per start.
#   ruby compile.rb IN.jsonl OUT.jsonl [--jobs N] [--timeout SECONDS]
# One request per line: {"id","code"} and, when wanted, "manifest" (a path, instead of code), "node", "facts" (object),
# "modulepath" (list), "hiera" (path of a hiera.yaml), "strict" (off, warning, error), "strict_variables" (bool).
# One answer per line, in the order of the requests, in the form of `pupc compile --batch`:
#   {"id","ok","catalog","logs":[{"level","message"}],"error":{"message","file","line","column"}|null}
# Virtual resources are filtered out as `puppet catalog compile` does.
require_relative 'harness'

in_file, out_file = ARGV.shift(2).map { |p| File.expand_path(p) }
jobs = 2
limit = 60
until ARGV.empty?
  case (a = ARGV.shift)
  when '--jobs' then jobs = Integer(ARGV.shift)
  when '--timeout' then limit = Integer(ARGV.shift)
  else abort "unknown argument #{a}"
  end
end

Oracle.start

NO_ANSWER = lambda do |request|
  { 'id' => request['id'], 'ok' => false, 'catalog' => nil, 'logs' => [], 'error' => { 'message' => 'ORACLE: no answer', 'file' => nil, 'line' => nil, 'column' => nil } }
end

def compile(request)
  logs = []
  answer = { 'id' => request['id'], 'ok' => false, 'catalog' => nil, 'logs' => [], 'error' => nil }
  failure = nil
  name = request['node'] || 'test.example.com'
  Puppet[:strict] = (request['strict'] || 'error').to_sym
  Puppet[:strict_variables] = request.fetch('strict_variables', true)
  Puppet[:certname] = name.downcase
  Puppet[:hiera_config] = request['hiera'] || "#{Oracle.work}/c/none.yaml"
  Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) do
    env = Puppet::Node::Environment.create(:production, request['modulepath'] || [], request['manifest'] || Puppet::Node::Environment::NO_MANIFEST)
    env.each_plugin_directory { |d| $LOAD_PATH << d unless $LOAD_PATH.include?(d) }
    facts = Puppet::Node::Facts.new(name, request['facts'] || {})
    facts.sanitize
    node = Puppet::Node.new(name, environment: env, facts: facts)
    node.merge(facts.values)
    trusted = Puppet::Context::TrustedInformation.new('local', name, {}, {})
    node.trusted_data = trusted.to_h
    Puppet[:code] = request['manifest'] ? '' : request['code'].to_s
    Puppet.override(current_environment: env, root_environment: env, environments: Puppet::Environments::Static.new(env),
                    trusted_information: trusted, rich_data: true, stringify_rich: false) do
      catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
      answer['catalog'] = JSON.parse(JSON.generate(catalog.to_data_hash))
      answer['ok'] = true
    end
  rescue Oracle::Expired, NoMemoryError, Interrupt
    raise
  rescue Exception => e # rubocop:disable Lint/RescueException
    answer['catalog'] = nil
    failure = e
  end
  answer['logs'] = Oracle.log_lines(logs)
  answer['error'] = Oracle.error(failure, answer['logs']) if failure
  answer
end

# Loads before the forks what nearly every request needs.
warmed = compile('id' => 'warm', 'code' => <<~'PP')
  notice("x ${1 + 1}") $a = [1, 2].map |$x| { $x } $h = {a => 1} + {b => 2}
  class a(Integer $p = 1) { notify { 'n': message => String($p) } } include a
  define d(String $x = 'a') { file { "/tmp/${title}": ensure => file } } d { 'x': }
  Notify <| title == 'n' |> exec { '/bin/true': } -> package { 'p': ensure => present }
  notice(regsubst('a', 'a', 'b'), type([1]), lookup('x', {default_value => 1}), inline_epp('<%= 1 %>'), [1, 2].filter |$x| { $x > 1 })
PP
warn "oracle warm-up: #{warmed['error']['message']}" if warmed['error']

requests = File.foreach(in_file, encoding: 'UTF-8').map { |l| JSON.parse(l) }
Dir.chdir(Oracle.work)
File.open(out_file, 'w') do |out|
  Oracle.forked(requests, out, jobs: jobs, limit: limit, lost: NO_ANSWER) { |request| compile(request) }
end
