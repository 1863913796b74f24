# Types that pupc implements natively, for module code that refers to them: a package provider, or a type that generates files. pupc sends
# their attributes; this file defines what providers need in addition.
module Puppet
  module NativeTypes
    class << self
      # Defines the type of that name; returns nil when pupc does not know it.
      def load(name)
        description = PupcWorker.ask('native_type', name.to_s)
        return nil unless description

        own = OWN[name]
        Type.newtype(name) do
          instance_eval(&own) if own
          description.each do |attribute, kind, namevar|
            attribute = attribute.to_sym
            next if attribute == :provider || validattr?(attribute) && !Type.metaparam?(attribute) || Type.metaparam?(attribute)

            kind == 'property' ? newproperty(attribute) : newparam(attribute, namevar ? { namevar: true } : {})
          end
          providify if description.any? { |attribute, _| attribute == 'provider' }
        end
      end

      # Native providers have no Ruby object.
      def provider(_type, _name)
        nil
      end
    end

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
          @lateststamp = nil
          current = retrieve
          provider.update
          current == :absent ? :package_installed : :package_changed
        end
        newvalue(/./, required_features: :versionable) { provider.install }
        aliasvalue(:installed, :present)
        defaultto :present

        def retrieve
          provider.properties[:ensure]
        end

        def insync?(is)
          @should ||= []
          @should.any? do |wanted|
            case wanted
            when :present then !%i[absent purged held].include?(is)
            when :latest
              next false if %i[absent purged].include?(is)

              @latest = provider.latest
              Array(is).include?(@latest) || @latest.nil?
            when :absent then %i[absent purged].include?(is)
            when :purged then is == :purged || (is == :absent && !provider.feature?(:purgeable))
            else provider.respond_to?(:insync?) ? provider.insync?(is) : [is].flatten.map(&:to_s).include?(wanted.to_s)
            end
          end
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
        newvalue(:stopped, event: :service_stopped, invalidate_refreshes: true) { provider.stop }
        newvalue(:running, event: :service_started) { provider.start }
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
      define_method(:refresh) { provider.restart if provider.status == :running }
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
      newproperty(:groups, parent: Puppet::Property::List) do
        def membership
          :membership
        end
      end
      newproperty(:password, required_features: :manages_passwords) do
        def change_to_s(current, _wanted)
          current == :absent ? 'created password' : 'changed password'
        end

        def is_to_s(_value) # rubocop:disable Naming/PredicateName
          '[old password hash redacted]'
        end

        def should_to_s(_value)
          '[new password hash redacted]'
        end
      end
      newparam(:membership) do
        newvalues(:inclusive, :minimum)
        defaultto :minimum
      end
    end
    GROUP = proc do
      %i[manages_members manages_aix_lam system_groups libuser manages_local_users_and_groups].each { |name| feature(name, name.to_s) }
      instance_eval(&ACCOUNTS)
    end
    OWN = { package: PACKAGE, service: SERVICE, user: USER, group: GROUP }.freeze
  end
end
