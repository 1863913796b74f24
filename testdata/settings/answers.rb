# frozen_string_literal: true

# Writes the answers beside it, by Puppet's library: for m in user agent server; do MODE=$m ruby -I LIB answers.rb > $m.json; done
require 'json'
require 'puppet'
require 'puppet/util/command_line'

PLACES = ['--confdir', '/t/conf', '--codedir', '/t/code', '--vardir', '/t/var', '--rundir', '/t/run', '--logdir', '/t/log', '--publicdir', '/t/public', '--certname',
          'node.example.com'].freeze

# An application that shows its settings.
class Answers < Puppet::Application
  run_mode(ENV.fetch('MODE').to_sym)

  def plain(value)
    case value
    when Array then value.map { |v| plain(v) }
    when Symbol then value.to_s
    when Float::INFINITY then 'Infinity'
    else value
    end
  end

  def main
    seen = Puppet.settings.map(&:first).reject { |name| %i[name http_user_agent srv_domain].include?(name) }
    puts JSON.pretty_generate(seen.to_h { |name| [name, plain(Puppet.settings.value_sym(name, :production))] })
  end

  def setup_logs; end
end

Puppet.initialize_settings([*PLACES, '--config', ENV.fetch('CONF', File.join(__dir__, 'puppet.conf'))])
Answers.new(Puppet::Util::CommandLine.new('puppet', ['answers'])).run
