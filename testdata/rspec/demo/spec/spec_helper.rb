# frozen_string_literal: true

require 'rspec-puppet'

RSpec.configure do |c|
  c.mock_with :rspec
  c.module_path = File.expand_path('../..', __dir__)
  c.environmentpath = __dir__
  c.setup_fixtures = false
  c.strict_variables = true
  c.default_facts = { 'os' => { 'name' => 'Debian', 'family' => 'Debian', 'release' => { 'major' => '12', 'full' => '12.5' } }, 'kernel' => 'Linux' }
  c.default_trusted_facts = { 'pp_role' => 'none' }
  c.default_trusted_external_data = { 'rack' => 'a1' }
  c.before(:each) { Puppet.settings[:strict] = :error }
  c.after(:suite) { RSpec::Puppet::Coverage.report!(0) }
end
