require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'api_pair',
  desc: 'Two names.',
  features: ['supports_noop'],
  title_patterns: [
    { pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$}, desc: 'Both.' },
    { pattern: %r{^(?<package>.*)$}, desc: 'One.' }
  ],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    package: { type: 'String', desc: 'The one.', behaviour: :namevar },
    manager: { type: 'String', desc: 'The other.', behaviour: :namevar },
    text: { type: 'Optional[String]', desc: 'Text.' }
  }
)
