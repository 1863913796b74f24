module Puppet::Parser::Functions
  newfunction(:base_label, :type => :rvalue, :arity => 1, :doc => <<-DOC
    The label of a machine.
  DOC
  ) do |args|
    args[0].to_s.upcase
  end
end
