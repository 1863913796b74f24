# Several types from one loop.
%w[style_each_type style_each_other].each do |type|
  Puppet::Type.newtype(type.to_sym) do
    newparam(:name) { isnamevar }
    newproperty("#{type}_value")
  end
end
