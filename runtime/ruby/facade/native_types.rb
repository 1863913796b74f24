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

      # Keeps what makes a provider that pupc has natively; it is made when code asks for it.
      def native(type, name, options, &body)
        @natives[type][name] = [options, body]
      end

      # A provider that pupc has natively, for code that builds on it; nil when there is none.
      def provider(type, name)
        options, body = natives(type.name)&.[](name)
        body && type.provide(name, options, &body)
      end

      # Makes all providers of a type that pupc has natively, but for those that a module has replaced.
      def provide_all(type)
        natives(type.name)&.each_key { |name| type.provider(name) }
      end

      private

      def natives(type)
        return nil unless %i[package service].include?(type)

        unless @natives
          @natives = Hash.new { |hash, key| hash[key] = {} }
          eval(PupcWorker.ask('native_providers'), TOPLEVEL_BINDING.dup, 'pupc:native_providers.rb') # rubocop:disable Security/Eval
        end
        @natives[type]
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
      newparam(:allowcdrom) { newvalues(:true, :false) }
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
      newparam(:hasrestart) { newvalues(:true, :false) }
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
