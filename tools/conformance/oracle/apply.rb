# frozen_string_literal: true
# Applies manifests with Puppet, many per start.
#   ruby apply.rb IN.jsonl OUT.jsonl
# One request per line: {"id","args":[words of `puppet apply`],"vardir","cwd"}; one answer per line: {"id","exit","out","err"}.
# With "agent": true the run keeps what an agent's run keeps (transactionstore.yaml, hence corrective changes): Puppet has no such option.
# Each request runs in a fork of a process that has loaded Puppet; facts are not collected but for what providers ask for.
require 'json'
require 'puppet'
require 'puppet/util/command_line'
require 'puppet/application/apply'

# Collecting facts takes seconds; scenarios give what they need in their code.
class Puppet::Node
  def fact_merge(facts = nil); end
end

# One run before the forks loads what all runs need.
require 'tmpdir'
Dir.mktmpdir do |base|
  words = ['apply', '--confdir', "#{base}/conf", '--vardir', "#{base}/var", '--rundir', "#{base}/run", '--logdir', "#{base}/log", '--certname', 'node.example.com',
           '--node_terminus', 'plain', '--logdest', '/dev/null', '-e', <<~PP]
             file { '#{base}/f': content => 'a', mode => 'u=rw', owner => #{Process.uid}, group => #{Process.gid} } file { '#{base}/d': ensure => directory, recurse => true, source => '/etc/alternatives' }
             exec { '/bin/true': } ~> exec { '/bin/echo x': refreshonly => true, onlyif => '/bin/true' } notify { 'warm-up': schedule => daily } tidy { '#{base}/t': }
             schedule { 's': range => '0 - 1' }
           PP
  begin
    Puppet::Util::CommandLine.new('puppet', words).execute
  rescue SystemExit
    nil
  end
end
Puppet::Util::Log.close_all
Puppet::Util::Log.level = :notice
Puppet.clear
Puppet::Util::Storage.init
Puppet.settings.send(:clear_everything_for_tests)

in_file, out_file = ARGV.map { |p| File.expand_path(p) }
File.open(out_file, 'w') do |out|
  File.foreach(in_file, encoding: 'UTF-8') do |line|
    request = JSON.parse(line)
    base = request['vardir']
    pid = fork do
      Dir.chdir(request['cwd']) if request['cwd']
      $stdout.reopen("#{base}/stdout", 'w')
      $stderr.reopen("#{base}/stderr", 'w')
      $stdin.reopen('/dev/null')
      Puppet::Transaction::Persistence.class_eval { define_method(:enabled?) { |catalog| catalog.host_config? } } if request['agent']
      words = ['apply', '--confdir', "#{base}/conf", '--vardir', "#{base}/var", '--rundir', "#{base}/run", '--logdir', "#{base}/log", '--publicdir', "#{base}/public", '--color=false', '--strict=error',
               '--strict_variables', '--certname', 'node.example.com', '--node_terminus', 'plain'] + request['args']
      Puppet::Util::CommandLine.new('puppet', words).execute
      exit!(0)
    rescue SystemExit => e
      $stdout.flush
      $stderr.flush
      exit!(e.status)
    end
    status = nil
    begin
      require 'timeout'
      Timeout.timeout(60) { _, status = Process.wait2(pid) }
    rescue Timeout::Error
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
    out.puts JSON.generate('id' => request['id'], 'exit' => status && status.exitstatus, 'out' => File.read("#{base}/stdout", encoding: 'UTF-8').scrub,
                           'err' => File.read("#{base}/stderr", encoding: 'UTF-8').scrub)
    out.flush
  end
end
