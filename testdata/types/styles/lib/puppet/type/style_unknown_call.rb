# expect: dynamic
require 'forwardable'
Puppet::Type.newtype(:style_unknown_call) do
  newparam(:name) { isnamevar }
  extend(Module.new { def add_it; newparam(:it); end })
  add_it
end
