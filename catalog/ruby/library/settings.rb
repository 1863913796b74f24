module Puppet
  # Puppet's settings: from puppet.conf, otherwise the defaults of the packages.
  module Settings
    ROOT = Process.uid.zero?
    HOME = ENV.fetch('HOME', '/')
    CONFDIR = ROOT ? %w[/etc/puppet /etc/puppetlabs/puppet].find { |d| File.directory?(d) } || '/etc/puppet' : "#{HOME}/.puppet/etc"
    VARDIR = ROOT ? '/var/cache/puppet' : "#{HOME}/.puppet/cache"
    DEFAULTS = {
      confdir: CONFDIR, config: "#{CONFDIR}/puppet.conf", vardir: VARDIR, statedir: "#{VARDIR}/state", libdir: "#{VARDIR}/lib", factpath: "#{VARDIR}/lib/facter:#{VARDIR}/facts",
      codedir: "#{CONFDIR}/code", environmentpath: "#{CONFDIR}/code/environments", environment: 'production', server: 'puppet', ca_server: 'puppet',
      ssldir: ROOT ? '/var/lib/puppet/ssl' : "#{HOME}/.puppet/etc/ssl", rundir: ROOT ? '/run/puppet' : "#{HOME}/.puppet/var/run",
      logdir: ROOT ? '/var/log/puppet' : "#{HOME}/.puppet/var/log", masterport: '8140', serverport: '8140', runinterval: '1800', noop: false
    }.freeze

    module_function

    def [](name)
      return certname if name.to_sym == :certname

      given.fetch(name.to_sym) do
        DEFAULTS.fetch(name.to_sym) { raise ArgumentError, "Attempt to access an undefined setting (#{name}): pupc does not have it" }
      end
    end

    def value(name, *)
      self[name]
    end

    def certname
      given[:certname] || Facter.value('networking.fqdn') || Facter.value('networking.hostname')
    end

    # The settings of section main, overridden by those of section agent.
    def given
      @given ||= begin
        sections = Hash.new { |h, k| h[k] = {} }
        section = 'main'
        (File.readable?(DEFAULTS[:config]) ? File.readlines(DEFAULTS[:config]) : []).each do |line|
          case line
          when /\A\s*\[(\w+)\]/ then section = Regexp.last_match(1)
          when /\A\s*(\w+)\s*=\s*(.*?)\s*\z/ then sections[section][Regexp.last_match(1).to_sym] = Regexp.last_match(2)
          end
        end
        sections['main'].merge(sections['agent']).transform_values { |v| v.gsub(/\$(\w+)|\$\{(\w+)\}/) { (DEFAULTS[(Regexp.last_match(1) || Regexp.last_match(2)).to_sym] || Regexp.last_match(0)).to_s } }
      end
    end
  end
end
