require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'api_sync',
  desc: 'Compared by its provider.',
  features: ['custom_insync'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    least: { type: 'Optional[Integer]', desc: 'At least that much.' },
    text: { type: 'Optional[String]', desc: 'Compared as usual.' },
    mood: { type: 'Optional[String]', desc: 'Told with a message.' }
  }
)
