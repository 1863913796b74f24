# frozen_string_literal: true

# Lets suites of today run with the gems of Debian 12: what newer gems have and these suites use.
module RSpec
  module Puppet
    module Pupc
      # Small parts of newer gems.
      module StandIns
        # Gems for reports, style or machines; a suite runs without them.
        LEFT_OUT = %w[simplecov simplecov-console codecov coveralls rspec/retry webmock/rspec voxpupuli/acceptance/spec_helper_acceptance].freeze

        class << self
          # Both hashes' keys, hashes below merged, too.
          def deep(old, new)
            old.merge(like(old, new)) { |_name, a, b| a.is_a?(Hash) && b.is_a?(Hash) ? deep(a, b) : b }
          end

          # The hash with names in the form that the other hash has.
          def like(pattern, hash)
            return hash if pattern.empty?

            pattern.keys.first.is_a?(Symbol) ? hash.transform_keys(&:to_sym) : hash.transform_keys(&:to_s)
          end
        end

        # A missing gem of the list is no error.
        module Require
          def require(name)
            super
          rescue LoadError
            raise unless LEFT_OUT.include?(name)

            false
          end
        end

        # Of the operating systems that the metadata names only those that match SUITE_OS.
        module SomeSystems
          def on_supported_os(opts = {})
            all = opts.key?(:supported_os)
            found = super
            all || !ENV['SUITE_OS'] ? found : found.select { |name, _facts| name.match?(ENV['SUITE_OS']) }
          end
        end

        # The arguments of Psych 3, by their places.
        module OldYaml
          %i[safe_load safe_load_file].each do |name|
            define_method(name) do |text, *old, **named|
              super(text, **%i[permitted_classes permitted_symbols aliases filename].zip(old).to_h.compact, **named)
            end
          end
        end

        # add_custom_fact NAME, VALUE, merge_facts: true
        module MergedFacts
          def with_custom_facts(os, facts)
            merged = (@custom_facts || {}).select { |_name, fact| fact[:options][:merge_facts] }
            before = merged.to_h { |name, _fact| [name, facts[name.to_sym] || facts[name]] }
            super.tap do |all|
              before.each do |name, old|
                new = all.delete(name)
                all[name.to_sym] = old.is_a?(Hash) && new.is_a?(Hash) ? StandIns.deep(old, new) : new
              end
            end
          end
        end
      end
    end
  end
end

Object.prepend(RSpec::Puppet::Pupc::StandIns::Require)
require 'yaml'
YAML.singleton_class.prepend(RSpec::Puppet::Pupc::StandIns::OldYaml)
require 'rspec-puppet-facts'
RspecPuppetFacts.prepend(RSpec::Puppet::Pupc::StandIns::SomeSystems)
RspecPuppetFacts.singleton_class.prepend(RSpec::Puppet::Pupc::StandIns::MergedFacts)
