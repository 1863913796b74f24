# frozen_string_literal: true

# gem build rspec-puppet-pupc.gemspec
Gem::Specification.new do |spec|
  spec.name = 'rspec-puppet-pupc'
  spec.version = '0.2.0'
  spec.summary = 'rspec-puppet with catalogs by pupc'
  spec.description = "Compiles the catalogs of rspec-puppet's examples with pupc. Matchers, facts, coverage and tests of functions and types stay as they are."
  spec.authors = ['the pupc developers']
  spec.license = 'Apache-2.0'
  spec.files = ['lib/rspec-puppet-pupc.rb']
  spec.required_ruby_version = '>= 2.7'
  spec.add_runtime_dependency 'rspec-puppet', '>= 2.9', '< 6'
end
