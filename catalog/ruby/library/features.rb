module Puppet
  # The features of this machine, and those that modules define in lib/puppet/feature. Any other name is an undefined feature.
  class Features
    LIBRARIES = { augeas: 'augeas', syslog: 'syslog', zlib: 'zlib', openssl: 'openssl', selinux: 'selinux', msgpack: 'msgpack', hocon: 'hocon', ssh: 'net/ssh', libshadow: 'shadow' }.freeze

    # Defines a feature: by a block, or by libraries that must be installed.
    def add(name, options = {}, &block)
      (@added ||= {})[name.to_sym] = [options, block]
      @results&.delete(name.to_sym)
    end

    def root?
      Process.uid.zero?
    end

    def posix?
      true
    end

    def libuser?
      %w[lgroupadd luseradd].all? { |name| ::File.executable?("/usr/sbin/#{name}") }
    end

    def microsoft_windows?
      false
    end

    def manages_symlinks?
      true
    end

    def bolt?
      false
    end

    def method_missing(name, *)
      feature = name.to_s.chomp('?').to_sym
      return super unless name.to_s.end_with?('?')

      if !(@added ||= {}).key?(feature) && (file = PupcWorker.library_file("puppet/feature/#{feature}.rb"))
        PupcWorker.load_file(file, "feature #{feature}")
      end
      return present?({ libs: LIBRARIES[feature] }, nil) if LIBRARIES.key?(feature) && !@added.key?(feature)
      return false unless @added.key?(feature)

      (@results ||= {})[feature] || (@results[feature] = present?(*@added[feature]))
    end

    def respond_to_missing?(name, _all = false)
      name.to_s.end_with?('?')
    end

    private

    def present?(options, block)
      return block.call ? true : false if block

      Array(options[:libs]).all? do |library|
        require library.to_s
        true
      rescue LoadError
        false
      end
    end
  end
end
