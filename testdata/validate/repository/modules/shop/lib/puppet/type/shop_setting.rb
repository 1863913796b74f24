# frozen_string_literal: true

Puppet::Type.newtype(:shop_setting) do
  @doc = 'A setting of the running shop.'

  ensurable

  newparam(:name, namevar: true) do
    desc 'Its name.'
  end

  newproperty(:value) do
    desc 'Its value.'
  end

  newparam(:retry) do
    desc 'How often it is tried.'
    defaultto 1
  end

  newparam(:scope) do
    desc 'Where it holds.'
    newvalues(:node, :cluster)
    defaultto :node
  end
end
