# Puppet's own methods that every Ruby worker has.
module Puppet
  module Context
    class UndefinedBindingError < Error; end
  end
  PUPPETVERSION = '@PUPPET_VERSION@'

  class << self
    include Util
    include Util::Errors
    include Util::Logging

    def [](name)
      Settings[name]
    end

    def []=(name, value)
      Settings[name] = value
    end

    def settings
      Settings
    end

    def features
      @features ||= Features.new
    end

    # What runs beside Puppet: the HTTP client, which functions of secret stores ask (Deferred ones on the node), and facts.
    def runtime
      @runtime ||= Hash.new { |parts, name| parts[name] = HTTP::Client.new if name == :http }.merge!(facter: Facter)
    end

    def version
      PUPPETVERSION
    end

    def override(*)
      yield
    end

    def initialize_settings(*); end
  end
end
