# Puppet::Util, the settings, and other parts of Puppet's library that all code uses.
require 'etc'

module Puppet
  class << self
    include Util
    include Util::Errors
    include Util::Logging

    def [](name)
      Settings[name]
    end

    def []=(name, value)
      Settings[name] = value
    end

    def settings
      Settings
    end

    def features
      @features ||= Features.new
    end

    def runtime
      @runtime ||= Hash.new { |parts, name| parts[name] = HTTP::Client.new if name == :http }.merge!(facter: Facter)
    end

    # How this program runs: an agent has a server.
    def run_mode
      @run_mode ||= Util::RunMode.new(Settings.given.fetch(:run_mode, 'user').to_sym)
    end

    def version
      '@PUPPET_VERSION@'
    end

    # Puppet.lookup: type code asks for the environment.
    def lookup(name, &block)
      return environment if %i[current_environment root_environment].include?(name)
      return (yield if block) unless name == :environments

      @environments ||= Object.new.tap { |o| o.define_singleton_method(:get) { |_name| Puppet.environment } }
    end

    def environment
      @environment ||= Node::Environment.new(settings[:environment].to_sym)
    end

    def override(_bindings, _description = '')
      yield
    end

    def initialize_settings(*); end

    def initialized?
      true
    end

    def newtype(name, options = {}, &block)
      Type.newtype(name, options, &block)
    end
  end
  PUPPETVERSION = '@PUPPET_VERSION@'

  class Features
    # Defines a feature: by a block, or by libraries that must be installed.
    def add(name, options = {}, &block)
      (@added ||= {})[name.to_sym] = [options, block]
      @results&.delete(name.to_sym)
    end

    alias pupc_library_feature method_missing

    def method_missing(name, *arguments)
      feature = name.to_s.chomp('?').to_sym
      return super unless name.to_s.end_with?('?')

      if !(@added ||= {}).key?(feature) && (file = PupcWorker.library_file("puppet/feature/#{feature}.rb"))
        PupcWorker.load_file(file, "feature #{feature}")
      end
      return pupc_library_feature(name, *arguments) ? true : false unless @added.key?(feature)

      (@results ||= {})[feature] || (@results[feature] = present?(*@added[feature]))
    end

    def microsoft_windows?
      false
    end

    def manages_symlinks?
      true
    end

    def bolt?
      false
    end

    private

    def present?(options, block)
      return block.call ? true : false if block

      Array(options[:libs]).all? do |library|
        require library.to_s
        true
      rescue LoadError
        false
      end
    end
  end

  module Util
    module Platform
      module_function

      def windows?
        false
      end

      def jruby?
        false
      end

      def jruby_fips?
        false
      end

      def default_paths
        %w[/usr/sbin /usr/bin /sbin /bin]
      end
    end

    RunMode = Struct.new(:name) do
      %i[user server agent].each { |mode| define_method("#{mode}?") { name == mode } }
      alias_method :master?, :server?

      { conf_dir: :confdir, var_dir: :vardir, code_dir: :codedir, log_dir: :logdir, run_dir: :rundir }.each { |method, setting| define_method(method) { Settings[setting] } }
    end

    module MethodHelper; end
    module ClassGen; end
    module InstanceLoader; end
    module SELinux; end

    module SymbolicFileMode
      def valid_symbolic_mode?(value)
        value.is_a?(Integer) || value.to_s.match?(/\A0?[0-7]{1,4}\z|\A(?:[ugoa]*[-=+][-=+ugorstwxXl]*,?)+\z/)
      end

      def normalize_symbolic_mode(value)
        return nil if value.nil?

        value.to_s.match?(/\A0?[0-7]{1,4}\z/) ? value.to_s.to_i(8).to_s(8) : value.to_s
      end

      def display_mode(value)
        value.to_s.match?(/\A0?[0-7]{1,4}\z/) ? value.to_s.rjust(4, '0') : value.to_s
      end
    end

    module Checksums
      %w[md5 sha1 sha256 sha384 sha512].each do |name|
        define_method(name) { |content| Checksums.digest(name).hexdigest(content) }
        define_method("#{name}_file") { |file, *| Checksums.digest(name).file(file.to_s).hexdigest }
      end

      def self.digest(name)
        require 'digest'
        Digest.const_get(name.upcase)
      end

      def checksum?(text)
        text.match?(/^\{(\w+)\}\S+/)
      end

      def sumdata(checksum)
        checksum[/^\{\w+\}(.+)/, 1]
      end

      def sumtype(checksum)
        checksum[/^\{(\w+)\}/, 1]
      end
      extend self
    end

    module Diff
      def diff(old, new)
        Execution.execute(['diff', '-u', old.to_s, new.to_s], failonfail: false, combine: false)
      end

      def lcs_diff(old, new, *)
        files = [old, new].map { |text| Tempfile.new('puppet-diffing').tap { |f| f.write(text) }.tap(&:close) }
        diff(files[0].path, files[1].path)
      ensure
        files&.each(&:unlink)
      end
      module_function :diff, :lcs_diff
    end

    module Json
      class ParseError < StandardError; end

      def self.load(text, options = {})
        JSON.parse(text, options)
      rescue JSON::ParserError => e
        raise ParseError, e.message
      end

      def self.load_file(file, options = {})
        load(File.read(file), options)
      end

      def self.load_file_if_valid(file, options = {})
        load_file(file, options)
      rescue ParseError, SystemCallError
        nil
      end

      def self.dump(value, options = {})
        options[:pretty] ? JSON.pretty_generate(value) : JSON.generate(value)
      end
    end

    module Yaml
      class YamlLoadError < StandardError; end

      def self.safe_load(text, allowed = [], _name = nil)
        require 'yaml'
        YAML.safe_load(text, permitted_classes: [Symbol, *allowed], aliases: true)
      rescue Psych::Exception => e
        raise YamlLoadError, e.message
      end

      def self.safe_load_file(file, allowed = [])
        safe_load(File.read(file), allowed)
      end

      def self.safe_load_file_if_valid(file, allowed = [])
        safe_load_file(file, allowed)
      rescue YamlLoadError, SystemCallError
        nil
      end

      def self.load_file(file, default = false, *)
        require 'yaml'
        YAML.load_file(file) || default
      rescue StandardError
        default
      end

      def self.dump(value, file)
        require 'yaml'
        Util.replace_file(file, 0o660) { |f| f.write(YAML.dump(value)) }
      end
    end

    module Posix; end

    ABSOLUTE = %r{\A/}.freeze
    DEFAULT_PERMISSIONS = 0o644

    class << self
      def included(other)
        other.extend(ClassMethods) if other.is_a?(Class)
      end
    end

    # Class methods for classes that include Util.
    module ClassMethods
      def logmethods(*); end

      def proxy(_class, attribute, *methods)
        methods.each { |name| define_method(name) { |*args, &block| instance_variable_get("@#{attribute}").public_send(name, *args, &block) } }
      end

      def classproxy(*); end
    end

    # -- finding things

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
    module_function :which

    def absolute_path?(path, _platform = nil)
      return path.match?(ABSOLUTE) if path.is_a?(String)

      Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
      false
    end
    module_function :absolute_path?

    # -- running code in another setting

    def withenv(variables, _mode = nil)
      before = ENV.to_hash
      variables.each { |name, value| ENV[name.to_s] = value&.to_s }
      yield
    ensure
      ENV.replace(before) if before
    end
    module_function :withenv

    def withumask(mask)
      before = File.umask(mask)
      yield
    ensure
      File.umask(before)
    end
    module_function :withumask

    def benchmark(*)
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end
    alias thinmark benchmark
    module_function :benchmark, :thinmark

    def symbolizehash(hash)
      hash.transform_keys { |k| k.to_s.intern }
    end
    module_function :symbolizehash

    # -- paths and files

    def path_to_uri(path)
      URI::Generic.build(scheme: 'file', path: URI::DEFAULT_PARSER.escape(path.to_s))
    end
    module_function :path_to_uri

    def uri_to_path(uri)
      uri.path && URI::DEFAULT_PARSER.unescape(uri.path)
    end
    module_function :uri_to_path

    def uri_encode(path, *)
      URI::DEFAULT_PARSER.escape(path)
    end
    module_function :uri_encode

    def uri_unescape(text)
      URI::DEFAULT_PARSER.unescape(text)
    end
    module_function :uri_unescape

    # Replaces a file atomically: writes a temporary file beside it and renames that.
    def replace_file(file, mode, _staging = nil, _validate = nil)
      target = Pathname.new(file.to_s)
      mode = target.stat.mode & 0o7777 if target.exist? && mode.nil?
      temporary = Tempfile.new(target.basename.to_s, target.dirname.to_s)
      temporary.binmode
      yield temporary
      temporary.flush
      temporary.fsync
      temporary.close
      File.chmod(mode.is_a?(String) ? mode.to_i(8) : mode || DEFAULT_PERMISSIONS, temporary.path)
      if target.exist? && Process.uid.zero?
        status = target.stat
        File.chown(status.uid, status.gid, temporary.path)
      end
      File.rename(temporary.path, target.to_s)
      target
    ensure
      temporary&.close!
    end
    module_function :replace_file

    def execute(*args)
      Execution.execute(*args)
    end
    module_function :execute

    def execpipe(*args, &block)
      Execution.execpipe(*args, &block)
    end
    module_function :execpipe

    def execfail(*args)
      Execution.execfail(*args)
    end
    module_function :execfail

    # -- classes that are made

    def meta_def(name, &block)
      define_singleton_method(name, &block)
    end

    def self.logmethods(*); end

    def get_env(name, _mode = nil)
      ENV[name.to_s]
    end
    module_function :get_env

    def set_env(name, value = nil, _mode = nil)
      ENV[name.to_s] = value
    end
    module_function :set_env

    def clear_environment(_mode = nil)
      ENV.clear
    end
    module_function :clear_environment

    def get_environment(_mode = nil)
      ENV.to_hash
    end
    module_function :get_environment

    def self.resolve_stackframe(frame)
      frame.to_s
    end
  end

  # Converts values to other classes.
  module Coercion
    module_function

    def boolean(value)
      case value
      when true, :true, 'true', :yes, 'yes' then true
      when false, :false, 'false', :no, 'no', :undef, nil then false
      else raise ArgumentError, "expected a boolean value, got #{value.inspect}" # rubocop:disable Layout/EmptyLineBetweenDefs
      end
    end
  end

  module Etc
    class << self
      def method_missing(name, *args, &block)
        answer = ::Etc.public_send(name, *args, &block)
        return answer unless answer.is_a?(::Etc::Passwd) || answer.is_a?(::Etc::Group)

        answer.define_singleton_method(:canonical_name) { name }
        answer
      end

      def respond_to_missing?(name, all = false)
        ::Etc.respond_to?(name, all)
      end
    end
  end

  # A module and its directory.
  class Module
    attr_reader :name, :path, :environment
    alias forge_name name

    def self.find(name, _environment = nil)
      folder = PupcWorker.library_directories.map { |d| File.dirname(d) }.find { |d| File.basename(d) == name.to_s }
      folder && new(name.to_s, folder)
    end

    def initialize(name, path, environment = nil)
      @name = name
      @path = path
      @environment = environment
    end

    def metadata_file
      "#{path}/metadata.json"
    end

    def metadata
      @metadata ||= File.exist?(metadata_file) ? Util::Json.load_file(metadata_file) : {}
    end
    alias read_metadata metadata

    def has_metadata? # rubocop:disable Naming/PredicateName
      !metadata.empty?
    end

    %w[version author source project_page license summary description].each { |field| define_method(field) { metadata[field] } }

    def dependencies
      metadata['dependencies']
    end

    def plugin_directory
      "#{path}/lib"
    end

    def plugin_fact_directory
      "#{path}/facts.d"
    end

    { file: 'files', template: 'templates', manifest: 'manifests', plugin: 'lib', pluginfact: 'facts.d', script: 'scripts' }.each do |kind, folder|
      define_method(kind) do |name = nil|
        found = [path, folder, name].compact.join('/')
        File.exist?(found) ? found : nil
      end
      define_method("#{kind}s?") { File.exist?("#{path}/#{folder}") }
      define_method("#{kind}s") { File.exist?("#{path}/#{folder}") ? "#{path}/#{folder}" : nil }
    end

    def to_s
      "Module #{name}(#{path})"
    end
  end

  module Node
    class Environment
      attr_reader :name

      def initialize(name)
        @name = name
      end

      def modules
        PupcWorker.library_directories.map { |d| File.dirname(d) }.map { |d| Module.new(File.basename(d), d) }
      end

      def module(name)
        Module.find(name)
      end

      def modulepath
        PupcWorker.library_directories.map { |d| File.dirname(d, 2) }.uniq
      end

      def to_s
        name.to_s
      end
    end
  end
end

def _(text)
  text
end

def n_(one, many, count)
  count == 1 ? one : many
end

module Kernel
  private :_, :n_ if private_method_defined?(:_)
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
