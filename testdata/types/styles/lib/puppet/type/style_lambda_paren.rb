# expect: dynamic
Puppet::Type.newtype(:style_lambda_paren) do
  newparam(:name) { isnamevar }
  add = ->(n) { newparam(n) }
  add.(:called)
end
