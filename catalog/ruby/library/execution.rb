# Commands: Puppet::Util::Execution and SUIDManager, for code of modules at compile time, in facts and in a run. A facade defines
# Puppet::Util::Logging and the errors before it.
module Puppet
  module Util
    module POSIX
      LOCALE_ENV_VARS = %w[LANG LC_ALL LC_MESSAGES LANGUAGE LC_COLLATE LC_CTYPE LC_MONETARY LC_NUMERIC LC_TIME].freeze
      USER_ENV_VARS = %w[HOME USER LOGNAME].freeze

      module_function

      def groups_of(user)
        groups = []
        ::Etc.group { |g| groups << g.name if g.mem.include?(user) }
        groups.uniq
      end

      def uid(name)
        Util.uid(name)
      end

      def gid(name)
        Util.gid(name)
      end
    end

    # The id of a user or group, given by name or id; nil when there is none.
    def uid(user)
      id_of(user, :getpwnam, :getpwuid, :uid)
    end
    module_function :uid

    def gid(group)
      id_of(group, :getgrnam, :getgrgid, :gid)
    end
    module_function :gid

    def id_of(name, by_name, by_id, field)
      number = Integer(name.to_s, exception: false)
      entry = number ? ::Etc.public_send(by_id, number) : ::Etc.public_send(by_name, name.to_s)
      entry&.public_send(field)
    rescue ArgumentError
      nil
    end
    module_function :id_of

    module Execution
      # The output of a command together with its exit status.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(value, exitstatus)
          super(value)
          @exitstatus = exitstatus
        end
      end

      NoOptionsSpecified = {}.freeze

      class << self
        include Logging

        def pupc_log_source
          Puppet.pupc_log_source
        end

        # Runs a command and returns its output. Without options, an exit status other than 0 raises Puppet::ExecutionFailure, and the
        # output contains standard error. A String goes through a shell if it needs one, an Array never does.
        def execute(command, options = NoOptionsSpecified)
          alone = NoOptionsSpecified.equal?(options)
          options = { failonfail: alone, combine: alone, override_locale: true, custom_environment: {}, sensitive: false }.merge(options)
          words = command.is_a?(Array) ? command.flatten.map(&:to_s) : [command]
          shown = options[:sensitive] ? '[redacted]' : words.join(' ')
          tell(shown, options)
          if options[:cwd] && !File.directory?(options[:cwd].to_s)
            raise ArgumentError, "Working directory #{options[:cwd]} does not exist!"
          end

          output, status = run(words, options)
          if options[:failonfail] && status != 0
            raise Puppet::ExecutionFailure, "Execution of '#{shown}' returned #{status}: #{options[:sensitive] ? '[redacted]' : output.strip}"
          end
          ProcessOutput.new(output, status)
        end
        alias util_execute execute

        # Yields a stream with the command's output. As in Puppet, a shell reads the command, and the words of an Array are only joined:
        # Puppet's own providers, and those of modules, quote their words for that shell (dpkg's format, selinux' pipes).
        def execpipe(command, failonfail = true)
          text = command.is_a?(Array) ? command.join(' ') : command.to_s
          debug("Executing '#{text}'")
          output = Util.withenv('LANG' => 'C', 'LC_ALL' => 'C') { IO.popen("#{text} 2>&1") { |pipe| yield pipe } }
          raise Puppet::ExecutionFailure, output.to_s if failonfail && !$?.success?

          output
        end

        def execfail(command, exception)
          execute(command, failonfail: true, combine: true, squelch: false)
        rescue Puppet::ExecutionFailure => e
          raise exception, e.message, e.backtrace
        end

        def ruby_path
          RbConfig.ruby
        end

        private

        def tell(shown, options)
          who = %i[uid gid].filter_map { |id| "#{id}=#{options[id]}" if options[id] }
          debug("Executing#{" with #{who.join(' ')}" unless who.empty?}: '#{shown}'")
        end

        # The environment of the command: the C locale, and no variables about the user.
        def environment(options)
          out = POSIX::USER_ENV_VARS.to_h { |name| [name, nil] }
          out.merge!(POSIX::LOCALE_ENV_VARS.to_h { |name| [name, nil] }, 'LANG' => 'C', 'LC_ALL' => 'C') if options[:override_locale]
          out.merge((options[:custom_environment] || {}).to_h { |name, value| [name.to_s, value&.to_s] })
        end

        def run(words, options)
          reader, writer = options[:squelch] ? [nil, File.open(File::NULL, 'w')] : IO.pipe
          redirect = { in: (options[:stdinfile] || File::NULL).to_s, out: writer, err: options[:combine] ? writer : File::NULL }
          redirect[:chdir] = options[:cwd].to_s if options[:cwd]
          pid = options[:uid] || options[:gid] ? start_as(words, options, redirect) : Process.spawn(environment(options), *words, redirect)
          writer.close
          collect(pid, reader)
        rescue SystemCallError => e
          message = "Could not execute posix command: #{e.message}"
          [options[:combine] ? "Error: #{message}\n" : '', 1]
        ensure
          reader&.close
          writer.close unless writer.nil? || writer.closed?
        end

        # Starts a command as another user or group. The child goes to its directory first, which that user may be unable to enter, and keeps
        # this process's directory when none is wanted.
        def start_as(words, options, redirect)
          fork do
            Process.setsid
            $VERBOSE = nil # Ruby would warn that code is in a block of Dir.chdir
            directory = redirect.delete(:chdir)
            Dir.chdir(directory) if directory
            SUIDManager.change_privileges(options[:uid], options[:gid], true)
            environment(options).each { |name, value| ENV[name] = value }
            exec(*words, redirect)
          rescue StandardError => e
            redirect[:err].write("Error: Could not execute posix command: #{e.message}\n") if redirect[:err].is_a?(IO)
          ensure
            exit!(1)
          end
        end

        # Reads the output until the command itself has ended: a background process may keep the pipe open.
        def collect(pid, reader)
          output = +''.b
          return ['', Process.waitpid2(pid).last.exitstatus] if reader.nil?

          require 'io/wait' unless reader.respond_to?(:wait_readable)
          status = nil
          until status
            ready = reader.wait_readable(0.05)
            part = ready ? reader.read_nonblock(65_536, exception: false) : :wait_readable
            output << part if part.is_a?(String)
            _, status = Process.waitpid2(pid, part.nil? ? 0 : Process::WNOHANG) unless part.is_a?(String)
          end
          while (part = reader.read_nonblock(65_536, exception: false)).is_a?(String)
            output << part
          end
          [output.force_encoding(Encoding.default_external), status.exitstatus || 128 + status.termsig.to_i]
        end
      end
    end

    # Runs code as another user.
    module SUIDManager
      module_function

      %i[uid gid euid egid groups].each { |name| define_singleton_method(name) { Process.public_send(name) } }

      def root?
        Process.uid.zero?
      end

      # Runs the block with the rights of another user and group, then restores the worker's own rights.
      def asuser(new_uid = nil, new_gid = nil)
        return yield if !root? || !(new_uid || new_gid)

        before = [Process.euid, Process.egid, Process.groups]
        begin
          change_privileges(new_uid, new_gid, false)
          yield
        ensure
          Process.euid = before[0]
          Process.egid = before[1]
          Process.groups = before[2]
        end
      end

      def change_privileges(uid = nil, gid = nil, permanently = false)
        return unless uid || gid

        uid = number(:uid, 'user', uid) if uid
        gid = gid ? number(:gid, 'group', gid) : ::Etc.getpwuid(uid).gid
        if permanently
          Process::GID.change_privilege(gid) unless Process.egid == gid
        else
          Process.egid = gid
        end
        change_user(uid, permanently) if uid
      end

      def change_user(user, permanently = false)
        uid = number(:uid, 'user', user)
        return if Process.euid == uid

        entry = ::Etc.getpwuid(uid)
        Process.initgroups(entry.name, entry.gid)
        permanently ? Process::UID.change_privilege(uid) : Process.euid = uid
      end

      def number(kind, name, id)
        return id if id.is_a?(Integer)

        Util.public_send(kind, id) || raise(Puppet::Error, "Invalid #{name}: #{id}")
      end
    end
  end
end
