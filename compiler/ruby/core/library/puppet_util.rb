# -- file
# What functions call of Puppet's own library: random numbers of a seed, paths, JSON.
module Puppet::Util
  def self.deterministic_rand(seed, max)
    deterministic_rand_int(seed, max).to_s
  end

  def self.deterministic_rand_int(seed, max)
    Random.new(seed).rand(max)
  end

  def self.absolute_path?(path, platform = :posix)
    PupcCore.ruby unless platform == :posix || platform == :windows
    unless path.is_a?(String)
      Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
      return false
    end

    root = platform == :posix ? %r{^/} : %r{^(?:[A-Z]:[\\/]|[\\/][\\/][^\\/]+[\\/][^\\/]+|[\\/][\\/]\?[\\/][^\\/]+)}i
    path.match?(root)
  end
end

module Puppet::Util::Json
  def self.load(text, options = {})
    PupcCore.ruby unless text.is_a?(String) && options.empty?
    JSON.parse(text)
  end
end
