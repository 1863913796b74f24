require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'api_thing',
  desc: 'A file of a directory.',
  features: %w[canonicalize simple_get_filter],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    text: { type: 'Optional[String[1]]', desc: 'What is in it.' },
    number: { type: 'Optional[Integer[0, 9]]', desc: 'A number.' },
    flag: { type: 'Boolean', desc: 'A flag.', default: false },
    list: { type: 'Optional[Array[String]]', desc: 'A list.' },
    fixed: { type: 'Optional[String]', desc: 'Only when it is made.', behaviour: :init_only },
    how: { type: 'Enum[fast, slow]', desc: 'A parameter.', behaviour: :parameter, default: 'fast' },
    seen: { type: 'Optional[String]', desc: 'Only read.', behaviour: :read_only }
  },
  autorequire: { file: '$name' }
)
