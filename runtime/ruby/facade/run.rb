# What Puppet's library is in a run: its mode, its environment and the modules there.
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
  class << self
    # How this program runs: an agent has a server.
    def run_mode
      @run_mode ||= Util::RunMode.new(Settings.given.fetch(:run_mode, 'user').to_sym)
    end

    # Puppet.lookup: type code asks for the environment.
    def lookup(name, &block)
      return environment if %i[current_environment root_environment].include?(name)
      unless name == :environments
        return yield if block

        raise Context::UndefinedBindingError, "Unable to lookup '#{name}'"
      end

      @environments ||= Object.new.tap { |o| o.define_singleton_method(:get) { |_name| Puppet.environment } }
    end

    def environment
      @environment ||= Node::Environment.new(settings[:environment].to_sym)
    end

    def newtype(name, options = {}, &block)
      Type.newtype(name, options, &block)
    end
  end

  module Util
    RunMode = Struct.new(:name) do
      %i[user server agent].each { |mode| define_method("#{mode}?") { name == mode } }
      alias_method :master?, :server?

      { conf_dir: :confdir, var_dir: :vardir, code_dir: :codedir, log_dir: :logdir, run_dir: :rundir }.each { |method, setting| define_method(method) { Settings[setting] } }
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
