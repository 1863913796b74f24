# Loading of what modules bring: types, providers and features.
module PupcWorker
  class << self
    def library_directories=(directories)
      @library_directories = directories
      $LOAD_PATH.unshift(*directories)
    end

    # A type that code requires may be pupc's own.
    def own_library(path)
      Puppet::Type.type(Regexp.last_match(1)) if path =~ %r{\Apuppet/type/(\w+)(?:\.rb)?\z}
    end

    # All Ruby files in a folder of the modules' lib directories, in the modules' order. Of several files with a name, only the first.
    def library_files(folder)
      library_directories.flat_map { |d| Dir.glob(File.join(d, folder, '*.rb')) }.uniq { |f| File.basename(f) }
    end

    # Whether a module brings a fact of that name.
    def custom_fact?(name)
      @custom_facts ||= library_files('facter').flat_map { |f| File.read(f).scan(/Facter\.add\(\s*[:'"](\w+)/).flatten }.to_set
      @custom_facts.include?(name)
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
