require 'puppet/provider/parsedfile'

Puppet::Type.type(:entry).provide(:parsed, parent: Puppet::Provider::ParsedFile, default_target: "#{Dir.pwd}/entries", filetype: :flat) do
  text_line :comment, match: /^\s*#/
  text_line :blank, match: /^\s*$/
  record_line :parsed, fields: %w[name value flags], optional: %w[flags], separator: /\s*:\s*/, joiner: ':', rollup: false,
                       post_parse: ->(record) { record[:flags] = record[:flags].split(',') unless record[:flags] == :absent },
                       pre_gen: ->(record) { record[:flags] = record[:flags].join(',') if record[:flags].is_a?(Array) }
  def self.header
    ''
  end
end
