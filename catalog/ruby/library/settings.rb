module Puppet
  # Puppet's settings: pupc has their values, as the namespace `settings` shows them.
  module Settings
    # The values as one section of puppet.conf has them.
    class Values
      attr_reader :section

      def initialize(section)
        @section = section
      end

      def include?(name)
        Settings.asked(name, @section)[2]
      end

      def lookup(name)
        Settings.value(name, nil, false, @section)
      end
      alias interpolate lookup
      alias [] lookup
    end

    # One setting, for code that looks at more than its value.
    Setting = Struct.new(:name) do
      def value(*)
        Settings[name]
      end

      def default(*)
        Settings.asked(name)[3]
      end

      def desc
        ''
      end
    end

    class << self
      # Settings whose values Puppet has as symbols.
      SYMBOLS = %i[catalog_cache_terminus catalog_terminus certificate_revocation data_binding_terminus default_file_terminus
                   node_cache_terminus node_terminus storeconfigs_backend strict].freeze

      # What this run has set, which no file changes.
      def given
        @given ||= {}
      end

      def [](name)
        value(name)
      end

      def []=(name, value)
        given[name.to_sym] = value
      end

      def value(name, _environment = nil, _bypass = false, section = nil)
        given.fetch(name.to_sym) do
          value = asked(name, section)[1]
          SYMBOLS.include?(name.to_sym) && value.is_a?(String) ? value.to_sym : value
        end
      end

      def boolean?(name)
        [true, false].include?(value(name))
      end

      def value_sym(name, *rest)
        found = value(name, *rest)
        found.is_a?(String) ? found.to_sym : found
      end

      # Whether there is such a setting, its value, whether something sets it, its default.
      def asked(name, section = nil)
        (@asked ||= {})[[name.to_s, section.to_s]] ||= PupcWorker.ask('setting', name.to_s, section.to_s)
      end

      def values(_environment, section)
        Values.new(section)
      end

      def setting(name)
        valid?(name) ? Setting.new(name.to_sym) : nil
      end

      def valid?(name)
        given.key?(name.to_sym) || asked(name)[0]
      end
      alias include? valid?

      def set_by_config?(name, *)
        asked(name)[2]
      end

      def set_by_cli?(name)
        asked(name)[4]
      end

      def set_by_cli(name)
        set_by_cli?(name) ? value(name) : nil
      end

      def preferred_run_mode
        :user
      end

      def app_defaults_initialized?
        true
      end
      alias global_defaults_initialized? app_defaults_initialized?

      def print_configs?
        false
      end

      %i[use define_settings initialize_global_settings initialize_app_defaults parse_config clear flush_cache unsafe_flush_cache].each { |name| define_method(name) { |*| nil } }
    end
  end
end
