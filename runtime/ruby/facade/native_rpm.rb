# The providers rpm, yum and dnf, for providers of modules that have one of them as their parent (native_packages.rb).
module Puppet
  module Util
    # How rpm orders versions.
    module RpmCompare
      ARCH_LIST = %w[noarch i386 i686 ppc ppc64 armv3l armv4b armv4l armv4tl armv5tel armv5tejl armv6l armv7l m68kmint s390 s390x ia64 x86_64 sh3 sh4].freeze
      ARCH_REGEX = Regexp.new(ARCH_LIST.map { |arch| "\\.#{arch}" }.join('|'))

      # A version that somebody wants against an installed one: what `should` leaves out does not count. pupc compares.
      def rpm_compare_evr(should, is)
        PupcWorker.ask('compare_versions', 'rpm_installed', should.to_s, is.to_s)
      end

      # A part of a version, such as the release.
      def rpmvercmp(left, right)
        rpm_compare_evr(left, right)
      end

      def compare_values(left, right)
        left && right ? rpmvercmp(left, right) : (left ? 1 : 0) <=> (right ? 1 : 0)
      end

      def rpm_parse_evr(text)
        epoch, text = text.split(':', 2) if text.include?(':')
        version, release = text.split('-', 2)
        arch = release && release[ARCH_REGEX]
        { epoch: epoch&.match?(/\A\d+\z/) ? epoch : nil, version: version, release: arch ? release.gsub(ARCH_REGEX, '') : release, arch: arch&.delete('.') }
      end
    end
  end

  module NativeTypes
    native(:package, :rpm, parent: Provider::Package, source: :rpm) do
      include Util::RpmCompare
      include InstallOptions
      include UninstallOptions
      has_feature :versionable, :install_options, :uninstall_options, :virtual_packages, :install_only
      self::NEVRA_FORMAT = '%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n'.freeze
      self::NEVRA_FIELDS = %i[name epoch version release arch].freeze
      self::NEVRA_REGEX = /^'?(\S+) (\S+) (\S+) (\S+) (\S+)$/
      self::MULTIVERSION_SEPARATOR = '; '.freeze
      commands rpm: 'rpm'

      def self.current_version
        @current_version ||= rpm('--version').sub('RPM version ', '').strip
      end

      def self.nosignature
        '--nosignature' if Util::Package.versioncmp(current_version, '4.1') >= 0
      end

      def self.nodigest
        '--nodigest' if Util::Package.versioncmp(current_version, '4.0.2') >= 0
      end

      def self.instances
        command = "#{command(:rpm)} -qa #{nosignature} #{nodigest} --qf '#{self::NEVRA_FORMAT}' | sort"
        execpipe(command) { |pipe| [nevra_to_multiversion_hash(pipe)].flatten }.reject(&:empty?).map { |state| new(state) }
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, 'Failed to list packages', e.backtrace
      end

      # A line of rpm: name, epoch, version, release and architecture. Empty when it is none.
      def self.nevra_to_hash(line)
        found = line.strip.match(self::NEVRA_REGEX)
        return {}.tap { Puppet.debug("Failed to match rpm line #{line.strip}") } unless found

        state = self::NEVRA_FIELDS.zip(found.captures).to_h
        epoch = state[:epoch] == '0' ? '' : "#{state[:epoch]}:"
        state.merge(provider: name, ensure: "#{epoch}#{state[:version]}-#{state[:release]}")
      end

      # The packages of many lines; neighbours with the same name are one package with several versions. One hash when it is one package.
      def self.nevra_to_multiversion_hash(lines)
        found = lines.each_line.map { |line| nevra_to_hash(line) }.reject(&:empty?).chunk_while { |a, b| a[:name] == b[:name] }.map do |same|
          versions = same.map { |state| state[:ensure] }.reduce { |text, version| text.include?(version) ? text : text + self::MULTIVERSION_SEPARATOR + version }
          same.first.merge(ensure: versions)
        end
        found.size < 2 ? found.first || {} : found
      end

      def query
        words = ['-q', @resource[:name], self.class.nosignature.to_s, self.class.nodigest.to_s, '--qf', self.class::NEVRA_FORMAT]
        output = begin
          rpm(*words)
        rescue Puppet::ExecutionFailure
          return nil unless @resource.allow_virtual?

          begin
            rpm(*words, '--whatprovides')
          rescue Puppet::ExecutionFailure
            return nil
          end
        end
        @property_hash.update(self.class.nevra_to_multiversion_hash(output)).dup
      end

      def latest
        output = execute([command(:rpm), '-q', '--qf', self.class::NEVRA_FORMAT, '-p', pupc_source])
        self.class.nevra_to_multiversion_hash(output)[:ensure]
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, e.message, e.backtrace
      end

      def pupc_source
        @resource[:source] or @resource.fail('RPMs must specify a package source')
      end

      def install
        source = pupc_source
        version = @property_hash[:ensure]
        should = @resource.should(:ensure)
        return if should == version || (should == :latest && version == latest)

        words = version && !%i[absent purged].include?(version) ? %w[-U --oldpackage] : %w[-i]
        words += install_options if resource[:install_options]
        rpm(words, source)
      end

      def update
        install
      end

      def uninstall
        query
        words = ['-e']
        words += uninstall_options if resource[:uninstall_options]
        rpm(words, pupc_removed)
      end

      # What to remove: the version that the resource's name tells, several ones only where that is asked for.
      def pupc_removed
        given = @resource[:name]
        with_version = "#{get(:name)}-#{get(:version)}"
        with_release = "#{with_version}-#{get(:release)}"
        arch = ".#{get(:arch)}" if given.end_with?(".#{get(:arch)}")
        return "#{with_release}#{arch}" if given.start_with?(with_release)
        return "#{with_version}#{arch}" if given.start_with?(with_version)
        return get(:ensure).split(self.class::MULTIVERSION_SEPARATOR).map { |version| "#{get(:name)}-#{version}" } if @resource[:install_only]

        "#{get(:name)}#{arch}"
      end

      # Whether one of the installed versions is the wanted one.
      def insync?(is)
        pupc_one_fits?(is) { |version| rpm_compare_evr(@resource[:ensure], version).zero? }
      end

      def pupc_one_fits?(is, &block)
        return false if %i[purged absent].include?(is)

        versions = is.split(self.class::MULTIVERSION_SEPARATOR)
        (versions.size < 2 || @resource[:install_only]) && versions.any?(&block) ? true : false
      end
    end

    native(:package, :yum, parent: :rpm, source: :rpm) do
      include InRange
      has_feature :install_options, :versionable, :virtual_packages, :install_only, :version_ranges
      commands cmd: 'yum', rpm: 'rpm'
      defaultfor 'os.name' => :amazon
      defaultfor 'os.family' => :redhat, 'os.release.major' => (4..7).to_a

      class << self
        def pupc_version_kind
          Util::Package::Version::Rpm
        end

        def prefetch(packages)
          raise Puppet::Error, 'The yum provider can only be used as root' unless Process.euid.zero?

          super
        end

        # The word of the tool for a newer version, and how many of its errors it shows.
        def update_command
          'update'
        end

        def error_level
          '0'
        end

        # The newest version that the repositories have, as a hash; nil when there is none.
        def latest_package_version(package, disablerepo, enablerepo, disableexcludes)
          @latest_versions ||= {}
          updates = @latest_versions[[disablerepo, enablerepo, disableexcludes]] ||= check_updates(disablerepo, enablerepo, disableexcludes)
          updates.key?(package) ? updates[package].first : nil
        end

        def clear
          @latest_versions = nil
        end

        def pupc_repositories(disablerepo, enablerepo, disableexcludes)
          { disablerepo: disablerepo, enablerepo: enablerepo, disableexcludes: disableexcludes }.flat_map { |word, names| names.map { |name| "--#{word}=#{name}" } }
        end

        def check_updates(disablerepo, enablerepo, disableexcludes)
          output = Util::Execution.execute([command(:cmd), 'check-update', *pupc_repositories(disablerepo, enablerepo, disableexcludes)], failonfail: false, combine: false)
          return parse_updates(output) if output.exitstatus == 100

          if output.exitstatus.zero?
            debug("#{command(:cmd)} check-update exited with 0; no package updates available.")
          else
            warning("Could not check for updates, '#{command(:cmd)} check-update' exited with #{output.exitstatus}")
          end
          {}
        end

        # Paragraphs of "name.arch version repository", whose words may be spread over lines, up to the first heading.
        def parse_updates(text)
          updates = Hash.new { |hash, key| hash[key] = [] }
          text.partition(/^(?:Obsoleting|Security:|Update)/).first.split(/^\s*\n/).each do |paragraph|
            paragraph.split.each_slice(3) do |package, version|
              next unless package.include?('.') && version&.match?(/^(?:\d+:)?\S+-\S+$/)

              state = update_to_hash(package, version)
              [state[:name], "#{state[:name]}.#{state[:arch]}"].each { |key| updates[key] << state }
            end
          end
          updates
        end

        def update_to_hash(package, version)
          name, _, arch = package.rpartition('.')
          raise "Failed to parse package name and architecture from '#{package}'" if name.empty?

          epoch, number, release = version.match(/^(?:(\d+):)?(\S+)-(\S+)$/).captures
          { name: name, epoch: epoch || '0', version: number, release: release, arch: arch }
        end
      end

      def insync?(is)
        range = pupc_wanted_range or return super
        pupc_one_fits?(is) { |version| range.include?(self.class.pupc_version_kind.parse(version)) }
      end

      # The range that `ensure` asks for; nil when it asks for one version or none.
      def pupc_wanted_range(should = @resource[:ensure])
        range = should.is_a?(String) ? pupc_range(should) : nil
        range unless range.is_a?(Util::Package::Version::Range::Eq)
      end

      def available_versions(package, disablerepo, enablerepo, disableexcludes)
        words = [command(:cmd), 'list', package, '--showduplicates', *self.class.pupc_repositories(disablerepo, enablerepo, disableexcludes)]
        execute("#{words.join(' ')} | sed -e '1,/Available Packages/ d' | awk '{print $2}'").split("\n")
      end

      def pupc_offered
        available_versions(@resource[:name], disablerepo, enablerepo, disableexcludes)
      end

      # The newest offered version in the range that `should` is, else `should` itself.
      def best_version(should)
        return unless should.is_a?(String)

        range = pupc_wanted_range(should) or return should
        best = super(range)
        best.equal?(range) ? should : best.to_s.sub(/^\d+:/, '')
      end

      def pupc_tool(*words)
        quiet = Facter.value('os.release.major').to_i > 5 ? %w[-d 0] : []
        execute([command(:cmd), *quiet, '-e', self.class.error_level, '-y', install_options, *words].compact)
      end

      def install
        name = @resource[:name]
        execute([command(:cmd), '-d', '0', '-e', self.class.error_level, '-y', install_options, :list, name].compact) unless @resource.allow_virtual?
        operation, wanted, should = pupc_plan
        output = pupc_tool(operation, wanted)
        raise Puppet::Error, "Could not find package #{wanted}" if output.to_s.match?(/^No package #{Regexp.escape(wanted)} available\.$/)
        return unless should

        now = query or raise Puppet::Error, "Could not find package #{name}"
        raise Puppet::Error, "Failed to update to version #{should}, got version #{now[:ensure]} instead" unless insync?(now[:ensure])
      end

      # The tool's verb, the package as it takes it, and the version that must be there afterwards if one is wanted.
      def pupc_plan
        name, source = @resource.to_hash.values_at(:name, :source)
        should = @resource.should(:ensure)
        case should
        when :latest then [query&.[](:ensure).to_s.empty? ? :install : self.class.update_command, name, nil]
        when true, :present, :installed then [:install, source || name, nil]
        when false, :absent then [:install, name, nil]
        else
          should = best_version(should) unless source
          [pupc_verb(should), source || "#{name}-#{should}".gsub(/(.+)(#{Util::RpmCompare::ARCH_REGEX})(.+)/, '\1\3\2'), should]
        end
      end

      def pupc_verb(should)
        now = query or return :install
        return self.class.update_command if @resource[:install_only]

        order = rpm_compare_evr(should, now[:ensure])
        if order.zero?
          :install
        else
          order.positive? ? self.class.update_command : :downgrade
        end
      end

      def latest
        found = self.class.latest_package_version(@resource[:name], disablerepo, enablerepo, disableexcludes)
        return found.values_at(:epoch, :version).join(':') + "-#{found[:release]}" if found

        version = properties[:ensure]
        raise Puppet::DevError, 'Tried to get latest on a missing package' if %i[absent purged].include?(version)

        version
      end

      def update
        install
      end

      def purge
        execute([command(:cmd), '-y', :erase, @resource[:name]])
      end

      private

      %i[enablerepo disablerepo disableexcludes].each do |word|
        define_method(word) { scan_options(resource[:install_options], "--#{word}") }
      end

      # The values of an option in `install_options`: hashes, or texts of the form "--option=value".
      def scan_options(options, key)
        return [] unless options.is_a?(Enumerable)

        options.filter_map { |option| option.is_a?(String) ? (Hash[*option.strip.split('=')] if option.include?('='))&.[](key) : option[key] }.uniq
      end
    end

    native(:package, :dnf, parent: :yum) do
      has_feature :install_options, :versionable, :virtual_packages, :install_only, :version_ranges
      commands cmd: 'dnf', rpm: 'rpm'
      defaultfor 'os.name' => :fedora
      notdefaultfor 'os.name' => :fedora, 'os.release.major' => (19..21).to_a
      defaultfor 'os.family' => :redhat
      notdefaultfor 'os.family' => :redhat, 'os.release.major' => (4..7).to_a
      defaultfor 'os.name' => :amazon, 'os.release.major' => ['2023']

      def self.update_command
        'upgrade'
      end

      def self.error_level
        '1'
      end
    end
  end
end
