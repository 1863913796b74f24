# What Puppet's Sensitive is in all Ruby workers: a value that no log may show.
module PupcSensitive
  def initialize(value)
    @value = value
  end

  def unwrap
    @value
  end

  def to_s
    'Sensitive [value redacted]'
  end

  def inspect
    "#<#{self}>"
  end

  def hash
    @value.hash
  end

  def ==(other)
    other.is_a?(PupcSensitive) && other.hash == hash
  end
  alias eql? ==
end
