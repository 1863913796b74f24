# The attributes of the native types that modules write providers for, as those providers and their resources see them. pupc knows the
# attributes' names (native_types.rb); this adds what they do.
module Puppet
  module NativeTypes
    PACKAGE = proc do
      feature :installable, 'install packages', methods: [:install]
      feature :uninstallable, 'remove packages', methods: [:uninstall]
      feature :upgradeable, 'upgrade packages', methods: %i[update latest]
      feature :purgeable, 'purge packages', methods: [:purge]
      feature :versionable, 'versions of packages'
      feature :version_ranges, 'ranges of versions'
      feature :holdable, 'holds', methods: %i[hold unhold]
      feature :install_only, 'only installs'
      feature :install_options, 'options of installing'
      feature :uninstall_options, 'options of removing'
      feature :disableable, 'can be disabled', methods: [:disable]
      feature :supports_flavors, 'flavors'
      feature :package_settings, 'settings'
      feature :virtual_packages, 'virtual packages'
      feature :targetable, 'targets'
      newproperty(:ensure, parent: Puppet::Property::Ensure) do
        newvalue(:present, event: :package_installed) { provider.install }
        newvalue(:absent, event: :package_removed) { provider.uninstall }
        newvalue(:purged, event: :package_purged, required_features: :purgeable) { provider.purge }
        newvalue(:disabled, required_features: :disableable) { provider.disable }
        newvalue(:latest, required_features: :upgradeable) do
          current = retrieve
          pupc_updating { provider.update }
          current == :absent ? :package_installed : :package_changed
        end
        newvalue(/./, required_features: :versionable) { pupc_updating { provider.install } }
        aliasvalue(:installed, :present)
        defaultto :present

        def retrieve
          provider.properties[:ensure]
        end

        def pupc_updating
          yield
        rescue StandardError => e
          self.fail Puppet::Error, "Could not update: #{e}", e
        end

        def insync?(is)
          @should ||= []
          @should.any? do |wanted|
            case wanted
            when :present then !%i[absent purged held].include?(is)
            when :latest
              next false if %i[absent purged].include?(is)

              pupc_ask_latest unless @latest && Time.now - @lateststamp < 300
              Array(is).include?(@latest) || is == :present
            when :absent then %i[absent purged].include?(is)
            when :purged then is == :purged || (is == :absent && !provider.feature?(:purgeable))
            else provider.respond_to?(:insync?) ? provider.insync?(is) : [is].flatten.map(&:to_s).include?(wanted.to_s)
            end
          end
        end

        # A question to repositories can take long, so that its answer counts for five minutes.
        def pupc_ask_latest
          @latest = provider.latest
          @lateststamp = Time.now
        rescue StandardError => e
          raise Puppet::Error, "Could not get latest version: #{e}", e.backtrace
        end

        def should_to_s(wanted)
          wanted == :latest && @latest ? Puppet.shown(@latest) : super
        end

        def change_to_s(current, wanted)
          return 'created' if %i[absent purged].include?(current)

          wanted == :purged ? 'purged' : super
        end
      end
      newparam(:name, namevar: true)
      define_singleton_method(:title_patterns) { [[/(.*)/m, [[:name]]]] }
      newproperty(:mark, required_features: :holdable) do
        newvalues(:hold, :none)
        munge do |value|
          %w[hold none].include?(value.to_s) ? value.to_sym : raise(ArgumentError, "Invalid hold value #{value.inspect}. Valid values are: hold/none")
        end

        def insync?(is)
          @should[0] == is
        end

        def retrieve
          provider.properties[:mark]
        end

        def sync
          should == :hold ? provider.hold : provider.unhold
        end
      end
      newparam(:command, required_features: :targetable) { defaultto :default }
      newparam(:source) { validate { |value| provider.validate_source(value) } }
      newparam(:configfiles) do
        newvalues(:keep, :replace)
        defaultto :keep
      end
      newparam(:reinstall_on_refresh) do
        newvalues(:true, :false)
        defaultto :false
      end
      newparam(:allow_virtual, boolean: true, parent: Puppet::Parameter::Boolean, required_features: :virtual_packages) do
        defaultto { provider.class.respond_to?(:defaultto_allow_virtual) ? provider.class.defaultto_allow_virtual : true }
      end
      newparam(:install_only, boolean: true, parent: Puppet::Parameter::Boolean, required_features: :install_only) { defaultto false }
      newparam(:install_options, parent: Puppet::Parameter::PackageOptions, required_features: :install_options)
      newparam(:uninstall_options, parent: Puppet::Parameter::PackageOptions, required_features: :uninstall_options)
      define_method(:exists?) { !%i[absent purged].include?(provider.properties[:ensure]) }
      define_method(:refresh) { provider.reinstall if provider.respond_to?(:reinstall) && self[:reinstall_on_refresh] == :true }
      define_method(:present?) { |current| super(current) && current[:ensure] != :purged }
    end

    SERVICE = proc do
      feature :refreshable, 'restarts', methods: [:restart]
      feature :enableable, 'starts with the machine', methods: %i[disable enable enabled?]
      feature :delayed_startable, 'starts late'
      feature :manual_startable, 'starts by hand'
      feature :controllable, 'uses a control variable'
      feature :flaggable, 'flags'
      feature :maskable, 'masks', methods: [:mask]
      feature :configurable_timeout, 'timeouts'
      feature :manages_logon_credentials, 'accounts'
      newproperty(:enable, required_features: :enableable) do
        newvalue(:true, event: :service_enabled) { provider.enable }
        newvalue(:false, event: :service_disabled) { provider.disable }
        newvalue(:manual, event: :service_manual_start, required_features: :manual_startable) { provider.manual_start }
        newvalue(:mask, event: :service_disabled, required_features: :maskable) { provider.mask }
        newvalue(:delayed, event: :service_delayed_start, required_features: :delayed_startable) { provider.delayed_start }

        def retrieve
          provider.enabled?
        end

        def insync?(is)
          provider.respond_to?(:enabled_insync?) ? provider.enabled_insync?(is) : super
        end
      end
      newproperty(:ensure) do
        newvalue(:stopped, event: :service_stopped) { provider.stop }
        newvalue(:running, event: :service_started, invalidate_refreshes: true) { provider.start }
        aliasvalue(:false, :stopped)
        aliasvalue(:true, :running)

        def retrieve
          provider.status
        end

        # When the service is started, also enables or disables it.
        def sync
          result = super
          enabled = resource.property(:enable)
          enabled.sync if enabled && !enabled.safe_insync?(enabled.retrieve)
          result
        end
      end
      newparam(:name, namevar: true)
      newparam(:hasstatus) do
        newvalues(:true, :false)
        defaultto :true
      end
      newparam(:pattern) { defaultto { resource[:binary] || resource[:name] } }
      newparam(:control) { defaultto { "#{resource.name.tr('.', '_').upcase}_START" if provider.class.feature?(:controllable) } }
      newparam(:path) do
        munge { |value| Array(value).flatten.flat_map { |path| path.split(::File::PATH_SEPARATOR) } }
        defaultto { provider.class.defpath if provider.class.respond_to?(:defpath) }
      end
      newparam(:timeout, required_features: :configurable_timeout) do
        defaultto { provider.respond_to?(:default_timeout) ? provider.default_timeout : 10 }
        munge { |value| value.to_i.positive? ? value.to_i : raise(Puppet::Error, "\"#{value}\" is not a positive integer: the timeout parameter must be specified as a positive integer") }
      end
      define_singleton_method(:needs_ensure_retrieved) { false }
      define_method(:refresh) do
        (@parameters[:ensure] || newattr(:ensure)).retrieve == :running ? provider.restart : debug('Skipping restart; service is not running')
      end
    end

    ACCOUNTS = proc do
      newproperty(:ensure, parent: Puppet::Property::Ensure) do
        newvalue(:present) { provider.create }
        newvalue(:absent) { provider.delete }
        defaultto { resource.managed? ? :present : nil }

        def retrieve
          provider.exists? ? :present : :absent
        end
      end
      newparam(:name, namevar: true)
    end
    USER = proc do
      %i[allows_duplicates manages_homedir manages_passwords manages_password_age manages_password_salt manages_solaris_rbac manages_roles
         manages_expiry system_users manages_aix_lam manages_shell manages_loginclass libuser].each { |name| feature(name, name.to_s) }
      instance_eval(&ACCOUNTS)
      numbers = { munge: proc { |value| value.is_a?(String) && value.match?(/\A[-0-9]+\z/) ? Integer(value) : value } }
      newproperty(:home)
      newproperty(:uid) { munge(&numbers[:munge]) }
      newproperty(:gid) do
        munge(&numbers[:munge])

        # A group may be named; the system knows numbers.
        def insync?(is)
          @should.any? { |group| is == Puppet::Util.gid(group) }
        end

        def sync
          number = @should.filter_map { |group| Puppet::Util.gid(group) }.first
          number ? provider.gid = number : fail("Could not find group(s) #{@should.join(',')}")
        end
      end
      newproperty(:comment) do
        def insync?(is)
          @should.empty? || !provider.respond_to?(:comments_insync?) ? super : provider.comments_insync?(is, @should)
        end
      end
      newproperty(:shell, required_features: :manages_shell)
      newproperty(:password, required_features: :manages_passwords) do
        validate { |value| raise ArgumentError, "Passwords cannot include ':'" if value.is_a?(String) && value.include?(':') }
        sensitive true
      end
      { password_min_age: 'Password minimum age', password_max_age: 'Password maximum age', password_warn_days: 'Password warning days' }.each do |name, shown|
        newproperty(name, required_features: :manages_password_age) do
          validate { |value| raise ArgumentError, "#{shown} must be provided as a number." unless value.to_s.match?(/\A-?\d+\z/) }
          munge { |value| value.is_a?(String) ? Integer(value) : value }
        end
      end
      newproperty(:groups, parent: Puppet::Property::List) do
        validate do |value|
          raise ArgumentError, 'Group names must be provided, not GID numbers.' if value.to_s.match?(/\A\d+\z/)
          raise ArgumentError, 'Group names must be provided as an array, not a comma-separated list.' if value.include?(',')
          raise ArgumentError, 'Group names must not be empty. If you want to specify "no groups" pass an empty array' if value.empty?
        end

        def membership
          :membership
        end

        def change_to_s(current, wanted)
          super(current, wanted == :absent ? wanted : wanted.split(','))
        end
      end
      newparam(:membership) do
        newvalues(:inclusive, :minimum)
        defaultto :minimum
      end
      %i[system allowdupe managehome].each { |name| newparam(name, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false } }
      newparam(:purge_ssh_keys) do # pupc finds the keys
        validate do |value|
          next if %w[true false].include?(value.to_s)
          raise ArgumentError, "purge_ssh_keys must be true, false, or an array of file names, not #{value.inspect}" unless value.is_a?(String) || value.is_a?(Array)

          Array(value).each do |entry|
            raise ArgumentError, "Each entry for purge_ssh_keys must be a string, not a #{entry.class}" unless entry.is_a?(String)
            raise ArgumentError, "Paths to keyfiles must be absolute, not #{entry}" unless entry.match?(%r{\A(/|~/|%h/)})
          end
        end
      end
      newproperty(:expiry, required_features: :manages_expiry) { newvalues(:absent, /\A\d{4}-\d{2}-\d{2}\z/) }
      newparam(:forcelocal, boolean: true, required_features: :manages_local_users_and_groups, parent: Puppet::Parameter::Boolean) { defaultto false }
      # Groups of the catalog come first, also one that is named by its number.
      autorequire(:group) do
        primary = (@parameters[:gid]&.shouldorig || []).map { |group| group.is_a?(String) && group.match?(/\A\d+\z/) ? Integer(group) : group }
        primary = primary.map { |group| group.is_a?(Integer) ? catalog.resources.find { |r| r.is_a?(Puppet::Type.type(:group)) && r.should(:gid) == group } : group }
        primary.compact + (@parameters[:groups]&.should || '').split(',')
      end
    end
    GROUP = proc do
      %i[manages_members manages_aix_lam system_groups libuser manages_local_users_and_groups].each { |name| feature(name, name.to_s) }
      instance_eval(&ACCOUNTS)
      newproperty(:gid) do
        munge { |gid| gid.is_a?(String) ? Integer(gid, exception: false) || fail("Invalid GID #{gid}") : gid }

        def retrieve
          provider.gid
        end

        def sync
          raise Puppet::DevError, 'GID cannot be deleted' if should == :absent

          provider.gid = should
        end
      end
      newproperty(:members, array_matching: :all, required_features: :manages_members) do
        # The members that there will be: only the wanted ones where they are to be the only ones.
        def actual_should(current, wanted)
          current, wanted = [current, wanted].map { |value| value == :absent ? [] : value.is_a?(String) ? value.split(',') : value } # rubocop:disable Style/NestedTernaryOperator
          (@resource[:auth_membership] ? wanted : current + wanted).uniq.sort
        end

        def insync?(current)
          provider.respond_to?(:members_insync?) ? provider.members_insync?(current, @should) : super
        end

        def change_to_s(current, wanted)
          super(current == :absent ? current : current.join(','), actual_should(current, wanted).join(','))
        end
      end
      %i[auth_membership allowdupe system].each { |name| newparam(name, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false } }
      newparam(:forcelocal, boolean: true, required_features: :manages_local_users_and_groups, parent: Puppet::Parameter::Boolean) { defaultto false }
    end
    ATTRIBUTES = { package: PACKAGE, service: SERVICE, user: USER, group: GROUP }.freeze
  end
end
