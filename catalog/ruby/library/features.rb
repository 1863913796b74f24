module Puppet
  # The features of this machine. Any other name is an undefined feature.
  class Features
    LIBRARIES = { augeas: 'augeas', syslog: 'syslog', zlib: 'zlib', openssl: 'openssl', selinux: 'selinux', msgpack: 'msgpack', hocon: 'hocon', ssh: 'net/ssh', libshadow: 'shadow' }.freeze

    def root?
      Process.uid.zero?
    end

    def posix?
      true
    end

    def libuser?
      %w[lgroupadd luseradd].all? { |name| ::File.executable?("/usr/sbin/#{name}") }
    end

    def method_missing(name, *)
      return super unless name.to_s.end_with?('?')

      library = LIBRARIES[name.to_s.chomp('?').to_sym]
      library && begin
        require library
        true
      rescue LoadError
        false
      end || false
    end

    def respond_to_missing?(name, _all = false)
      name.to_s.end_with?('?')
    end
  end
end
