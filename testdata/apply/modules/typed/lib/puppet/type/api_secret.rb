require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'api_secret',
  desc: 'A file with a secret in it, named by folder and file.',
  title_patterns: [{ pattern: %r{^(?<place>.*)/(?<kind>[^/]+)$}, desc: 'folder and file' }],
  features: [],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    place: { type: 'String', desc: 'Its folder.', behaviour: :namevar },
    kind: { type: 'String', desc: 'Its file.', behaviour: :namevar },
    secret: { type: 'Optional[Sensitive[String]]', desc: 'What is in it.' },
    words: { type: 'Optional[Variant[Sensitive[Array[String]], Array[String]]]', desc: 'What is in it, too.' }
  }
)
