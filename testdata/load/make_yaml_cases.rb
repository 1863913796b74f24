# frozen_string_literal: true
# Makes yaml_cases.jsonl: what Ruby's Psych reads (safe_load with symbols and aliases, as Puppet reads Hiera data).
#   ruby make_yaml_cases.rb > yaml_cases.jsonl
require 'json'
require 'yaml'

def show(v)
  case v
  when nil then 'n'
  when true, false then v.to_s
  when Integer then "i#{v}"
  when Float then "f#{v}"
  when Symbol then "y#{v.to_s.to_json}"
  when String then v.dup.force_encoding('UTF-8').valid_encoding? ? v.dup.force_encoding('UTF-8').to_json : "x#{v.unpack1('H*')}"
  when Array then "[#{v.map { |e| show(e) }.join(',')}]"
  when Hash then "{#{v.map { |k, e| "#{show(k.is_a?(Symbol) ? k.to_s : k)}:#{show(e)}" }.join(',')}}"
  else v.class.name
  end
end

scalars = %w[a ~ null Null NULL nULL nul y Y yes Yes YES yEs no No NO n N on On off Off true True TRUE false False tRue trues
             0 1 -1 +1 12 1_000 1,000 1,0,0 1__0 1_ 1, _1 0_ 00 01 010 017 018 08 09 0o17 0b101 0b 0b_1 0b12 0x1F 0xg 0x_1 -0x1F +017 -017 1_000_000 12e3 1e3 1.5e3 1.5e+3 1.5E-3
             1.0 .5 -.5 +.5 1. -1. +1. . +. -. .e 1.2.3 1..2 0.1 00.1 1_0.5 1,0.5 1._5 1.5_0 .inf .Inf .INF -.inf +.inf .nan .NaN -.nan inf nan Infinity
             1:30 1:60 12:30:45 12:30:45:10 -1:30 1:5 1:05 01:02 1_0:30 190:20:30 1:30.5 1:30:15.25 1:30.5_0 1:.5 ab:cd 12:ab
             2020-01-01 2020-1-1 2020-13-01 2020-02-30 2021-02-29 2020-02-29 2020-00-10 2020-01-00 20200101 2020-01 2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43Z
             :sym :a:b :1 :"q" :'q' :"a\ b" : :: ::a a:b http://x/y -a +a =a <a @ !a /a/ |a \\ *.x ? ?a -- - --- 0- 1- 1a 0xzz 1:2:3:4 1.2.3.4 ::1 10.0.0.0/8 1-2 #a a#b a\ #b
             9223372036854775807 -9223372036854775808 0777777777777777777777 1.7976931348623157e+308 5e-324 1.0e+400 é ñ ß 日本 ~a a~ n~ no~ t f on: 012345678 0.0 -0.0 -0 +0 1e 1e+ 1e+5 .1e+5 1.e+5 100000000000000000000.0]
scalars += ['2001-12-14 21:59:43.10 -5', '2001-12-14 21:59:43', 'a b', '1 2', '1 000', 'yes no', '', ' ', 'a: b', '%{facts.x}', '"%{x}"', "'1'", '"1"', '!!str 1', '!!int "1"', '!!float 1', '!!float 1.5',
            '!!bool "yes"', '!foo 1', '! 1', '!!binary aGVsbG8=', '!!binary /wA=', '!ruby/sym foo', '!ruby/object:Foo {}', '!ruby/regexp /a/', '!ruby/range 1..2', '!!set {a, b}', '!!omap [a: 1]', '!ruby/class String',
            '!!null ""', '!!str', '!!timestamp 2020-01-01', '"\u00e9\x41\n\t\\"', "'it''s'", '"a\
  b"', '"a

  b"', '!!float abc']
texts = scalars.map { |s| "k: #{s}\n" } + scalars.map { |s| "- #{s}\n" }
texts += [
  '', "\n", '---', "--- \n...\n", "# only\n", '--- a', "---\na: 1\n---\nb: 2\n", "a: 1\n...\ngarbage: [\n", "a: 1\na: 2\nb: 3\na: 4\n", "{a: 1, 'b': [1, 2, {c: d}]}", '[]', '{}', "a:\n- 1\n- 2\n",
  "a: |\n  x\n  y\nb: >\n  x\n  y\n\n  z\nc: |-\n  x\nd: |+\n  x\n\ne: |2\n    x\n", "a: >-\n  1\n", "a: |-\n  yes\n",
  "x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\n  c: 4\n", "x: &x {a: 1, b: 2}\ny:\n  b: 3\n  c: 4\n  <<: *x\n", "x: &x {a: 1}\nw: &w {a: 2, b: 2}\ny:\n  <<: [*x, *w]\n", "y:\n  <<: {a: 1}\n  b: 2\n",
  "y:\n  <<: 1\n", "x: &x [1]\ny:\n  <<: *x\n", "x: &x 1\ny:\n  <<: *x\n", "y:\n  '<<': {a: 1}\n", "y:\n  !!str <<: {a: 1}\n", "x: &x {<<: {a: 1}, b: 2}\ny: {<<: *x}\n", "y: {<<: [{a: 1}, 2]}\n", "y: {<<: [[1]]}\n",
  "a: &a 1\nb: *a\n", "a: &a [1, 2]\nb: *a\nc: *a\n", "a: *x\n", "a: &x 1\nb: &x 2\nc: *x\n", "? a\n: b\n", "? [a, b]\n: c\n", "? {a: 1}\n: c\n", "1: a\n1.5: b\ntrue: c\n~: d\nyes: e\n:s: f\n", "1: a\n'1': b\n",
  "a: b\n c: d\n", "a:\n\t- b\n", "a: [1, 2\n", "a: {b: 1\n", "a: b: c\n", "- a\nb: c\n", "a: 'x\n", "a: \"\\q\"\n", "a: @x\n", "a: `x\n", "a: %x\n", "%YAML 3.0\n---\na\n", "%FOO\n---\na\n", "a: !<tag:x> b\n", "a: !!\n", "a: &\n", "a: *\n",
  "a: |\n   x\n  y\n", "a:\n  - b\n c\n", "a\nb: c\n", "- - a\n  - b\n- c\n", "a: [b, c,]\n", "a: [,]\n", "{a: 1}}", "a: ]\n", "a:b\n", "a: 'b' c\n", "\uFEFFa: 1\n", "a: \u0001\n", "a: \"\u0001\"\n", "a: \u00a0b\n", "key with spaces: v\n",
  "a: !foo [1]\n", "a: !foo {b: 1}\n", "a: !ruby/array:Foo [1]\n", "a: !ruby/object {b: 1}\n", "a: !ruby/hash:Foo {b: 1}\n", "a: !ruby/object:Hash {b: 1}\n", "a:   # comment\n  b\n", "a: b # comment\n", "a: b#c\n", "'a b': \"c\"\n", "a: !!map {b: 1}\n",
  "a: >\n  folded\n  text\n   more\n  end\n", "a: x\r\nb: y\r\n", "a: \"tab\\there \\u00e9 \\U0001F600 \\x41 \\0 \\e \\/ \\_ \\N \\L \\P\"\n", "- &a a\n- *a\n- &b {c: *a}\n- *b\n"
]
texts.each do |text|
  entry = { 'yaml' => text }
  begin
    entry['value'] = show(YAML.safe_load(text, permitted_classes: [Symbol], aliases: true, filename: 'F'))
  rescue StandardError, Psych::Exception => e
    entry['error'] = e.message
    entry['error'] = "(F): #{e.message}" if e.is_a?(Psych::DisallowedClass)
  end
  puts JSON.generate(entry)
end
