Puppet::Type.newtype(:style_isnamevar) do
  newparam(:path) do
    desc 'a'
    isnamevar
  end
  newparam(:title_like) do
    self.isnamevar if false
  end if false
  newproperty(:prop) { isnamevar }
end
