# frozen_string_literal: true
# `puppet parser validate` and `puppet epp validate` for thousands of sources in one warm process.
#   ruby validate.rb IN.jsonl OUT.jsonl [--jobs N] [--timeout SECONDS]
# One request per line: {"id","file"} or {"id","code"}, with "epp":true for templates.
# One answer per line, in the order of the requests: {"id","ok","errors":[{"message","line","column"}]}.
# A manifest goes the way of Puppet's command: it is parsed, checked and its definitions are put in an environment, so
# definitions that clash are found too. A template is parsed and checked.
require_relative 'harness'

# Ruby's own warnings about regexes in the sources are no part of an answer.
$VERBOSE = nil

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
Puppet[:code] = ''

NO_ANSWER = ->(request) { { 'id' => request['id'], 'ok' => false, 'errors' => [{ 'message' => 'ORACLE: no answer', 'line' => nil, 'column' => nil }] } }

# An environment keeps its loaders and they keep types and functions: each manifest gets one of its own.
def validate_manifest(path)
  env = Puppet::Node::Environment.create(:production, [], path)
  Puppet.override(current_environment: env, loaders: Puppet::Pops::Loaders.new(env)) { env.known_resource_types }
end

def validate_template(path)
  Puppet::Pops::Parser::EvaluatingParser::EvaluatingEppParser.new.parse_file(path)
end

def validate(request)
  logs = []
  failure = nil
  path = request['file']
  if path.nil?
    path = "#{Oracle.work}/source-#{Process.pid}.#{request['epp'] ? 'epp' : 'pp'}"
    File.binwrite(path, request['code'])
  end
  Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) do
    request['epp'] ? validate_template(path) : validate_manifest(path)
  rescue Oracle::Expired, NoMemoryError, Interrupt, SystemStackError
    raise
  rescue Exception => e # rubocop:disable Lint/RescueException
    failure = e
  end
  # With several errors the exception only says that it gives up: the errors themselves are in the log.
  errors = logs.select { |l| l.level == :err }.map { |l| { 'message' => Oracle.text(l.message), 'line' => l.line, 'column' => l.pos } }
  if failure && errors.empty?
    e = Oracle.error(failure, [])
    errors << { 'message' => e['message'], 'line' => e['line'], 'column' => e['column'] }
  end
  errors.each do |e|
    e['message'] = e['message'].sub(/ #{Oracle::PLACE}\z/, '')
    e['message'] = e['message'].gsub(path, 'SOURCE') if request['file'].nil?
  end
  { 'id' => request['id'], 'ok' => failure.nil?, 'errors' => errors }
end

validate('code' => "class a { notice(1 + 2) }\n")
validate('code' => "class a { notice(1 + ) }\n")
validate('code' => "<%= $a %>\n", 'epp' => true)

requests = File.foreach(in_file, encoding: 'UTF-8').map { |l| JSON.parse(l) }
Dir.chdir(Oracle.work)
File.open(out_file, 'w') do |out|
  Oracle.warm(requests, out, jobs: jobs, limit: limit, lost: NO_ANSWER) { |request| validate(request) }
end
