EXTRA = true
Puppet::Type.newtype(:style_condition_known) do
  newparam(:name) { isnamevar }
  list = [:a]
  if list.empty?
    newparam(:never)
  elsif EXTRA
    newparam(:extra)
  else
    newparam(:nor_this)
  end
  unless list.nil?
    newparam(:present)
  end
end
