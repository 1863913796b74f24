# The parts of Puppet's library that concern the machine, its files and users, for all Ruby workers.
module Puppet
  module Util
    module Platform
      module_function

      def default_paths
        %w[/usr/sbin /sbin]
      end

      %i[windows? jruby? jruby_fips? fips_enabled? solaris?].each do |name|
        define_method(name) { false }
        module_function name
      end
    end

    # The user and group of this process.
    module SUIDManager
      module_function

      %i[uid euid gid egid groups].each do |name|
        define_method(name) { ::Process.public_send(name) }
        module_function name
      end

      def root?
        ::Process.uid.zero?
      end

      def asuser(*)
        yield
      end
    end

    module SymbolicFileMode
      NUMERIC = /\A0?0?[0-7]{1,4}\z/.freeze
      SYMBOLIC = /\A(?:[ugoa]*[-=+][-=+ugorstwxX]*(?:,|\z))+\z/.freeze
      private_constant :NUMERIC, :SYMBOLIC

      def valid_symbolic_mode?(value)
        value.is_a?(Integer) || [NUMERIC, SYMBOLIC].any? { |form| form.match?(value.to_s) }
      end

      def normalize_symbolic_mode(value)
        return nil if value.nil?

        NUMERIC.match?(value.to_s) ? value.to_s.to_i(8).to_s(8) : value.to_s
      end

      def display_mode(value)
        NUMERIC.match?(value.to_s) ? value.to_s.rjust(4, '0') : value.to_s
      end
    end

    module Diff
      module_function

      def diff(old, new)
        Execution.execute(['diff', '-u', old.to_s, new.to_s], failonfail: false, combine: false)
      end
    end
  end

  # Converts values to other classes.
  module Coercion
    module_function

    def boolean(value)
      case value
      when true, :true, 'true', :yes, 'yes' then true
      when false, :false, 'false', :no, 'no' then false
      else raise 'expected a boolean value'
      end
    end
  end

  # The machine's users and groups.
  module Etc
    class << self
      def method_missing(name, *args, &block)
        answer = ::Etc.public_send(name, *args, &block)
        return answer unless answer.is_a?(::Etc::Passwd) || answer.is_a?(::Etc::Group)

        answer.define_singleton_method(:canonical_name) { self.name }
        answer
      end

      def respond_to_missing?(name, all = false)
        ::Etc.respond_to?(name, all)
      end
    end
  end
end
