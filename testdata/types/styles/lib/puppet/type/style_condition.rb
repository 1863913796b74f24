# expect: dynamic
Puppet::Type.newtype(:style_condition) do
  newparam(:name) { isnamevar }
  newparam(:windows_only) if Puppet::Util::Platform.windows?
end
