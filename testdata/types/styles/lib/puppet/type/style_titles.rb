Puppet::Type.newtype(:style_titles) do
  newparam(:name) { isnamevar }
  newparam(:domain) { isnamevar }
  newparam(:port) { isnamevar }
  def self.title_patterns
    identity = lambda { |x| x }
    port = Regexp.new(/\d+/)
    host = '[a-z.]+'
    patterns = []
    patterns << [/^(#{host}):(#{port})$/i, [[:name, identity], [:port, ->(x) { x }]]]
    patterns << [%r{^([^@/]+)@([^@/]+)(?:/(.*))?$}, [:name, :domain, [:port]]]
    patterns + [[/(.*)/m, [[:name, proc { |x| x }]]]]
  end
end
