Puppet::Type.type(:unable).provide(:one) do
  commands nothing: 'no-such-command-of-anybody'
end
