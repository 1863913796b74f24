# frozen_string_literal: true

# What suites of Vox Pupuli's modules use of the gem voxpupuli-test, for machines without it.
RSpec.configure { |c| c.mock_with :rspec }

require 'puppetlabs_spec_helper/module_spec_helper'
require 'rspec-puppet-facts'
include RspecPuppetFacts # rubocop:disable Style/MixinUsage

RSpec.configure do |c|
  c.strict_variables = true
  c.after(:suite) { RSpec::Puppet::Coverage.report! }
end

# Facts that stdlib and systemd bring to a machine which has them.
def add_mocked_facts!
  dependencies = (RspecPuppetFacts.metadata['dependencies'] || []).map { |d| d['name'].tr('-', '/') }
  add_custom_fact :systemd, true if dependencies.any? { |name| name.end_with?('/systemd') }
  return unless dependencies.include?('puppetlabs/stdlib')

  add_custom_fact :puppet_environmentpath, '/etc/puppetlabs/code/environments'
  add_custom_fact :puppet_vardir, '/opt/puppetlabs/puppet/cache'
  add_custom_fact :root_home, '/root'
  add_custom_fact :service_provider, lambda { |_os, facts|
    { 'windows' => 'windows', 'FreeBSD' => 'freebsd', 'OpenBSD' => 'openbsd', 'Darwin' => 'launchd', 'Gentoo' => 'openrc', 'Archlinux' => 'systemd' }.fetch((facts[:os] || {})['family'], 'systemd')
  }
end

# The facts with some replaced, whatever form their names have.
def override_facts(base_facts, **overrides)
  base_facts.merge(RSpec::Puppet::Pupc::StandIns.like(base_facts, overrides)) do |_name, old, new|
    old.is_a?(Hash) && new.is_a?(Hash) ? RSpec::Puppet::Pupc::StandIns.deep(old, new) : new
  end
end
