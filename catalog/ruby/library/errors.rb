# Errors as Puppet's library has them, for all Ruby workers.
module Puppet
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  # An error that may know its place in a manifest; its text then contains the place.
  module ExternalFileError
    attr_accessor :file, :line, :pos

    def initialize(message = nil, file = nil, line = nil, pos = nil, original = nil)
      file, original = nil, file if file.is_a?(Exception)
      pos, original = nil, pos if pos.is_a?(Exception)
      super(message, original)
      @file = file unless file.to_s.empty?
      @line = line unless line.to_s.empty?
      @pos = pos
    end

    # The message without the place.
    def bare_text
      method(:to_s).super_method.call
    end

    def to_s
      super + Util::Errors.error_location_with_space(file, line, pos)
    end
  end

  class ResourceError < Error
    include ExternalFileError
  end

  class ParseError < Error
    include ExternalFileError
  end

  class DevError < Error
    include ExternalFileError
  end

  class ParseErrorWithIssue < ParseError; end
  class PreformattedError < ParseErrorWithIssue; end
  class ExecutionFailure < Error; end
  class MissingCommand < Error; end
  class SubclassAlreadyDefined < Error; end

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
  end
end
