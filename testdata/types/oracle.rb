# frozen_string_literal: true
# What Puppet answers for one expression of the language, for the scripts that make the case files here.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'
require 'puppet/pops'
require 'puppet/parser'

module TypeOracle
  DIR = Dir.mktmpdir('type-oracle')
  at_exit { FileUtils.rm_rf(DIR) }
  Dir.chdir(DIR) # an environment without a manifest reads those of the working directory
  Puppet.initialize_settings(['--confdir', "#{DIR}/c", '--vardir', "#{DIR}/v", '--codedir', "#{DIR}/k", '--rundir', "#{DIR}/r", '--logdir', "#{DIR}/l"], false)
  Puppet[:strict] = 'error'
  Puppet[:strict_variables] = true
  Puppet[:disable_i18n] = true
  Puppet::Util::Log.close_all

  module_function

  # Runs the block inside a compile whose top scope is given to it.
  def session(code = '')
    env = Puppet::Node::Environment.create(:production, [], '')
    node = Puppet::Node.new('test.example.com', environment: env, facts: Puppet::Node::Facts.new('test.example.com', {}))
    Puppet[:code] = code
    compiler = Puppet::Parser::Compiler.new(node)
    Puppet.override(current_environment: env, root_environment: env, rich_data: true, loaders: compiler.loaders) do
      compiler.send(:evaluate_main)
      yield compiler.topscope
    end
  end

  # The value of an expression; raises what the evaluator raises.
  def value(scope, expression)
    @parser ||= Puppet::Pops::Parser::EvaluatingParser.new
    @parser.evaluate_string(scope, expression)
  end

  # A value as it stands inside an array that is turned into a string; of times, which would print with an address, their nanoseconds.
  def show(value)
    return "#{value.class.name.split('::').last}:#{value.nsecs}" if value.is_a?(Puppet::Pops::Time::TimeData)

    Puppet::Pops::Types::StringConverter.convert([value])[1..-2]
  end

  # Message without place, and without the evaluator's introduction.
  def error_text(e)
    text = e.message.dup.force_encoding('UTF-8').scrub('?')
    text = text.sub(/ \((?:file: [^)]*, )?line: \d+(?:, column: \d+)?\)\z/, '')
    text = text.sub(/\AEvaluation Error: /, '')
    text = text.sub(/\AError while evaluating an? [^,]+, (?:Evaluation Error: )?/, '')
    "! #{text}"
  end

  # What the expression gives, as one line: the value as a program has it, or "! message".
  def answer(scope, expression)
    show(value(scope, expression))
  rescue StandardError, SystemStackError, NotImplementedError => e
    error_text(e)
  end

  # A field of a tab-separated file.
  def field(text)
    text.gsub('\\', '\\\\\\\\').gsub("\n", '\\n').gsub("\t", '\\t').gsub("\r", '\\r').gsub("\0", '\\\\0')
  end
end
