Puppet::Type.newtype(:style_titles_missing) do
  newparam(:name) { isnamevar }
  newparam(:other) { isnamevar }
end
