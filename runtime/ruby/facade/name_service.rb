# Puppet::Provider::NameService: the base class of user and group providers. It reads accounts from the system's databases and changes
# them with commands.
module Puppet
  class Provider
    class NameService < Provider
      class << self
        def initvars
          @checks = {}
          @options = {}
          super
        end

        def resource_type=(type)
          super
          type.validproperties.each do |property|
            next if property == :ensure

            define_method(property) { get(property) || :absent } unless public_method_defined?(property)
            define_method("#{property}=") { |*values| set(property, *values) } unless public_method_defined?("#{property}=")
          end
        end

        def options(name, hash)
          raise Puppet::DevError, "#{name} is not a valid attribute for #{resource_type.name}" unless resource_type.valid_parameter?(name)

          (@options[name] ||= {}).update(hash)
        end

        def option(name, option)
          (@options || {}).dig(name.intern, option)
        end

        def verify(name, error, &block)
          @checks[name.intern] = [error, block]
        end

        def validate(name, value)
          error, block = @checks[name.intern]
          raise ArgumentError, "Invalid value #{value}: #{error}" if block && !block.call(value)
        end

        def autogen_defaults(hash)
          (@autogen_defaults ||= {}).update(hash)
        end

        def autogen_default(name)
          (@autogen_defaults || {})[name.intern]
        end

        def section
          resource_type.name == :group ? 'gr' : 'pw'
        end

        def instances
          found = []
          ::Etc.public_send(section == 'gr' ? :group : :passwd) { |e| found << new(name: e.name, canonical_name: e.name, ensure: :present) }
          found
        end
      end

      def initialize(resource)
        super
        @custom_environment = {}
        @canonical_name = (resource.is_a?(Hash) && resource[:canonical_name]) || resource[:name]
      end

      def exists?
        getinfo(true) ? true : false
      end

      def ensure
        exists? ? :present : :absent
      end

      def create
        return (info 'already exists') && nil if exists?

        pupc_run(addcmd, 'create', has_sensitive_data?)
        pupc_run(passcmd, 'create', has_sensitive_data?) if feature?(:manages_password_age) && passcmd
      end

      def delete
        return (info 'already absent') && nil unless exists?

        pupc_run(deletecmd, 'delete', false)
      end

      def get(name)
        found = getinfo(false)
        found ? unmunge(name, found[name]) : nil
      end

      def set(name, value)
        self.class.validate(name, value)
        command = modifycmd(name, munge(name, value))
        raise Puppet::DevError, 'Nameservice command must be an array' unless command.is_a?(Array)

        execute(command, failonfail: true, combine: true, custom_environment: @custom_environment, sensitive: has_sensitive_data?(name))
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, "Could not set #{name} on #{@resource.class.name}[#{@resource.name}]: #{e}", e.backtrace
      end

      def munge(name, value)
        block = self.class.option(name, :munge)
        block ? block.call(value) : value
      end

      def unmunge(name, value)
        block = self.class.option(name, :unmunge)
        block ? block.call(value) : value
      end

      def groups
        Util::POSIX.groups_of(@resource[:name]).join(',')
      end

      # The account's entry in the database as a hash; cached unless `again`.
      def getinfo(again)
        @entry = nil if again
        @entry ||= begin
          ::Etc.public_send("get#{self.class.section}nam", @canonical_name)
        rescue ArgumentError
          nil
        end
        @entry && info2hash(@entry)
      end

      def info2hash(entry)
        self.class.resource_type.validproperties.each_with_object({}) do |name, out|
          method = posixmethod(name)
          out[name] = entry.public_send(method) if entry.respond_to?(method)
        end
      end

      def posixmethod(name)
        self.class.option(name, :method) || name
      end

      def has_sensitive_data?(_property = nil) # rubocop:disable Naming/PredicateName
        false
      end

      def comments_insync?(current, should)
        current == should[0].to_s.dup.force_encoding(current.encoding)
      end

      private

      def pupc_run(command, verb, sensitive)
        execute(command, failonfail: true, combine: true, custom_environment: @custom_environment, sensitive: sensitive)
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, "Could not #{verb} #{@resource.class.name} #{@resource.name}: #{e}", e.backtrace
      end

      # The base class of providers that change accounts with commands such as useradd.
      class ObjectAdd < NameService
        def deletecmd
          [command(:delete), @resource[:name]]
        end

        # The option of the commands for a property: the one that the provider names, else its first letter.
        def flag(name)
          self.class.option(name, :flag) || "-#{name.to_s[0, 1]}"
        end
      end
      class PwProvider < NameService; end
    end
  end
end
