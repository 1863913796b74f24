Puppet::Type.newtype(:style_provide_here) do
  newparam(:name) { isnamevar }
  feature :thing, 'what it can'
  provide(:here) do
    def thing; end
  end
end
