# Providers of packages that pupc has natively, for providers of modules that have one of them as their parent, and for the choice of the
# default provider. pupc sends this file when code asks for such a provider.
module Puppet
  module Util
    module Package
      module Version
        # A range of versions such as ">=1.0 <2.0", or one version. `kind` is a class whose `parse` makes versions that can be compared.
        class Range
          class ValidationFailure < ArgumentError; end
          SIGNS = { '>' => :>, '>=' => :>=, '<' => :<, '<=' => :<=, '' => :== }.freeze

          def self.parse(text, kind)
            raise ValidationFailure, "Unable to parse '#{text}' as a string" unless text.is_a?(String)

            conditions = text.split(/\s+/).first(2).map do |part|
              sign, version = part.match(/\A([<>=]*)(.+)\z/m)&.captures
              raise ValidationFailure, "Unable to parse '#{part}' as a version range identifier" unless version
              raise ValidationFailure, "Operator '#{sign}' is not implemented" unless SIGNS.key?(sign)

              [sign, kind.parse(version)]
            end
            (conditions.size == 1 && conditions[0][0].empty? ? Eq : Range).new(conditions)
          end

          def initialize(conditions)
            @conditions = conditions
          end

          def include?(version)
            @conditions.all? { |sign, limit| version.public_send(SIGNS[sign], limit) }
          end

          def to_s
            @conditions.map(&:join).join(' ')
          end

          def split(*separator)
            to_s.split(*separator)
          end

          # The range as gem's option -v takes it.
          def to_gem_version
            @conditions.map { |sign, version| sign.empty? ? version.to_s : "#{sign}#{version}" }.join(', ')
          end

          def ==(other)
            other.is_a?(Range) && to_s == other.to_s
          end
        end
        class Range::Eq < Range; end # rubocop:disable Style/ClassAndModuleChildren

        # A version in the order of a packaging system; pupc compares.
        class Compared
          include Comparable
          class ValidationFailure < ArgumentError; end
          class << self
            attr_accessor :order, :form

            def parse(text)
              raise self::ValidationFailure, "Unable to parse '#{text}' as a #{order} version identifier" unless text.is_a?(String) && form.match?(text)

              new(text)
            end

            def compare(left, right)
              parse(left.to_s) <=> parse(right.to_s)
            end
          end

          def initialize(text)
            @text = text.strip
          end

          def to_s
            @text
          end

          def <=>(other)
            other.is_a?(self.class) ? PupcWorker.ask('compare_versions', self.class.order, to_s, other.to_s) : nil
          end
        end

        class Debian < Compared
          self.order = 'debian'
          self.form = /\A(?:\d+:)?[.+~0-9a-zA-Z-]+\z/
        end

        class Rpm < Compared
          self.order = 'rpm'
          self.form = /\A(?:\d+:)?[^\s:]+\z/
        end

        class Pip < Compared
          self.order = 'pip'
          self.form = /\A\s*v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?\s*\z/i
        end

        # rubygems takes long to load, and few need it.
        def self.const_missing(name)
          return super unless name == :Gem

          const_set(:Gem, Class.new(::Gem::Version) do
            const_set(:ValidationFailure, Class.new(ArgumentError))
            define_singleton_method(:parse) do |text|
              raise self::ValidationFailure, "#{text} is not a valid ruby gem version." unless text.is_a?(String) && text.match?(::Gem::Version::ANCHORED_VERSION_PATTERN)

              new(text)
            end
          end)
        end
      end
    end
  end

  module NativeTypes
    # Whether a version that is not exactly the wanted one lies in the wanted range.
    module InRange
      def pupc_range(text)
        Util::Package::Version::Range.parse(text, self.class.pupc_version_kind)
      rescue ArgumentError
        nil
      end

      def pupc_in_range?(is, should)
        range = should.is_a?(String) ? pupc_range(should) : nil
        range && range.include?(self.class.pupc_version_kind.parse(is)) ? true : false
      rescue ArgumentError
        false
      end

      # The newest of the offered versions in the wanted range; the range itself when there is none.
      def best_version(range)
        kind = self.class.pupc_version_kind
        fitting = pupc_offered.filter_map do |text|
          version = kind.parse(text)
          version if range.include?(version)
        rescue ArgumentError
          nil
        end
        fitting.max || range.tap { Puppet.debug("No available version for package #{@resource[:name]} is included in range #{range}") }
      end
    end

    # For packages of which one version is installed at a time.
    module OneInRange
      include InRange

      def insync?(is)
        is.is_a?(String) && pupc_in_range?(is, @resource[:ensure])
      end
    end

    module InstallOptions
      def install_options
        join_options(resource[:install_options])
      end
    end

    module UninstallOptions
      def uninstall_options
        join_options(resource[:uninstall_options])
      end
    end

    native(:package, :dpkg, parent: Provider::Package) do
      has_feature :holdable, :virtual_packages
      commands dpkg: '/usr/bin/dpkg', dpkg_deb: '/usr/bin/dpkg-deb', dpkgquery: '/usr/bin/dpkg-query'

      def self.defaultto_allow_virtual
        false
      end

      def self.pupc_format
        "'${Status} ${Package} ${Version}\\n'"
      end

      def self.instances
        found = []
        Util::Execution.execpipe([command(:dpkgquery), '-W', '--showformat', pupc_format]) do |pipe|
          pipe.each_line { |line| (state = parse_line(line)) && found << new(state) }
        end
        found
      end

      # A line of dpkg-query: what is wanted, an error flag, the state, the name and the version.
      def self.parse_line(line, form = /^'?(\S+) +(\S+) +(\S+) (\S+) (\S*)(?: \[.*\])?$/)
        wanted, error, status, name, version = line.match(form)&.captures
        return Puppet.debug("Failed to match dpkg-query line #{line.inspect}") unless wanted

        present = case status
                  when 'not-installed' then :purged
                  when 'config-files', 'half-installed', 'unpacked', 'half-configured' then :absent
                  else version
                  end
        { desired: wanted, error: error, status: status, name: name, ensure: present, provider: self.name, mark: wanted == 'hold' ? :hold : :none }
      end

      def query
        state = pupc_real_package if @resource.allow_virtual?
        begin
          state = self.class.parse_line(dpkgquery('-W', '--showformat', self.class.pupc_format, @resource[:name]))
        rescue Puppet::ExecutionFailure
          return { ensure: :purged, status: 'missing', name: @resource[:name], error: 'ok' }
        end
        state ||= { ensure: :absent, status: 'missing', name: @resource[:name], error: 'ok' }
        return state if state[:error] == 'ok'

        raise Puppet::Error, "Package #{state[:name]}, version #{state[:ensure]} is in error state: #{state[:error]}"
      end

      # The package that provides a virtual one takes its place.
      def pupc_real_package
        line = dpkgquery('-W', '--showformat', "'${Status} ${Package} ${Version} [${Provides}]\\n'").lines
                                                                                                    .find { |l| l.match?(/[\[ ]#{Regexp.escape(@resource[:name])}[\],]/) }
        return unless line

        state = self.class.parse_line(line)
        Puppet.info("Package #{@resource[:name]} is virtual, defaulting to #{state[:name]}")
        @resource[:name] = state[:name]
        state
      rescue Puppet::ExecutionFailure
        nil
      end

      def install
        file = @resource[:source] or raise ArgumentError, 'You cannot install dpkg packages without a source'
        pupc_unheld { dpkg(@resource[:configfiles] == :keep ? '--force-confold' : '--force-confnew', '-i', file) }
      end

      def update
        install
      end

      def latest
        source = @resource[:source] or @resource.fail('Could not update: You cannot install dpkg packages without a source')
        name, version = dpkg_deb('--show', source).match(/^(\S+)\t(\S+)$/).captures
        warning("source doesn't contain named package, but #{name}") unless name.match?(Regexp.escape(@resource[:name]))
        version
      end

      def uninstall
        dpkg('-r', @resource[:name])
      end

      def purge
        dpkg('--purge', @resource[:name])
      end

      def hold
        pupc_select('hold')
      end

      def unhold
        pupc_select('install')
      end

      def pupc_select(state)
        Tempfile.open('puppet_dpkg_set_selection') do |file|
          file.write("#{@resource[:name]} #{state}\n")
          file.flush
          execute([:dpkg, '--set-selections'], failonfail: false, combine: false, stdinfile: file.path)
        end
      end

      # Takes the hold off while the block works; afterwards the package is held again where that is wanted.
      def pupc_unheld
        unhold if properties[:mark] == :hold
        yield
      ensure
        hold if @resource[:mark] == :hold
      end
    end

    native(:package, :apt, parent: :dpkg, source: :dpkg) do
      include OneInRange
      include InstallOptions
      has_feature :versionable, :install_options, :virtual_packages, :version_ranges
      commands aptget: '/usr/bin/apt-get', aptcache: '/usr/bin/apt-cache', aptmark: '/usr/bin/apt-mark', preseed: '/usr/bin/debconf-set-selections'
      defaultfor 'os.family' => :debian
      # No program that apt calls may ask anything.
      ENV.update('DEBIAN_FRONTEND' => 'noninteractive', 'APT_LISTBUGS_FRONTEND' => 'none', 'APT_LISTCHANGES_FRONTEND' => 'none')

      def self.pupc_version_kind
        Util::Package::Version::Debian
      end

      def self.instances
        found = super
        manual = aptmark('showmanual').split("\n").to_set
        found.each { |package| package.mark = :manual if manual.include?(package.name) }
      end

      def initialize(value = {})
        super
        @property_flush = {}
      end

      def query
        state = super
        name = @resource[:name]
        state[:mark] = :manual if !%i[absent purged].include?(state[:ensure]) && aptmark('showmanual', name).strip == name
        state
      end

      def mark
        @property_flush[:mark]
      end

      def mark=(value)
        @property_flush[:mark] = value
      end

      def flush
        return if !@property_flush || @property_flush[:mark] || %i[purge absent].include?(resource[:ensure])

        aptmark('manual', resource[:name])
      end

      def install
        run_preseed if @resource[:responsefile]
        should = @resource[:ensure]
        range = should.is_a?(String) ? pupc_range(should) : nil
        should = best_version(range) if range && !range.is_a?(Util::Package::Version::Range::Eq)
        checkforcdrom
        name = @resource[:name]
        words = %w[-q -y]
        words.push('-o', "DPkg::Options::=--force-conf#{@resource[:configfiles] == :keep ? 'old' : 'new'}") if @resource[:configfiles]
        unless should == true || should == false || should.is_a?(Symbol)
          name += "=#{should}"
          words.push('--allow-downgrades', '--allow-change-held-packages')
        end
        words += install_options if @resource[:install_options]
        pupc_unheld { aptget(*words, :install, source || name) }
        pupc_check_version(should) if source && !%i[present installed].include?(should)
      end

      # A file may hold another version than the wanted one.
      def pupc_check_version(should)
        version = (query or raise Puppet::Error, "Could not find package #{name}")[:ensure]
        raise Puppet::Error, "Failed to update to version #{should}, got version #{version} instead" unless insync?(version)
      end

      def checkforcdrom
        return if @resource[:allowcdrom] == :true || !::File.readable?('/etc/apt/sources.list')
        return unless ::File.read('/etc/apt/sources.list').match?(/^[^#]*cdrom:/)

        raise Puppet::Error, "/etc/apt/sources.list contains a cdrom source; not installing.  Use 'allowcdrom' to override this failure."
      end

      def pupc_offered
        aptcache(:madison, @resource[:name]).lines.filter_map { |line| line.split('|')[1]&.strip }
      end

      def latest
        aptcache(:policy, @resource[:name])[/Candidate:\s+(\S+)\s/, 1] || (err('Could not find latest version') && nil)
      end

      def run_preseed
        file = @resource[:responsefile]
        return info('No responsefile specified or non existent, not preseeding anything') unless file && FileSystem.exist?(file)

        info("Preseeding #{file} to debconf-set-selections")
        preseed(file)
      end

      def uninstall
        pupc_remove
      end

      def purge
        pupc_remove('--purge')
        super # apt does not purge a package that is removed already
      end

      def pupc_remove(*more)
        run_preseed if @resource[:responsefile]
        words = %w[-y -q]
        words << '--allow-change-held-packages' if properties[:mark] == :hold
        aptget(*words, :remove, *more, @resource[:name])
      end

      private

      def source
        @source ||= @resource[:source]
      end
    end

    native(:package, :pip, parent: Provider::Package::Targetable) do
      include OneInRange
      include InstallOptions
      has_feature :installable, :uninstallable, :upgradeable, :versionable, :version_ranges, :install_options, :targetable

      def self.pupc_version_kind
        Util::Package::Version::Pip
      end

      # Chosen for packages without a provider only where nothing else is there.
      def self.specificity
        default_match ? super : 1
      end

      def self.cmd
        %w[pip pip-python pip2 pip-2]
      end

      def self.provider_command
        cmd.map { |name| which(name) }.compact.first
      end

      def self.quote(path)
        path.include?(' ') ? "\"#{path}\"" : path
      end

      def self.pip_version(command)
        version = nil
        execpipe([quote(command), '--version']) { |pipe| pipe.each_line { |line| version ||= line[/^pip (\d+\.\d+\.?\d*)/, 1] } }
        version or raise Puppet::Error, 'Cannot resolve pip version'
      end

      def self.compare_pip_versions(left, right)
        pupc_version_kind.compare(left, right)
      rescue ArgumentError
        Util::Package.versioncmp(left, right)
      end

      def self.instances(target_command = nil)
        validate_command(target_command) if target_command
        command = target_command || provider_command or return []
        words = ['freeze']
        words << '--all' if compare_pip_versions(pip_version(command), '8.1.0') >= 0
        found = []
        execpipe([quote(command), words]) do |pipe|
          pipe.each_line { |line| (state = parse(line)) && found << new(state.merge(command: command)) }
        end
        found
      end

      # A line of `pip freeze`: NAME==VERSION, or NAME @ ADDRESS@VERSION.
      def self.parse(line)
        found, version = (line.chomp.match(/^([^=]+)===?([^=]+)$/) || line.chomp.match(/^([^@]+) @ [^@]+@(.+)$/))&.captures
        found && { ensure: version, name: found, provider: name }
      end

      def pupc_command
        command = resource_or_provider_command
        self.class.validate_command(command)
        command
      end

      def query
        self.class.instances(pupc_command).find { |p| @resource[:name].casecmp?(p.name) }&.properties
      end

      def available_versions
        command = pupc_command
        version = self.class.pip_version(command)
        words = [self.class.quote(command), 'install', "#{@resource[:name]}==9!0dev0+x"]
        words << '--use-deprecated=legacy-resolver' if self.class.compare_pip_versions(version, '20.2.4') > 0 && self.class.compare_pip_versions(version, '21.1') < 0
        words << install_options if @resource[:install_options]
        found = []
        execpipe(words, false) { |pipe| pipe.each_line { |line| found = $1.split(', ') if line =~ /from versions: (.+)\)/ } }
        found.sort { |a, b| self.class.compare_pip_versions(a, b) }
      end
      alias_method :pupc_offered, :available_versions

      def latest
        available_versions.last
      end

      def get_install_command_options
        should = @resource[:ensure]
        name = @resource[:name]
        words = %w[install -q]
        words += install_options if @resource[:install_options]
        return words << "#{@resource[:source]}#{"@#{should}" if should.is_a?(String)}#egg=#{name}" if @resource[:source]
        return words.push('--upgrade', name) if should == :latest
        return words << name unless should.is_a?(String)

        range = pupc_range(should)
        return words << "#{name}==#{should}" if range.nil? || range.is_a?(Util::Package::Version::Range::Eq)

        best = best_version(range)
        words << (best.equal?(range) ? "#{name} #{best.split.join(',')}" : "#{name}==#{best}")
      end

      def install
        execute([pupc_command, get_install_command_options])
      end

      def update
        install
      end

      def uninstall
        execute([pupc_command, 'uninstall', '-y', '-q', @resource[:name]])
      end
    end

    native(:package, :pip3, parent: :pip) do
      has_feature :installable, :uninstallable, :upgradeable, :versionable, :install_options, :targetable

      def self.cmd
        %w[pip3]
      end
    end

    native(:package, :gem, parent: Provider::Package::Targetable) do
      include InstallOptions
      include UninstallOptions
      has_feature :versionable, :install_options, :uninstall_options, :targetable, :version_ranges
      has_command(:gemcmd, 'gem') { is_optional }

      def self.specificity
        default_match ? super : 1
      end

      def self.provider_command
        command(:gemcmd)
      end

      def self.execute_gem_command(command, words, environment = {})
        validate_command(command)
        execute([command, words], failonfail: true, combine: true, custom_environment: { 'HOME' => ENV.fetch('HOME', nil) }.merge(environment))
      end

      def self.instances(target_command = nil)
        command = target_command || provider_command or return []
        gemlist(command: command, local: true).map { |found| new(found.merge(command: command)) }
      end

      def self.gemlist(options)
        words = ['list', options[:local] ? '--local' : '--remote']
        words.push('--source', options[:source]) if options[:source]
        words << "\\A#{options[:justme]}\\z" if options[:justme]
        found = execute_gem_command(options[:command], words).lines.filter_map { |line| gemsplit(line) }
        options[:justme] ? found.first : found
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, "Could not list gems: #{e}", e.backtrace
      end

      # A line of `gem list`: NAME (VERSION, VERSION PLATFORM, default: VERSION).
      def self.gemsplit(line)
        if (found = line.match(/^(\S+)\s+\((.+)\)/))
          return { name: found[1], ensure: found[2].sub('default: ', '').split(/,\s*/).map { |v| v.split[0] }, provider: name }
        end

        Puppet.warning("Could not match #{line}") unless line.chomp.empty?
        nil
      end

      def query
        command = resource_or_provider_command
        self.class.gemlist(command: command, justme: resource[:name], local: true)&.merge(command: command)
      end

      def latest
        self.class.gemlist({ command: resource_or_provider_command, justme: resource[:name], source: resource[:source] }.compact)[:ensure][0]
      end

      def pupc_plain_range(should)
        return if should.to_s.match?(Regexp.union(/,/, ::Gem::Requirement::PATTERN))

        Util::Package::Version::Range.parse(should, Util::Package::Version::Gem)
      rescue ArgumentError
        nil
      end

      def install(useversion = true)
        should = resource[:ensure]
        words = ['install']
        words += install_options if resource[:install_options]
        if (range = pupc_plain_range(should))
          should = range.to_gem_version
          useversion = true
        end
        words.push('-v', should) if useversion && !should.is_a?(Symbol)
        words << '--no-document'
        words.concat(pupc_what)
        output = self.class.execute_gem_command(resource_or_provider_command, words)
        self.fail("Could not install: #{output.chomp}") if output.include?('ERROR')
      end

      # The words that tell gem what to install: a name, a file, or a name with the place of a repository.
      def pupc_what
        source = resource[:source] or return [resource[:name]]
        scheme = URI.parse(source).scheme
        return [source] if scheme.nil? || Util.absolute_path?(source)
        return [URI.parse(source).path] if scheme.match?(/file/i)
        raise Puppet::Error, 'puppet:// URLs are not supported as gem sources' if scheme == 'puppet'

        ['--source', source, resource[:name]]
      rescue URI::Error => e
        self.fail(Puppet::Error, "Invalid source '': #{e}", e)
      end

      def update
        install(false)
      end

      def uninstall
        words = ['uninstall', '--executables', '--all', resource[:name]]
        words += uninstall_options if resource[:uninstall_options]
        output = self.class.execute_gem_command(resource_or_provider_command, words)
        self.fail("Could not uninstall: #{output.chomp}") if output.include?('ERROR')
      end

      def insync?(is)
        return false unless is && is != :absent

        should = resource[:ensure]
        return false if should.is_a?(Symbol)

        if should.match?(Regexp.union(/,/, ::Gem::Requirement::PATTERN))
          wanted = ::Gem::Dependency.new('', should.split(','))
          return Array(is).any? { |version| wanted.match?('', version) }
        end
        range = pupc_plain_range(should)
        !range.nil? && Array(is).any? { |version| range.include?(Util::Package::Version::Gem.parse(version)) }
      rescue ArgumentError
        false
      end
    end

    native(:package, :puppet_gem, parent: :gem) do
      has_feature :versionable, :install_options, :uninstall_options
      confine true: Facter.value(:aio_agent_version)
      commands gemcmd: '/opt/puppetlabs/puppet/bin/gem'
    end
  end
end
