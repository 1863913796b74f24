Puppet::Type.type(:style_provided).provide(:ruby) do
  desc 'a provider'
end
