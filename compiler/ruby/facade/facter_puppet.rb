# What custom facts use of Puppet's library: settings, comparing versions, commands, and the providers of this machine.
module Puppet
  class Error < RuntimeError; end
  class DevError < Error; end
  class ExecutionFailure < Error; end
  class ParseError < Error; end

  module Util
    module Package
      module_function

      # Numbers as numbers, the rest as text, separators below both; as Puppet orders versions.
      def versioncmp(left, right, ignore_trailing_zeroes = false)
        left, right = [left, right].map { |v| v.sub(/((?:\.0)+)(?=$|[^.\d])/, '') } if ignore_trailing_zeroes
        a = left.scan(/[-.]|\d+|[^-.\d]+/)
        b = right.scan(/[-.]|\d+|[^-.\d]+/)
        while !a.empty? && !b.empty?
          x = a.shift
          y = b.shift
          next if x == y
          return -1 if x == '-'
          return 1 if y == '-'
          return -1 if x == '.'
          return 1 if y == '.'
          return x.upcase <=> y.upcase unless x.match?(/\A\d+\z/) && y.match?(/\A\d+\z/)
          return x.to_s.upcase <=> y.to_s.upcase if x.start_with?('0') || y.start_with?('0')

          return x.to_i <=> y.to_i
        end
        left <=> right
      end
    end

    module Execution
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, exitstatus)
          super(text)
          @exitstatus = exitstatus
        end
      end

      module_function

      def execute(command, options = {})
        failonfail = options.fetch(:failonfail, options.empty?)
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : ['/bin/sh', '-c', command.to_s]
        output = IO.popen([{ 'LC_ALL' => 'C', 'LANG' => 'C' }, *words, { err: options.fetch(:combine, options.empty?) ? %i[child out] : File::NULL, in: File::NULL }], &:read)
        status = $?.exitstatus || 128 + $?.termsig.to_i # rubocop:disable Style/SpecialGlobalVars
        raise ExecutionFailure, "Execution of '#{[command].flatten.join(' ')}' returned #{status}: #{output.strip}" if failonfail && status != 0

        ProcessOutput.new(output, status)
      rescue SystemCallError => e
        raise ExecutionFailure, "Could not execute posix command: #{e.message}" if failonfail

        ProcessOutput.new('', 1)
      end
    end

    module_function

    def which(program)
      Facter::Core::Execution.which(program)
    end

    def execute(*args)
      Execution.execute(*args)
    end

    def absolute_path?(path, _platform = nil)
      path.start_with?('/')
    end

    module Platform
      def self.windows?
        false
      end
    end
  end

  module FileSystem
    %i[exist? directory? file? executable? read readlink size].each { |name| define_singleton_method(name) { |path| File.public_send(name, path.to_s) } }
  end

  # What a machine has; other names are features that nobody has defined.
  class Features
    LIBRARIES = { augeas: 'augeas', syslog: 'syslog', zlib: 'zlib', openssl: 'openssl', selinux: 'selinux', msgpack: 'msgpack', hocon: 'hocon', ssh: 'net/ssh' }.freeze

    def root?
      Process.uid.zero?
    end

    def posix?
      true
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

  # Settings: of puppet.conf, else the packages' defaults.
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

    # Of the sections main, then agent.
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

  # A type of which the default provider can be asked.
  class Type
    PROVIDERS = {
      package: lambda {
        case Facter.value('os.family')
        when 'Debian' then :apt
        when 'RedHat' then Facter.value('os.release.major').to_i >= 8 ? :dnf : :yum
        when 'Suse' then :zypper
        when 'Archlinux' then :pacman
        when 'Gentoo' then :portage
        else raise Puppet::Error, "pupc does not know the provider of packages on #{Facter.value('os.family')}"
        end
      },
      service: lambda {
        next :systemd if File.directory?('/run/systemd/system') || File.read('/proc/1/comm').strip == 'systemd'

        { 'Debian' => :debian, 'RedHat' => :redhat, 'Gentoo' => :openrc }.fetch(Facter.value('os.family'), :init)
      }
    }.freeze

    def self.type(name)
      PROVIDERS.key?(name.to_sym) ? new(name.to_sym) : nil
    end

    def initialize(name)
      @name = name
    end

    def defaultprovider
      Struct.new(:name).new(PROVIDERS.fetch(@name).call)
    end

    def new(_attributes = {})
      self
    end

    def [](attribute)
      attribute == :provider ? defaultprovider.name : nil
    end
    alias newpackage new
    alias newservice new
  end

  class << self
    def [](name)
      Settings[name]
    end

    def settings
      Settings
    end

    def features
      @features ||= Features.new
    end

    def version
      '@PUPPET_VERSION@'
    end

    def initialize_settings(*); end

    %i[debug info notice].each { |level| define_method(level) { |*| nil } }

    def warning(text)
      Facter.warn(text)
    end

    def err(text)
      Facter.error(text)
    end
  end
  PUPPETVERSION = '@PUPPET_VERSION@'
end
