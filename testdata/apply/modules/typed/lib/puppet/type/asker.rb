# Tells what parts of Puppet's library say.
Puppet::Type.newtype(:asker) do
  newparam(:name, namevar: true)
  newparam(:question)

  newproperty(:told) do
    def set(_value); end

    def retrieve
      case resource[:question]
      when 'types'
        parser = Puppet::Pops::Types::TypeParser.singleton
        [parser.parse('Integer[1,3]').instance?(2), parser.parse('Integer[1,3]').instance?(4), parser.parse('Array[String]').instance?(['a'])].join(' ')
      when 'files'
        [Puppet::FileServing::Content.indirection.find('puppet:///modules/typed/text').content.chomp,
         Puppet::FileServing::Metadata.indirection.find('puppet:///modules/typed/text').ftype,
         Puppet::FileServing::Content.indirection.find('puppet:///modules/typed/nothing').inspect].join(' ')
      when 'mode' then "#{Puppet.run_mode.name} #{Puppet.run_mode.user?}"
      when 'module'
        found = Puppet::Module.find('typed', Puppet.lookup(:current_environment))
        [found.name, found.file('text').nil?, found.file('nothing').inspect, found.files?].join(' ')
      when 'ini'
        require 'puppet/util/inifile'
        # yumrepo's provider makes its files so.
        collection = Class.new(Puppet::Util::IniConfig::FileCollection) do
          private

          def new_physical_file(file)
            @files[file] = Puppet::Util::IniConfig::PhysicalFile.new(file, destroy_empty: true)
            @files[file].file_collection = self
            @files[file]
          end
        end.new
        Dir.mktmpdir do |dir|
          File.write("#{dir}/a", "[one]\nk=v\n")
          collection.read("#{dir}/a")
          collection['one'].destroy = true
          collection.add_section('two', "#{dir}/b")['x'] = 'y'
          collection.store
          Dir.children(dir).map { |name| "#{name} #{File.read("#{dir}/#{name}").inspect}" }.join
        end
      when 'edges'
        resource.autorequire.map(&:ref).join(' ')
      end
    end
  end

  autorequire(:notify) { 'first' }
end
