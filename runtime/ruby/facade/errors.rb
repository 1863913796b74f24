# Errors and logs.
module PupcWorker
  # Ruby's own hints in name errors (did_you_mean, error_highlight), loaded with the first such error to save start-up time.
  module Hints
    def to_s
      return super if @@loaded

      @@loaded = true
      begin
        require 'did_you_mean'
        require 'error_highlight'
      rescue LoadError
        nil
      end
      to_s
    end
    alias message to_s
    @@loaded = false # rubocop:disable Style/ClassVars
  end
  NameError.prepend(Hints)
end

module Puppet
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  # An error that may know its place in a manifest; its text then contains the place.
  module PlacedError
    attr_accessor :file, :line, :pos

    def initialize(message = nil, file = nil, line = nil, pos = nil, original = nil)
      file, original = nil, file if file.is_a?(Exception)
      pos, original = nil, pos if pos.is_a?(Exception)
      super(message, original)
      @file = file unless file.to_s.empty?
      @line = line unless line.to_s.empty?
      @pos = pos
    end

    def bare_text
      to_s_without_place
    end

    def to_s_without_place
      method(:to_s).super_method.call
    end

    def to_s
      super + Util::Errors.error_location_with_space(file, line, pos)
    end
  end
  ExternalFileError = PlacedError

  class ResourceError < Error
    include PlacedError
  end

  class ParseError < Error
    include PlacedError
  end

  class DevError < Error
    include PlacedError
  end

  class PreformattedError < ParseError; end
  class ExecutionFailure < Error; end
  class MissingCommand < Error; end
  class SettingsError < Error; end
  class NoSuchProvider < Error; end

  module Util
    module Errors
      def self.error_location(file, line = nil, column = nil)
        parts = { file: file, line: line, column: column }.reject { |_, v| v.nil? || v.to_s.empty? }
        parts.delete(:column) unless parts[:line]
        parts.empty? ? '' : "(#{parts.map { |name, value| "#{name}: #{value}" }.join(', ')})"
      end

      def self.error_location_with_space(*place)
        text = error_location(*place)
        text.empty? ? '' : " #{text}"
      end

      def self.error_location_with_unknowns(file, line)
        error_location(file.to_s.empty? ? 'unknown' : file, line.to_s.empty? ? 'unknown' : line)
      end

      def fail(*args)
        kind = args[0].is_a?(Class) ? args.shift : Puppet::Error
        original = args.size > 1 ? args.pop : nil
        raise adderrorcontext(kind.new(args.join(' ')), original)
      end

      def devfail(message)
        fail(Puppet::DevError, message)
      end

      # Adds the resource's place and the other error's backtrace to an error, which then no longer has that error in it; returns the error.
      def adderrorcontext(error, other = nil)
        error.line ||= line if error.respond_to?(:line=) && respond_to?(:line)
        error.file ||= file if error.respond_to?(:file=) && respond_to?(:file)
        error.set_backtrace(other.backtrace) if other.respond_to?(:backtrace) && other.backtrace
        error.instance_variable_set(:@original, nil) unless error.frozen?
        error
      end

      def error_context
        Errors.error_location_with_space(file, line)
      end

      def exceptwrap(options = {})
        yield
      rescue Puppet::Error => e
        raise adderrorcontext(e)
      rescue StandardError => e
        raise adderrorcontext((options[:type] || Puppet::DevError).new(options[:message] || "#{self.class} failed with error #{e.class}: #{e}"), e)
      end
    end

    module Logging
      PupcWorker::LEVELS.each do |level|
        define_method(level) do |*args, &block|
          next unless PupcWorker.wanted?(level)

          PupcWorker.log(level, pupc_log_source, block ? block.call : args.join(' '))
          nil
        end
      end

      def send_log(level, message)
        PupcWorker.log(level.to_sym, pupc_log_source, message)
      end

      def log_exception(exception, message = :default, options = {})
        send_log(options[:level] || :err, format_exception(exception, message, options[:trace]))
      end

      def log_and_raise(exception, message)
        log_exception(exception, message)
        raise exception, "#{message}\n#{exception}", exception.backtrace
      end

      # The texts of the errors that an error was made of, the nearest first.
      def self.causes(error)
        inside = error.respond_to?(:original) ? error.original : nil
        inside ? [inside.message] + causes(inside) : []
      end

      # The text for the log: the message, the backtrace where it is wanted, the errors inside. A message that is nil leaves itself out.
      def format_exception(exception, message = :default, trace = false, *)
        own = message == :default ? exception.message : message
        [own&.to_s, *(exception.backtrace if trace), *Logging.causes(exception).flat_map { |text| ['Wrapped exception:', text] }].compact.join("\n")
      end

      def format_backtrace(exception, *)
        (exception.backtrace || []).join("\n")
      end

      WARNED = {} # rubocop:disable Style/MutableConstant
      def warn_once(_kind, key, message, _file = nil, _line = nil, level = :warning)
        return if WARNED[key]

        WARNED[key] = true
        send_log(level, message)
      end

      def deprecation_warning(message, key = nil)
        warn_once('deprecations', key || message, message)
      end

      def puppet_deprecation_warning(message, options = {})
        deprecation_warning(message, options[:key])
      end

      def pupc_log_source
        return path.to_s if (is_a?(Puppet::Type) || is_a?(Puppet::Parameter)) && respond_to?(:path)

        equal?(Puppet) ? 'Puppet' : to_s
      end

      def clear_deprecation_warnings; end
    end

    module Warnings
      include Logging

      def notice_once(message)
        warn_once(nil, "notice #{message}", message, nil, nil, :notice)
      end

      def warnonce(message)
        warn_once(nil, message, message)
      end
      alias warning_once warnonce

      def debug_once(message)
        warn_once(nil, "debug #{message}", message, nil, nil, :debug)
      end

      def self.clear_warnings; end
    end

    # Puppet::Util::Log, for module code that creates log lines directly.
    class Log
      LEVELS = PupcWorker::LEVELS

      def self.create(hash)
        source = hash[:source]
        source = source.respond_to?(:path) ? source.path : source
        PupcWorker.log(hash[:level].to_sym, (source || 'Puppet').to_s, hash[:message])
      end

      def self.level
        PupcWorker.least_level
      end

      def self.level=(_level); end

      def self.eachlevel(&block)
        LEVELS.each(&block)
      end

      def self.sendlevel?(level)
        PupcWorker.wanted?(level.to_sym)
      end

      def self.destinations
        {}
      end

      def self.newdestination(*); end
    end

    module Docs
      attr_writer :doc

      def doc
        @doc || ''
      end

      def desc(text)
        @doc = text
      end

      def dochook(*); end

      def self.scrub(text)
        text
      end

      def scrub(text)
        text
      end
    end
  end
end
