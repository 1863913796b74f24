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
# -- file
# Puppet's own methods beside those that log, and its settings.
class Puppet
  class Settings
    def [](name)
      Puppet[name]
    end

    def method_missing(*)
      PupcCore.ruby
    end
  end

  def self.settings
    Settings.new
  end

  def self.warn_once(kind, key, message, *place)
    PupcCore.ruby unless kind == 'deprecations' && place.empty?
    PupcCore.log_deprecation(key, "#{message}\n   (file & line not available)")
  end
end
# -- file
module Puppet::Pops::PuppetStack
  def self.stacktrace
    PupcCore.puppet_stack
  end

  def self.top_of_stack
    stacktrace.first || []
  end
end
# -- file
# The loader of functions of the 3.x API. Here they are found when they are called.
class Puppet::Parser::Functions
  class AutoloaderDelegate
    def loaded?(name)
      __deprecated("loaded?(\"#{name}\")")
      Puppet::Parser::Functions.__loaded?(name)
    end

    def load(name, environment = nil)
      __deprecated("load(\"#{name}\")")
      Puppet::Parser::Functions.function(name) ? true : false
    end

    def loadall(environment = nil)
      __deprecated('loadall')
    end

    def method_missing(*)
      PupcCore.ruby
    end

    def __deprecated(call)
      return if Puppet[:strict] == :off

      Puppet.warn_once('deprecations', "autoloader#{call}",
                       "The method 'Puppet::Parser::Functions.autoloader##{call}' is deprecated in favor of using 'Scope#call_function'.")
    end
  end

  def self.autoloader
    AutoloaderDelegate.new
  end
end
# -- file
module PuppetX
end
# -- file
# Values of the language as plain data.
module Puppet::Pops::Serialization::ToDataConverter
  def self.convert(value, options = {})
    PupcCore.ruby unless options == { rich_data: true }
    __data(value)
  end

  def self.__data(value)
    case value
    when nil, true, false, Integer, Float, String then value
    when :default then { '__ptype' => 'Default' }
    when Array then value.map { |item| __data(item) }
    when Hash
      PupcCore.ruby unless value.keys.all? { |key| key.is_a?(String) && key != '__ptype' }
      value.transform_values { |item| __data(item) }
    else PupcCore.rich_data(value)
    end
  end
end
