# frozen_string_literal: true

# Calls the block for each administrator.
Puppet::Functions.create_function(:'shop::each_admin') do
  dispatch :each_admin do
    param 'Hash', :admins
    block_param 'Callable[String, Hash]', :block
  end

  def each_admin(admins)
    admins.each { |name, admin| yield(name, admin) }
  end
end
