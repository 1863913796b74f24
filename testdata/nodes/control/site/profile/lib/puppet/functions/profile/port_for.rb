# A port for a name that stays the same.
Puppet::Functions.create_function(:'profile::port_for') do
  dispatch :port_for do
    param 'String[1]', :name
    optional_param 'Integer', :base
    return_type 'Integer'
  end

  def port_for(name, base = 8100)
    base + name.each_byte.sum % 100
  end
end
