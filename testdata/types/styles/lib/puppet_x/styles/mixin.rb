module PuppetX
  module Styles
    NAMES = %w[alpha beta].freeze
    PART = /[^:]+/.freeze

    # Adds attributes to whoever extends it.
    module Hooked
      def self.extended(type)
        type.newparam(:hooked) { desc 'from a hook' }
        type.class_eval do
          newproperty(:evaluated)
        end
      end
    end

    module Included
      def self.included(base)
        base.send(:newparam, :sent)
        base.extend(ClassMethods)
      end

      module ClassMethods
        def add_more(*names, prefix: 'more')
          names.each { |n| newparam(:"#{prefix}_#{n}") }
        end
      end
    end

    module Instances
      def helper
        self[:name]
      end
    end

    def self.add_to(type, suffix = 'x')
      type.newproperty("given_#{suffix}".to_sym)
    end

    def self.patterns(first, second, separator = '/')
      return [] if false
      both = /^(#{PART})#{Regexp.escape(separator)}(#{PART})$/
      if separator == '/'
        [[both, [[first], [second]]], [/^(#{PART})$/, [[first]]]]
      else
        [[both, [[first], [second]]]]
      end
    end
  end
end
