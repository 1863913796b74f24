# -- file
# Logs to a text; what writes time and process is Ruby's.
class Logger
  module Severity
    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    FATAL = 4
    UNKNOWN = 5
  end

  include Severity

  LABELS = %w[DEBUG INFO WARN ERROR FATAL ANY].freeze

  attr_accessor :progname, :formatter, :datetime_format
  attr_reader :level

  def initialize(device = nil, *args, level: DEBUG, progname: nil, formatter: nil)
    PupcCore.ruby unless device.nil? || device.is_a?(StringIO)
    @device = device
    @progname = progname
    @formatter = formatter
    self.level = level
  end

  def level=(level)
    @level = level.is_a?(Integer) ? level : LABELS.index(level.to_s.upcase) || PupcCore.ruby
  end

  def add(severity, message = nil, progname = nil)
    severity ||= UNKNOWN
    return true if @device.nil? || severity < @level

    progname = @progname if progname.nil?
    if message.nil?
      if block_given?
        message = yield
      else
        message = progname
        progname = @progname
      end
    end
    PupcCore.ruby if @formatter.nil?
    @device.write(@formatter.call(LABELS[severity] || 'ANY', nil, progname, message))
    true
  end

  def log(severity, message = nil, progname = nil, &block)
    add(severity, message, progname, &block)
  end

  def <<(text)
    @device&.write(text)
    self
  end

  def debug(progname = nil, &block)
    add(DEBUG, nil, progname, &block)
  end

  def info(progname = nil, &block)
    add(INFO, nil, progname, &block)
  end

  def warn(progname = nil, &block)
    add(WARN, nil, progname, &block)
  end

  def error(progname = nil, &block)
    add(ERROR, nil, progname, &block)
  end

  def fatal(progname = nil, &block)
    add(FATAL, nil, progname, &block)
  end

  def unknown(progname = nil, &block)
    add(UNKNOWN, nil, progname, &block)
  end

  def debug?
    @level <= DEBUG
  end

  def info?
    @level <= INFO
  end

  def warn?
    @level <= WARN
  end

  def error?
    @level <= ERROR
  end

  def fatal?
    @level <= FATAL
  end

  def close
    nil
  end
end
# -- file
# Puppet's log, for code that goes around its functions.
class Puppet::Util::Log
  def self.levels
    %i[debug info notice warning err alert emerg crit]
  end

  def self.validlevel?(level)
    levels.include?(level)
  end

  def self.create(level:, message:, source: nil)
    PupcCore.ruby unless source.nil? || source == 'Puppet'
    PupcCore.log_of_puppet(level.to_s, message)
  end
end
