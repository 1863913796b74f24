# Makes `require` find the libraries of modules. The program that includes this file overrides two hooks: own_library is called for a
# library of Puppet's own that no module has, and says :loaded where it defined something; while_loading may record which files a `require`
# loads.
module PupcWorker
  # Libraries that the facades replace. A module's own file of such a name comes first.
  OWN_LIBRARIES = %r{\A(?:puppet|facter|hiera|semantic_puppet)(?:/|\z)}.freeze

  # Libraries that load at the first use of their module (autoloaded_libraries.rb) and whose other files cannot stand alone: such a file opens the
  # module, and Ruby would load the library in the middle of it. Here the library comes first.
  WHOLE_LIBRARIES = { 'json' => %i[JSON json], 'psych' => %i[Psych yaml], 'openssl' => %i[OpenSSL openssl], 'uri' => %i[URI uri], 'net' => [:Net, :'net/http'],
                      'logger' => %i[Logger logger], 'rubygems' => %i[Gem rubygems] }.freeze

  # `require` finds modules' own libraries and never an installed Puppet.
  module Require
    def require(name)
      path = name.to_s
      unless OWN_LIBRARIES.match?(path)
        begin
          whole = PupcWorker.whole_library(path)
          super(whole) if whole
          return PupcWorker.while_loading { super }
        rescue LoadError => e
          raise if (!Object.autoload?(:Gem) && defined?(::Gem::Specification)) || e.path != path

          super('rubygems') # not in Ruby's own directories: it may be a gem
          retry
        end
      end

      full = PupcWorker.library_file(path.end_with?('.rb') ? path : "#{path}.rb")
      return PupcWorker.while_loading { super(full) } if full
      return super if path.start_with?('hiera/backend/') # a Hiera backend may be installed in Ruby's own directories

      return true if PupcWorker.own_library(path) == :loaded

      raise LoadError, "cannot load such file -- #{path}" if path.match?(%r{\Apuppet/(?:vendor|face|application)/})

      false
    end
    private :require

    private

    def gem(*); end
  end

  # A module may have a copy of one of Puppet's files. If such a file loads a relative path that the module lacks, load Puppet's own file.
  module RequireRelative
    private

    def require_relative(name)
      from = caller_locations(1, 1)[0].absolute_path || caller_locations(1, 1)[0].path
      full = File.expand_path(name, File.dirname(from))
      full += '.rb' unless full.end_with?('.rb')
      return require(full) if File.exist?(full)

      own = full[%r{/((?:puppet|facter|hiera)(?:/.*)?)\.rb\z}, 1]
      own ? require(own) : require(full)
    end
  end
  Object.prepend(Require)
  Kernel.singleton_class.prepend(Require)
  Object.prepend(RequireRelative)

  class << self
    attr_reader :library_directories

    # The path of the first file of this name in the modules' lib directories; nil when there is none.
    def library_file(name)
      @library_files ||= {}
      @library_files.fetch(name) { @library_files[name] = (library_directories || []).map { |d| File.join(d, name) }.find { |f| File.file?(f) } }
    end

    # The library that must be loaded before a file of it; nil where it is loaded or loading.
    def whole_library(path)
      constant, library = WHOLE_LIBRARIES[path[%r{\A[^/]+}]]
      library.to_s if library && path != library.to_s && Object.autoload?(constant)
    end

    def while_loading
      yield
    end

    def own_library(_path); end

    # Loads a file once. What it raises is an error that names the file.
    def load_file(file, what)
      return false if (@loaded ||= {})[file]

      @loaded[file] = true
      require(file)
      true
    rescue Puppet::Error
      raise
    rescue LoadError, StandardError, SyntaxError => e
      raise Puppet::Error.new("Could not autoload #{what}: #{e.message}", e)
    end
  end
end
