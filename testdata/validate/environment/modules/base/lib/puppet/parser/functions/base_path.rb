module Puppet::Parser::Functions
  newfunction(:base_path, type: :rvalue, arity: -3) do |args|
    args.join('/')
  end
end
