# Puppet::Util, for all Ruby workers.
module Puppet
  module Util
    AbsolutePathPosix = %r{^/}.freeze
    AbsolutePathWindows = %r{^(?:(?:[A-Z]:[\\/])|(?:[\\/][\\/][^\\/]+[\\/][^\\/]+)|(?:[\\/][\\/]\?[\\/][^\\/]+))}i.freeze
    DEFAULT_POSIX_MODE = 0o644
    DEFAULT_WINDOWS_MODE = nil

    module ClassGen; end
    module InstanceLoader; end
    module MethodHelper; end
    module NagiosMaker; end
    module SELinux; end

    extend Errors
    module_function

    # -- programs and paths

    def which(program)
      program = program.to_s
      return (File.file?(program) && File.executable?(program) ? program : nil) if absolute_path?(program)

      (ENV['PATH'] || '').split(File::PATH_SEPARATOR).each do |directory|
        full = File.join(File.expand_path(directory), program)
        return full if File.file?(full) && File.executable?(full)
      rescue ArgumentError # ~name of an unknown user
        next
      end
      nil
    end

    def absolute_path?(path, platform = nil)
      return (platform == :windows ? AbsolutePathWindows : AbsolutePathPosix).match?(path) if path.is_a?(String)

      Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
      false
    end

    def path_to_uri(path)
      URI::Generic.build(scheme: 'file', path: URI::DEFAULT_PARSER.escape(path.to_s))
    end

    def uri_to_path(uri)
      uri.path && URI::DEFAULT_PARSER.unescape(uri.path)
    end

    def uri_encode(path, options = {})
      path, fragment = path.split('#', 2) if options[:allow_fragment]
      path, query = path.split('?', 2)
      escaped = ->(text) { URI::DEFAULT_PARSER.escape(text).gsub('#', '%23') }
      [escaped.call(path), query && "?#{query.split('&').map { |pair| pair.split('=', 2).map { |part| uri_query_encode(part) }.join('=') }.join('&')}", fragment && "##{escaped.call(fragment)}"].join
    end

    def uri_query_encode(text)
      ERB::Util.url_encode(text)
    end

    def uri_unescape(text)
      URI::DEFAULT_PARSER.unescape(text)
    end

    def rfc2396_escape(text)
      URI::DEFAULT_PARSER.escape(text)
    end

    # Replaces a file atomically: writes a temporary file beside it and renames that.
    def replace_file(file, mode = nil, _staging = nil, _validate = nil)
      target = Pathname.new(file.to_s)
      mode = target.stat.mode & 0o7777 if target.exist? && mode.nil?
      temporary = Tempfile.new(target.basename.to_s, target.dirname.to_s)
      temporary.binmode
      yield temporary
      temporary.flush
      temporary.fsync
      temporary.close
      File.chmod(mode.is_a?(String) ? mode.to_i(8) : mode || DEFAULT_POSIX_MODE, temporary.path)
      if target.exist? && Process.uid.zero?
        status = target.stat
        File.chown(status.uid, status.gid, temporary.path)
      end
      File.rename(temporary.path, target.to_s)
      target
    ensure
      temporary&.close!
    end

    # -- code in another setting

    def withenv(variables, _mode = nil)
      before = ENV.to_hash
      variables.each { |name, value| ENV[name.to_s] = value }
      yield
    ensure
      ENV.replace(before) if before
    end

    def withumask(mask)
      before = File.umask(mask)
      yield
    ensure
      File.umask(before)
    end

    def get_env(name, _mode = nil)
      ENV[name.to_s]
    end

    def set_env(name, value = nil, _mode = nil)
      ENV[name.to_s] = value
    end

    def clear_environment(_mode = nil)
      ENV.clear
    end

    def get_environment(_mode = nil)
      ENV.to_hash
    end

    def merge_environment(variables, _mode = nil)
      variables.each { |name, value| set_env(name, value) }
    end

    def default_env
      :posix
    end

    def benchmark(*)
      thinmark { yield }
    end

    def thinmark
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end

    def safe_posix_fork(*)
      raise NotImplementedError, 'module code must not fork a worker of pupc'
    end

    def exit_on_fail(*)
      yield
    end

    def skip_external_facts
      yield
    end

    # -- values

    # Random numbers that depend only on the seed.
    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    def symbolizehash(hash)
      hash.transform_keys { |k| k.respond_to?(:intern) ? k.intern : k }
    end

    def create_erb(content)
      ERB.new(content, trim_mode: '-')
    end

    def self.logmethods(*); end
    def self.resolve_stackframe(frame)
      frame.to_s
    end
  end
end

module Kernel
  # Stand for Puppet's translations: the text itself.
  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end
  private :_, :n_
end

class Object
  # Puppet adds these methods to Object too.
  def instance_variables_and_values
    instance_variables.to_h { |name| [name, instance_variable_get(name)] }
  end

  def meta_def(name, &block)
    define_singleton_method(name, &block)
  end
end
