# The parts of Puppet's library that custom facts use: settings, comparison of versions, commands, and the providers of this machine.
module Puppet
  class Error < RuntimeError; end
  class DevError < Error; end
  class ExecutionFailure < Error; end
  class ParseError < Error; end

  module Util
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

  # Answers which provider is the default for a resource type on this machine.
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
