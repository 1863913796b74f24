Puppet::Type.newtype(:style_lambda) do
  newparam(:name) { isnamevar }
  add = lambda { |n| newparam(n) }
  add.call(:called)
end
