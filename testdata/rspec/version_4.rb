# frozen_string_literal: true

# rspec-puppet 2.9 with the adapters of version 4: one class does all, deferred values included.
require 'rspec-puppet'

module RSpec
  module Puppet
    module Adapters
      whole = Adapter6X
      constants.each { |name| remove_const(name) }
      Base = Class.new(whole) do
        %i[setup_puppet catalog].each { |name| define_method(name) { |*args| super(*args) } }
      end

      def self.get
        Base.new
      end
    end
  end
end
