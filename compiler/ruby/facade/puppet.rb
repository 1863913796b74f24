# The parts of Puppet's own library that module code uses.


module Puppet
  class Error < RuntimeError
    include PupcWorker::Jump
    attr_accessor :original

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  class DevError < Error; end
  class ExecutionFailure < Error; end
  class MissingCommand < Error; end

  # An error that carries the place (file, line, position) to report.
  class ResourceError < Error
    attr_accessor :file, :line, :environment, :pos

    def initialize(message = nil, file = nil, line = nil, pos = nil, original = nil)
      file, line, pos, original = nil, nil, nil, file if file.is_a?(Exception)
      super(message, original)
      @file = file
      @line = line
      @pos = pos
    end

    # The message without the place.
    alias pupc_message to_s

    def to_s
      "#{pupc_message}#{Puppet::Util::Errors.error_location_with_space(file, line, pos)}"
    end
  end
  ParseError = Class.new(ResourceError)
  ParseErrorWithIssue = Class.new(ParseError)
  PreformattedError = Class.new(ParseErrorWithIssue)

  module Util
    # Random numbers that depend only on the seed.
    def self.deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def self.deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    module Errors
      def self.error_location(file, line = nil, column = nil)
        parts = { file: file, line: line, column: column }.reject { |_, v| v.nil? || v.to_s.empty? }.map { |k, v| "#{k}: #{v}" }
        parts.empty? ? '' : "(#{parts.join(', ')})"
      end

      def self.error_location_with_space(file, line = nil, column = nil)
        place = error_location(file, line, column)
        place.empty? ? '' : " #{place}"
      end

      def fail(*args)
        type = args[0].is_a?(Class) ? args.shift : Puppet::Error
        raise type, args.join(' ')
      end

      def devfail(message)
        raise Puppet::DevError, message
      end

      def adderrorcontext(error, _other = nil)
        error
      end

      def exceptwrap(options = {})
        yield
      rescue StandardError => e
        raise options[:type] || Puppet::DevError, options[:message] || e.message
      end
    end

    module Logging
      %i[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) do |*args|
          PupcWorker.callback(:log, level.to_s, respond_to?(:pupc_log_source) ? pupc_log_source : 'Puppet', args.join(' '))
          nil
        end
      end

      def send_log(level, message)
        public_send(level, message)
      end

      def log_exception(exception, message = :default_message, _options = {})
        err(message == :default_message ? exception.message : message.to_s)
      end

      def warn_once(_kind, key, message, _file = nil, _line = nil, _level = :warning)
        warned = PupcWorker.compile_state[:warned] ||= {}
        warning(message) unless warned[key]
        warned[key] = true
      end

      def deprecation_warning(message, key = nil)
        warn_once('deprecations', key || message, "#{message}\n   (location: #{caller(1, 1).first})")
        nil
      end

      def puppet_deprecation_warning(message, options = {})
        deprecation_warning(message, options[:key])
      end
    end

    class << Logging
      def setup_facter_logging!; end
    end

    module Tagging
      ValidTagRegex = /\A[[:alnum:]_][[:alnum:]_:.-]*\Z/.freeze
    end

    # A message of the log. Making one logs it.
    class Log
      LEVELS = %i[debug info notice warning err alert emerg crit].freeze
      attr_reader :level, :message, :source, :tags, :time
      attr_accessor :file, :line

      class << self
        def create(hash)
          raise Puppet::DevError, 'Logs require a level' unless hash.include?(:level)
          raise Puppet::DevError, "Invalid log level #{hash[:level]}" unless LEVELS.include?(hash[:level])

          new(hash)
        end

        def newmessage(message)
          message.pupc_log
        end

        def level
          :notice
        end

        def levels
          LEVELS.dup
        end

        def validlevel?(level)
          LEVELS.include?(level)
        end

        def eachlevel(&block)
          LEVELS.each(&block)
        end
      end

      def initialize(options)
        @level = options[:level].to_sym
        raise ::ArgumentError, 'Puppet::Util::Log requires a message' unless options[:message]

        @message = options[:message].to_s
        source = options[:source]
        @source = (source.respond_to?(:pupc_log_source) ? source.pupc_log_source : source || '').to_s
        @file, @line = options[:file], options[:line]
        @tags = [@level.to_s, *options[:tags]]
        @time = Time.now
        pupc_log
      end

      def pupc_log
        PupcWorker.callback(:log, level.to_s, source, message)
        self
      end

      def to_s
        message
      end

      def to_report
        source.empty? ? message : "#{source}: #{message}"
      end
    end

    module Warnings
      include Logging
      def warnonce(message)
        warn_once(nil, message, message)
      end
    end

    module Platform
      module_function

      def windows?
        false
      end

      def default_paths
        %w[/usr/sbin /usr/bin /sbin /bin]
      end

      def jruby?
        false
      end
    end

    module Package
      module_function

      def versioncmp(a, b, _ignore_trailing_zeroes = false)
        PupcWorker.call_by_name(PupcWorker.top_scope, 'versioncmp', [a, b])
      end
    end

    # The user and group of this process.
    module SUIDManager
      module_function

      %i[uid euid gid egid].each do |name|
        define_method(name) { ::Process.public_send(name) }
        module_function name
      end

      def root?
        ::Process.uid.zero?
      end

      def asuser(_user = nil, _group = nil)
        yield
      end
    end

    module POSIX; end

    module CharacterEncoding
      module_function

      def convert_to_utf_8(text)
        text = text.dup if text.frozen?
        return text if text.encoding == ::Encoding::UTF_8 && text.valid_encoding?
        return text.force_encoding(::Encoding::UTF_8) if text.encoding == ::Encoding::BINARY && text.dup.force_encoding(::Encoding::UTF_8).valid_encoding?

        text.encode(::Encoding::UTF_8)
      rescue ::EncodingError
        text
      end

      def override_encoding_to_utf_8(text)
        text.dup.force_encoding(::Encoding::UTF_8)
      end

      def scrub(text)
        text.encoding == ::Encoding::UTF_8 ? text.scrub("\uFFFD") : text.scrub('?')
      end
    end

    # Checksums of texts and files.
    module Checksums
      { md5: 'MD5', sha1: 'SHA1', sha224: 'SHA224', sha256: 'SHA256', sha384: 'SHA384', sha512: 'SHA512' }.each do |name, algorithm|
        define_method(name) do |text|
          require 'openssl'
          OpenSSL::Digest.hexdigest(algorithm, text)
        end
        define_method(:"#{name}_file") { |path, **| public_send(name, File.binread(path)) }
      end

      def known_checksum_types
        %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none]
      end

      def checksum?(text)
        text.match?(/\A\{\w{3,5}\}\S+/)
      end

      def sumdata(checksum)
        checksum =~ /\A\{(\w+)\}(.+)/m ? Regexp.last_match(2) : nil
      end

      def sumtype(checksum)
        checksum =~ /\A\{(\w+)\}/ ? Regexp.last_match(1) : nil
      end
    end

    module SymbolicFileMode; end
    module MethodHelper; end
    module ClassGen; end
    module Docs
      def doc
        @doc
      end
    end

    module InstanceLoader; end
    module NagiosMaker; end

    module Json
      class ParseError < StandardError; end

      def self.load(text, options = {})
        require 'json'
        JSON.parse(text, options)
      rescue JSON::ParserError => e
        raise ParseError, e.message
      end

      def self.dump(value, options = {})
        require 'json'
        options.empty? || options[:pretty].nil? ? JSON.generate(value) : JSON.pretty_generate(value)
      end
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      def self.safe_load(text, allowed_classes = [], filename = nil)
        require 'yaml'
        YAML.safe_load(text, permitted_classes: allowed_classes, aliases: true, filename: filename) || false
      rescue Psych::Exception => e
        raise YamlLoadError, "(#{filename || '<unknown>'}): #{e.message}"
      end

      def self.safe_load_file(path, allowed_classes = [])
        safe_load(File.read(path, encoding: 'UTF-8'), allowed_classes, path)
      end

      def self.load_file(path, default = false)
        safe_load_file(path, [Symbol]) || default
      end

      def self.dump(value, path)
        require 'yaml'
        File.write(path, YAML.dump(value))
      end
    end

    AbsolutePathPosix = %r{^/}.freeze
    AbsolutePathWindows = %r{^(?:(?:[A-Z]:[\\/])|(?:[\\/][\\/][^\\/]+[\\/][^\\/]+)|(?:[\\/][\\/]\?[\\/][^\\/]+))}i.freeze

    class << self
      include Errors
    end

    module_function

    def absolute_path?(path, platform = nil)
      unless path.is_a?(String)
        Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
        return false
      end

      (platform == :windows ? AbsolutePathWindows : AbsolutePathPosix).match?(path)
    end

    def which(program)
      return File.file?(program) && File.executable?(program) ? program : nil if absolute_path?(program)

      ENV.fetch('PATH', '').split(File::PATH_SEPARATOR).map { |d| File.join(d, program) }.find { |f| File.file?(f) && File.executable?(f) }
    end

    def execute(*args)
      Execution.execute(*args)
    end

    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    def symbolizehash(hash)
      hash.transform_keys { |k| k.respond_to?(:intern) ? k.intern : k }
    end

    def uri_encode(path, _options = {})
      require 'uri'
      URI::DEFAULT_PARSER.escape(path)
    end

    def uri_query_encode(text)
      require 'cgi'
      CGI.escape(text).gsub('+', '%20')
    end

    def benchmark(*_args)
      yield
      0
    end

    def thinmark
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end

    def withenv(hash, _mode = nil)
      saved = ENV.to_h
      hash.each { |k, v| ENV[k.to_s] = v }
      yield
    ensure
      ENV.replace(saved)
    end

    def safe_posix_fork(*_)
      raise NotImplementedError, 'fork'
    end

    def logmethods(*_); end

    def create_erb(content)
      require 'erb'
      ERB.new(content, trim_mode: '-')
    end

    def default_env
      ENV.to_h
    end

    def get_env(name, _mode = nil)
      ENV[name]
    end

    def set_env(name, value = nil, _mode = nil)
      ENV[name] = value
    end
  end

  module Parser
    module Files
      module_function

      # The path of the template "module/name", or nil when there is none. Returns an absolute path unchanged.
      def find_template(name, _environment = nil)
        Util.absolute_path?(name) ? name : PupcWorker.callback(:find_file, 'templates', name.split(File::SEPARATOR, 2).join(File::SEPARATOR))
      end

      def find_file(name, _environment = nil)
        Util.absolute_path?(name) ? name : PupcWorker.callback(:find_file, 'files', name.split(File::SEPARATOR, 2).join(File::SEPARATOR))
      end
    end

    class AST; end
  end

  class DataBinding
    class LookupError < Puppet::DataBinding.const_set(:Base, Class.new(Puppet::Error)); end
    class RecursiveLookupError < LookupError; end
  end

  class Features
    def method_missing(name, *_args)
      case name
      when :posix?, :root? then name == :posix? || Process.uid.zero?
      when :microsoft_windows? then false
      when :add then nil
      else
        return super unless name.to_s.end_with?('?')

        begin
          require name.to_s.chomp('?')
          true
        rescue LoadError
          false
        end
      end
    end

    def respond_to_missing?(name, _all = false)
      name.to_s.end_with?('?')
    end
  end

  # Settings that depend on the compile, or whose value Puppet converts. All others come from the table of settings.
  SETTINGS = {
    environment: -> { PupcWorker.environment.name.to_s }, strict: -> { PupcWorker.strict }, strict_variables: -> { PupcWorker.strict_variables },
    modulepath: -> { PupcWorker.environment.modulepath.join(':') }, manifest: -> { PupcWorker.environment.manifest },
    debug: -> { false }, parser: -> { 'current' }, name: -> { 'apply' }
  }.freeze

  class Settings
    def [](name)
      own = SETTINGS[name.to_sym]
      return own.call if own

      found, value = PupcWorker.callback(:setting, name.to_s)
      raise ArgumentError, "Attempt to access an undefined setting (#{name}): pupc does not have it" unless found

      value
    end

    def value(name, _environment = nil)
      self[name]
    end

    def setting(name)
      include?(name) ? name.to_sym : nil
    end

    def include?(name)
      SETTINGS.key?(name.to_sym) || PupcWorker.callback(:setting, name.to_s)[0]
    end
  end

  extend Util::Logging
  extend Util::Errors
  class << self
    def pupc_log_source
      ''
    end

    def [](name)
      settings[name]
    end

    def []=(name, _value)
      raise Puppet::Error, "Setting #{name} cannot be changed by a function"
    end

    def settings
      @settings ||= Settings.new
    end

    # What runs beside Puppet: the HTTP client, which functions of secret stores ask (Deferred ones on the node), and facts.
    def runtime
      @runtime ||= Hash.new { |parts, name| parts[name] = HTTP::Client.new if name == :http }.merge!(facter: Facter)
    end

    def features
      @features ||= Features.new
    end

    def version
      '@PUPPET_VERSION@'
    end

    def lookup(name)
      case name
      when :current_environment then PupcWorker.environment
      when :root_environment then PupcWorker.environment
      when :environments then Environments.new
      when :global_scope then PupcWorker.top_scope
      when :loaders then PupcWorker.current_scope.compiler
      when :trusted_information then TrustedInformation.new(PupcWorker.callback(:variables, 0, ['trusted'])['trusted'] || {})
      else
        return yield if block_given?

        raise Puppet::Error, "no '#{name}' in Puppet's context"
      end
    end

    def override(*_args)
      yield
    end

    def initialize_settings(*); end

    def run_mode
      RunMode.new
    end

    def feature
      features
    end
  end

  # What the node's certificate says.
  class TrustedInformation
    attr_reader :to_h

    def initialize(data)
      @to_h = data
    end

    %w[authenticated certname extensions external domain hostname].each { |name| define_method(name) { to_h[name] } }
  end

  module FileServing
    # Files by puppet:///modules/NAME/PATH or an absolute path.
    class Content
      attr_reader :path

      def initialize(path)
        @path = path
      end

      def self.indirection
        self
      end

      def self.find(uri, _options = {})
        path = uri.to_s.sub(%r{\Apuppet://[^/]*/modules/}, '').sub(%r{\Afile://}, '')
        path = PupcWorker.callback(:find_file, 'files', path) unless path.start_with?('/')
        path && File.file?(path) ? new(path) : nil
      end

      def content
        File.binread(path)
      end
    end
  end

  class RunMode
    def server?
      true
    end
    alias master? server?
    def agent?
      false
    end

    def name
      :server
    end
  end

  class Environments
    def get(name)
      PupcWorker.environment.name == name.to_sym ? PupcWorker.environment : nil
    end
    alias get! get
    def list
      [PupcWorker.environment]
    end
  end

  PUPPETVERSION = '@PUPPET_VERSION@'

  module Confine; end
  module Network; end
  module SSL; end
  module GettextConfig; end
end

# Facts of the node that is compiled.
module Facter
  class << self
    def value(name)
      root, *rest = name.to_s.split('.')
      value = to_hash[root]
      rest.each { |part| value = value.is_a?(Hash) ? value[part] : nil }
      value
    end
    alias fact_value value

    def [](name)
      Fact.new(name, value(name))
    end
    alias fact []

    def to_hash
      PupcWorker.callback(:variables, 0, ['facts'])['facts'] || {}
    end

    def version
      '4.9.0'
    end

    def debug(text)
      Puppet.debug(text)
    end

    def warn(text)
      Puppet.warning(text)
    end

    def add(*); end
  end
  Fact = Struct.new(:name, :value)
  module Util; end
end

module Kernel
  unless method_defined?(:_)
    # Stands for Puppet's translations: returns the text itself.
    def _(text)
      text
    end

    def n_(one, many, count)
      count == 1 ? one : many
    end
  end
end
