# What Puppet's library is in a compile: its log, settings, facts and files.
module PupcWorker
  class << self
    # The lowest level that anyone sees in this compile.
    def least_level
      @least_level || :notice
    end

    # Whether anyone sees a message of this level. Making another gives nil.
    def wanted?(level)
      Puppet::Util::Log::LEVELS.index(level.to_sym) >= Puppet::Util::Log::LEVELS.index(least_level)
    end

    def log(level, source, message)
      callback(:log, level.to_s, source, message)
    end

    # What warn_once has told in this compile.
    def warned
      compile_state[:warned] ||= {}
    end
  end
end

module Puppet
  # Any error of Puppet's may be one of pupc's own on its way through Ruby code.
  class Error
    include PupcWorker::Jump
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
    class LookupError < Puppet::PreformattedError; end
    class RecursiveLookupError < LookupError; end
  end

  # Settings that depend on the compile, or whose value Puppet converts. All others come from the table of settings.
  SETTINGS = {
    environment: -> { PupcWorker.environment.name.to_s }, strict: -> { PupcWorker.strict }, strict_variables: -> { PupcWorker.strict_variables },
    modulepath: -> { PupcWorker.environment.modulepath.join(':') }, manifest: -> { PupcWorker.environment.manifest },
    debug: -> { false }, parser: -> { 'current' }, name: -> { 'apply' }
  }.freeze

  module Settings
    class << self
      def asked(name, _section = nil)
        own = SETTINGS[name.to_sym]
        known, value = own ? [true, own.call] : PupcWorker.callback(:setting, name.to_s)
        [known, value, false, value, false]
      end

      def []=(name, _value)
        raise Puppet::Error, "Setting #{name} cannot be changed by a function"
      end
    end
  end

  class << self
    def pupc_log_source
      ''
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

        raise Context::UndefinedBindingError, "Unable to lookup '#{name}'"
      end
    end

    def run_mode
      RunMode.new
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
