# Loading of what modules bring: types, providers and features; and of the parts of this library that few modules use.
module PupcWorker
  class << self
    # Whether values are texts from a command line.
    attr_accessor :values_are_texts

    def library_directories=(directories)
      $LOAD_PATH.reject! { |d| @library_directories&.include?(d) }
      @library_directories = directories
      $LOAD_PATH.unshift(*directories)
    end

    # Evaluates a part of this library that pupc sends only when it is needed. Its constants stop to be autoloads first: Ruby would else
    # take the definitions themselves for uses.
    def load_part(name)
      PARTS.fetch(name, {}).each { |owner, constants| constants.each { |constant| Object.const_get(owner).send(:remove_const, constant) } }
      eval(ask('source', name), TOPLEVEL_BINDING.dup, "pupc:#{name}.rb") # rubocop:disable Security/Eval
      :loaded
    end

    # A type that code requires may be pupc's own; a constant may be in a part that is not loaded yet.
    def own_library(path)
      return load_part(path.delete_prefix('puppet/pupc/')) if path.start_with?('puppet/pupc/')

      Puppet::Type.type(Regexp.last_match(1)) if path =~ %r{\Apuppet/type/(\w+)(?:\.rb)?\z}
    end

    # All Ruby files in a folder of the modules' lib directories, in the modules' order. Of several files with a name, only the first.
    def library_files(folder)
      library_directories.flat_map { |d| Dir.glob(File.join(d, folder, '*.rb')) }.uniq { |f| File.basename(f) }
    end
  end
end

module Puppet
  module Util; end
  module FileSystem; end
  module NativeTypes; end
  class Provider; end
end

module PupcWorker
  # The parts that wait for the first use of one of their constants.
  PARTS = {
    'resource_api' => { 'Puppet' => %i[ResourceApi] },
    'parsed_file' => { 'Puppet::Util' => %i[FileParsing FileType], 'Puppet::Provider' => %i[ParsedFile] },
    'ini_config' => { 'Puppet::Util' => %i[IniConfig] },
    'name_service' => { 'Puppet::Provider' => %i[NameService] },
    'unique_file' => { 'Puppet::FileSystem' => %i[Uniquefile] },
    'file_serving' => { 'Puppet' => %i[FileServing] },
    'http' => { 'Puppet' => %i[HTTP Network] },
    'asked_once' => { 'PupcWorker' => %i[AskedOnce] },
    'native_attributes' => { 'Puppet::NativeTypes' => %i[ATTRIBUTES] }
  }.freeze
  PARTS.each do |name, owners|
    owners.each { |owner, constants| constants.each { |constant| Object.const_get(owner).autoload(constant, "puppet/pupc/#{name}") } }
  end
end
