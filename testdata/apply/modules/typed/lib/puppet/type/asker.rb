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
      when 'edges'
        resource.autorequire.map(&:ref).join(' ')
      end
    end
  end

  autorequire(:notify) { 'first' }
end
