# Types that pupc implements natively, for module code that refers to them: a package provider, or a type that generates files. pupc sends
# their attributes; this file defines what providers need in addition.
module Puppet
  module NativeTypes
    class << self
      # Defines the type of that name; returns nil when pupc does not know it.
      def load(name)
        description = PupcWorker.ask('native_type', name.to_s)
        return nil unless description

        leave_environment(name)
        own = %i[package service user group].include?(name) ? ATTRIBUTES[name] : nil
        Type.newtype(name) do
          self.pupc_native = true
          instance_eval(&own) if own
          description.each do |attribute, kind, namevar, allowed|
            attribute = attribute.to_sym
            next if attribute == :provider || validattr?(attribute) && !Type.metaparam?(attribute) || Type.metaparam?(attribute)

            made = kind == 'property' ? newproperty(attribute) : newparam(attribute, namevar ? { namevar: true } : {})
            NativeTypes.allow(made, allowed)
          end
          providify if description.any? { |attribute, _| attribute == 'provider' }
        end
      end

      # Gives an attribute the values of pupc's table of types, but for those that the table leaves to the type.
      def allow(attribute, allowed)
        return if allowed.start_with?('~')

        (allowed == 'boolean' ? 'true false yes no' : allowed).split.each do |word|
          next attribute.newvalues(Regexp.new(word[1..-2])) if word.start_with?('/')

          name, *others = word.split('=').map(&:to_sym)
          attribute.newvalues(name)
          others.each { |other| attribute.aliasvalue(other, name) }
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

      # Puppet loads all providers with their type. Some leave variables in the environment, for all commands from then on.
      def leave_environment(type)
        if type == :package
          ENV.update('DEBIAN_FRONTEND' => 'noninteractive', 'APT_LISTBUGS_FRONTEND' => 'none', 'APT_LISTCHANGES_FRONTEND' => 'none')
          %w[INTERACTIVE UNAME].each { |name| ENV.delete(name) }
        end
        PupcWorker.library_files("puppet/provider/#{type}").each { |file| loaded_variables(file) { |name, value| ENV[name] = value } }
      end

      # The variables that a provider's file sets to a plain text before its first method.
      def loaded_variables(file)
        File.foreach(file) do |line|
          break if line.match?(/\A\s*def /)

          assignment = line.match(/\A\s*ENV\[(['"])(\w+)\1\] = (['"])([^'"\\#]*)\3/)
          yield assignment[2], assignment[4] if assignment
        end
      end

      def natives(type)
        return nil unless %i[package service user group].include?(type)

        unless @natives
          @natives = Hash.new { |hash, key| hash[key] = {} }
          PupcWorker.load_part('native_providers')
        end
        @natives[type]
      end
    end
  end
end
