# Facter: programs, as facts start them.
module Facter
  module Core
    module Execution
      class ExecutionFailure < StandardError; end

      module_function

      def search_paths
        ENV.fetch('PATH', '').split(::File::PATH_SEPARATOR) + %w[/sbin /usr/sbin]
      end

      def which(program)
        candidates = absolute_path?(program) ? [program] : search_paths.map { |d| ::File.join(d, program) }
        candidates.find { |f| ::File.executable?(f) && ::File.file?(f) }
      end

      def absolute_path?(path, _platform = nil)
        path.start_with?('/')
      end

      # The command line with the full path of its program; nil when the program does not exist.
      def expand_command(command)
        program, rest = (command.match(/\A"(.+?)"(?:\s+(.*))?/) || command.match(/\A'(.+?)'(?:\s+(.*))?/))&.captures || command.split(/ /, 2)
        found = program && which(program) or return
        found = "'#{found}'" if found.match?(/\s/)
        rest ? "#{found} #{rest}" : found
      end

      def with_env(values)
        before = values.keys.to_h { |name| [name, ENV[name]] }
        values.each { |name, value| ENV[name] = value }
        yield
      ensure
        before&.each { |name, value| ENV[name] = value }
      end

      def exec(command)
        execute(command, on_fail: nil)
      end

      OPTIONS = %i[on_fail expand logger timeout].freeze

      def execute(command, options = {})
        failed = options.fetch(:on_fail, :raise)
        unknown = options.keys - OPTIONS
        unless unknown.empty?
          Facter.warn("Unexpected key passed to Facter::Core::Execution.execute option: #{unknown.join(',')} - valid keys: #{OPTIONS.join(',')}")
        end
        plain = options[:logger] || (!options.fetch(:expand, true) && builtin?(command))
        expanded = plain ? command : expand_command(command)
        unless expanded
          raise ExecutionFailure, "Could not execute '#{command}': command not found" if failed == :raise

          return failed
        end
        limit = (options[:timeout] || options[:time_limit] || options[:limit]).to_i
        execute_command(expanded, failed, options[:logger], limit.positive? ? limit : nil).then { |out| out.is_a?(Array) ? out[0] : out }
      end

      # [output, errors] of a command line; `on_fail` when it cannot be started.
      def execute_command(command, on_fail = nil, logger = nil, timeout = nil)
        out, problems = piped(command.to_s, timeout || 300, on_fail)
        Facter.debug("Command #{command} completed with the following stderr message: #{problems.strip}") unless problems.empty?
        [out.strip, problems]
      rescue StandardError => e
        return '' if logger
        return on_fail unless on_fail == :raise

        raise ExecutionFailure, "Failed while executing '#{command}': #{e.message}"
      end

      def builtin?(command)
        `type #{command}`.chomp.match?(/builtin/)
      end

      def piped(command, limit, on_fail)
        out, out_end = IO.pipe
        err, err_end = IO.pipe
        pid = Process.spawn({ 'LC_ALL' => 'C', 'LANG' => 'C' }, command, in: ::File::NULL, out: out_end, err: err_end)
        [out_end, err_end].each(&:close)
        readers = [out, err].map { |io| Thread.new { io.read } }
        begin
          Timeout.timeout(limit) { readers.map(&:value) }
        rescue Timeout::Error
          Process.kill('KILL', pid)
          raise "Timeout encounter after #{limit}s, killing process with pid: #{pid}" if on_fail == :raise

          ['', '']
        end
      ensure
        readers&.each(&:kill)
        [out, err, out_end, err_end].compact.each(&:close)
        Process.wait(pid) if pid
      end
    end
  end
end
