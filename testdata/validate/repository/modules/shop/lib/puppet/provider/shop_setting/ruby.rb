# frozen_string_literal: true

Puppet::Type.type(:shop_setting).provide(:ruby) do
  mk_resource_methods
end
