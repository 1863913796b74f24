# Brings other resources.
Puppet::Type.newtype(:brood) do
  newparam(:path, namevar: true)
  newparam(:names) { munge { |names| names.is_a?(Array) ? names : [names] } }
  newparam(:late, boolean: true)
  def generate
    return [] if self[:late]

    self[:names].map { |name| Puppet::Type.type(:file).new(path: "#{self[:path]}/#{name}", content: name, ensure: :file) }
  end

  def eval_generate
    return [] unless self[:late]

    self[:names].map { |name| Puppet::Type.type(:thing).new(path: "#{self[:path]}/#{name}", content: name) }
  end
end
