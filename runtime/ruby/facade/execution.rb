# Commands: Puppet::Util::Execution, SUIDManager and Puppet::FileSystem.
require 'io/wait'
module Puppet
  module Util
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
          'Puppet'
        end

        # Runs a command and returns its output. Without options, an exit status other than 0 raises Puppet::ExecutionFailure, and the
        # output
        # contains standard error. A String goes through a shell if it needs one, an Array never does.
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
          debug { "Executing#{" with #{who.join(' ')}" unless who.empty?}: '#{shown}'" }
        end

        # The environment of the command: the C locale, and no variables about the user.
        def environment(options)
          out = POSIX::USER_ENV_VARS.to_h { |name| [name, nil] }
          out.merge!(POSIX::LOCALE_ENV_VARS.to_h { |name| [name, nil] }, 'LANG' => 'C', 'LC_ALL' => 'C') if options[:override_locale]
          out.merge((options[:custom_environment] || {}).to_h { |name, value| [name.to_s, value&.to_s] })
        end

        def run(words, options)
          return run_as(words, options) if options[:uid]

          reader, writer = options[:squelch] ? [nil, File.open(File::NULL, 'w')] : IO.pipe
          redirect = { in: (options[:stdinfile] || File::NULL).to_s, out: writer, err: options[:combine] ? writer : File::NULL }
          redirect[:chdir] = options[:cwd].to_s if options[:cwd]
          pid = start(words, options, redirect)
          writer.close
          collect(pid, reader)
        rescue SystemCallError => e
          message = "Could not execute posix command: #{e.message}"
          [options[:combine] ? "Error: #{message}\n" : '', 1]
        ensure
          reader&.close
          writer.close unless writer.nil? || writer.closed?
        end

        # Lets pupc run the command: it is the one that becomes another user.
        def run_as(words, options)
          uid = SUIDManager.number(:uid, 'user', options[:uid])
          gid = options[:gid] && SUIDManager.number(:gid, 'group', options[:gid])
          input = options[:stdinfile] ? File.binread(options[:stdinfile].to_s) : ''
          # As Ruby does, start a single text without a shell when it needs none.
          words = words[0].split if words.size == 1 && !words[0].match?(%r{[*?{}\[\]<>()~&|\\$;'`"\n#=%]})
          output, status, problem = PupcWorker.ask('execute', PupcWorker.encode(words), uid, gid, PupcWorker.encode(environment(options).to_a),
                                                   options[:cwd].to_s, PupcWorker.encode(input), options[:combine] ? true : false)
          raise Puppet::Error, problem if problem

          Process.wait(fork { exit!(status) }) # providers look at $CHILD_STATUS
          [options[:squelch] ? '' : (+output).force_encoding(Encoding.default_external), status]
        rescue Puppet::Error, SystemCallError => e
          [options[:combine] ? "Error: Could not execute posix command: #{e.message}\n" : '', 1]
        end

        def start(words, options, redirect)
          return Process.spawn(environment(options), *words, redirect) unless options[:gid]

          fork do
            Process.setsid
            ENV.update(environment(options))
            SUIDManager.change_privileges(nil, options[:gid], true)
            exec(*words, redirect)
          rescue StandardError => e
            (redirect[:err].is_a?(IO) ? redirect[:err] : $stderr).write("Error: Could not execute posix command: #{e.message}\n")
          ensure
            exit!(1)
          end
        end

        # Reads the output until the command itself has ended: a background process may keep the pipe open.
        def collect(pid, reader)
          output = +''.b
          return ['', Process.waitpid2(pid).last.exitstatus] if reader.nil?

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

  # Puppet::FileSystem: file operations that take a String or a Pathname.
  module FileSystem
    class << self
      %i[exist? directory? file? executable? readlink size symlink? stat lstat ftype realpath zero? writable? readable?].each do |name|
        define_method(name) { |path| File.public_send(name, path.to_s) }
      end

      def dir_exist?(path)
        File.directory?(File.dirname(path.to_s))
      end

      def dir(path)
        Pathname.new(File.dirname(path.to_s))
      end

      def dir_string(path)
        File.dirname(path.to_s)
      end

      def basename(path)
        Pathname.new(File.basename(path.to_s))
      end

      def basename_string(path)
        File.basename(path.to_s)
      end

      def dir_mkpath(path)
        FileUtils.mkdir_p(File.dirname(path.to_s))
      end

      def mkpath(path)
        FileUtils.mkdir_p(path.to_s)
      end

      def pathname(path)
        Pathname.new(path.to_s)
      end
      alias assert_path pathname

      def path_string(path)
        path.to_s
      end

      def expand_path(path, directory = nil)
        File.expand_path(path.to_s, directory&.to_s)
      end

      def read(path, options = {})
        options[:encoding] == :bom_utf8 ? File.read(path.to_s, encoding: 'BOM|UTF-8') : File.read(path.to_s, **options)
      end

      def read_preserve_line_endings(path)
        File.binread(path.to_s).force_encoding(Encoding.default_external)
      end

      def binread(path)
        File.binread(path.to_s)
      end

      def each_line(path, &block)
        File.foreach(path.to_s, &block)
      end

      def open(path, mode, options = 'r', &block)
        mode = mode.to_i(8) if mode.is_a?(String)
        mode ? File.open(path.to_s, options, mode, &block) : File.open(path.to_s, options, &block)
      end

      def exclusive_create(path, mode, &block)
        File.open(path.to_s, File::CREAT | File::EXCL | File::WRONLY, mode || 0o666, &block)
      end

      def exclusive_open(path, mode, options = 'r', _timeout = 300)
        open(path, mode, options) do |file|
          file.flock(File::LOCK_EX)
          yield file
        end
      end

      def replace_file(path, mode = nil, &block)
        Util.replace_file(path, mode, &block)
      end

      def unlink(*paths)
        File.unlink(*paths.map(&:to_s))
      end

      def rmtree(path)
        FileUtils.rm_rf(path.to_s)
      end

      def symlink(target, link, options = {})
        FileUtils.ln_s(target.to_s, link.to_s, **options.slice(:force))
      end

      def touch(path, mtime: nil)
        FileUtils.touch(path.to_s, **(mtime ? { mtime: mtime } : {}))
      end

      def chmod(mode, path)
        File.chmod(mode, path.to_s)
      end

      def chown(user, group, path)
        File.chown(user, group, path.to_s)
      end

      def compare_stream(path, stream)
        File.binread(path.to_s) == stream.read
      end

      def children(path)
        Pathname.new(path.to_s).children
      end
    end
  end
end
