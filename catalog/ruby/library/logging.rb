# Puppet's log and its helpers, for all Ruby workers. A worker has the hooks wanted?(level), least_level, log(level, source, message), and
# warned: a hash that remembers what warn_once has told.
module Puppet
  module Util
    # A message of the log. Making one logs it.
    class Log
      LEVELS = %i[debug info notice warning err alert emerg crit].freeze
      attr_reader :level, :message, :source, :tags, :time
      attr_accessor :file, :line

      class << self
        # The message; nil when its level is not wanted.
        def create(hash)
          raise Puppet::DevError, 'Logs require a level' unless hash.include?(:level)
          raise Puppet::DevError, "Invalid log level #{hash[:level]}" unless validlevel?(hash[:level])

          sendlevel?(hash[:level]) ? new(hash) : nil
        end

        def newmessage(message)
          message.pupc_log if sendlevel?(message.level)
        end

        def level
          PupcWorker.least_level
        end

        def level=(_level); end

        def levels
          LEVELS.dup
        end

        def validlevel?(level)
          LEVELS.include?(level)
        end

        def sendlevel?(level)
          PupcWorker.wanted?(level)
        end

        def eachlevel(&block)
          LEVELS.each(&block)
        end

        def destinations
          {}
        end

        def newdestination(*); end
      end

      def initialize(options)
        raise ArgumentError, 'Puppet::Util::Log requires a message' unless options[:message]

        @level = options[:level].to_sym
        @message = options[:message].to_s
        source = options[:source] || Puppet
        @source = source.respond_to?(:pupc_log_source) ? source.pupc_log_source : source.to_s
        @file, @line = options.values_at(:file, :line)
        @tags = [@level.to_s, *options[:tags]]
        @time = Time.now
        pupc_log
      end

      def pupc_log
        PupcWorker.log(level, source, message)
        self
      end

      def to_s
        message
      end

      def to_report
        "#{time.strftime('%Y-%m-%d %H:%M:%S %z')} #{source.empty? ? 'Puppet' : source} (#{level}): #{message}"
      end
    end

    module Logging
      (Log::LEVELS - [:debug]).each { |level| define_method(level) { |message| send_log(level, Array(message).join(' ')) if message || raise(ArgumentError, 'Puppet::Util::Log requires a message') } }

      def debug(message = nil)
        send_log(:debug, (block_given? ? yield : Array(message).join(' ')).to_s) if PupcWorker.wanted?(:debug)
      end

      def send_log(level, message)
        Log.create(level: level.to_sym, source: self, message: message)
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

      # A message that is told once for its key, with its place; :default for file and line leaves the place out.
      def warn_once(_kind, key, message, file = nil, line = nil, level = :warning)
        return if PupcWorker.warned[key]

        PupcWorker.warned[key] = true
        place = [file, line] == %i[default default] ? nil : Errors.error_location(file, line)
        send_log(level, [message, place && "   #{place.empty? ? '(file & line not available)' : place}"].compact.join("\n"))
      end

      # A warning with the place of the Ruby code that calls.
      def deprecation_warning(message, key = nil)
        warn_once('deprecations', key || message, "#{message}\n   (location: #{caller(1, 1).first})", :default, :default)
      end

      # A warning with a place in a manifest.
      def puppet_deprecation_warning(message, options = {})
        file, line = options.values_at(:file, :line)
        raise Puppet::DevError, 'Need either :file and :line, or :key' unless options[:key] || (file && line)

        warn_once('deprecations', options[:key] || "#{file}:#{line}", "#{message}\n   #{Errors.error_location_with_unknowns(file, line)}", :default, :default)
      end

      def pupc_log_source
        to_s
      end

      def clear_deprecation_warnings
        PupcWorker.warned.clear
      end

      def self.setup_facter_logging!; end
    end

    module Warnings
      include Logging
      module_function

      { warnonce: :warning, warning_once: :warning, notice_once: :notice, debug_once: :debug }.each do |name, level|
        define_method(name) { |message| Puppet.warn_once(nil, [level, message], message, :default, :default, level) }
        module_function name
      end

      def clear_warnings; end
    end
  end
end
