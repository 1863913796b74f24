# Loading of what modules bring: `require` of their libraries, types, providers and features.
module PupcWorker
  # What the worker stands for itself when no module brings it.
  OWN_LIBRARIES = %r{\A(?:puppet|facter|hiera|semantic_puppet)(?:/|\z)}.freeze

  # `require` finds modules' own libraries and never an installed Puppet.
  module Require
    def require(name)
      path = name.to_s
      unless OWN_LIBRARIES.match?(path)
        begin
          return super
        rescue LoadError => e
          raise if defined?(::Gem::Specification) || e.path != path

          super('rubygems') # what is not in Ruby's own directories may be a gem
          retry
        end
      end
      full = PupcWorker.library_file(path.end_with?('.rb') ? path : "#{path}.rb")
      return super(full) if full

      Puppet::Type.type(Regexp.last_match(1)) if path =~ %r{\Apuppet/type/(\w+)(?:\.rb)?\z}
      raise LoadError, "cannot load such file -- #{path}" if path.match?(%r{\Apuppet/(?:vendor|face|application)/})

      false
    end
    private :require

    private

    def gem(*); end
  end

  # What is loaded relative to a file that stands in a module for one of Puppet's own.
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
    def library_directories=(directories)
      @library_directories = directories
      $LOAD_PATH.unshift(*directories)
    end

    # The first file of that name in the modules' lib directories; nil when there is none.
    def library_file(name)
      @library_files ||= {}
      @library_files.fetch(name) { @library_files[name] = library_directories.map { |d| File.join(d, name) }.find { |f| File.file?(f) } }
    end

    # All files of a folder of the modules' lib directories, the first of each name, in the modules' order.
    def library_files(folder)
      library_directories.flat_map { |d| Dir.glob(File.join(d, folder, '*.rb')) }.uniq { |f| File.basename(f) }
    end

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
