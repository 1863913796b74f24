Puppet::Type.type(:thing).provide(:other, parent: :json) do
  desc 'The same with another colour.'
  confine exists: '/'
  confine false: false
  notdefaultfor kernel: 'Linux'
  has_feature :loud
  def colour
    "other #{super}"
  end
end
