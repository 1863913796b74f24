# frozen_string_literal: true
# Types and values the case files are made of, as expressions of the language.
ALIASES = <<~'PP'
  type Port = Integer[0, 65535]
  type Absolute = Pattern[/^\//]
  type PortOrPath = Variant[Port, Absolute]
  type MaybePort = Optional[Port]
  type Ports = Array[Port, 1]
  type Entry = Struct[{name => String[1], Optional[port] => Port}]
  type Entries = Hash[String, Entry]
  type Tree = Array[Variant[Integer, Tree]]
  type Json = Variant[Scalar, Undef, Array[Json], Hash[String, Json]]
  type Word = Enum['up', 'down']
PP

TYPES = [
  'Any', 'Undef', 'Default', 'Scalar', 'ScalarData', 'Data', 'RichData', 'Numeric',
  'Integer', 'Integer[1, 10]', 'Integer[0]', 'Integer[default, 5]', 'Integer[5, 5]', 'Float', 'Float[1.5, 2.5]', 'Float[0.0]', 'Float[default, 1]',
  'Boolean', 'Boolean[true]', 'Boolean[false]', 'String', 'String[1]', 'String[2, 4]', 'String[0, 0]', 'String[default, 3]',
  'Enum', "Enum['a']", "Enum['a', 'b']", "Enum['b', 'A', true]", "Enum['b', 'a']", 'Pattern', 'Pattern[/^a/]', 'Pattern[/a/, /b/]', 'Regexp', 'Regexp[/a/]', "Regexp['b']",
  'Collection', 'Collection[1]', 'Collection[0, 2]', 'Array', 'Array[Integer]', 'Array[Integer, 1]', 'Array[String, 0, 2]', 'Array[0, 0]', 'Array[Array[Integer]]', 'Array[Any, 2]', 'Array[1, 3]',
  'Array[Variant[Integer, String]]', 'Array[Data]', 'Hash', 'Hash[String, Integer]', 'Hash[String, Integer, 1, 2]', 'Hash[0, 0]', 'Hash[Integer, String]', 'Hash[String[1], Any, 1]', 'Hash[1, 2]',
  'Tuple', 'Tuple[Integer]', 'Tuple[Integer, String]', 'Tuple[Integer, 1, 3]', 'Tuple[Integer, String, 0, 2]', 'Tuple[Integer, String, 1]', 'Tuple[Any, 1]',
  'Struct', 'Struct[{a => Integer}]', 'Struct[{a => Integer, b => String}]', "Struct[{Optional['a'] => Integer}]", 'Struct[{a => Optional[Integer]}]', "Struct[{NotUndef['a'] => Optional[Integer]}]",
  "Struct[{Optional['a'] => Integer, Optional['b'] => String}]", 'Struct[{a => Struct[{b => Integer}]}]', "Struct[{'a b' => Any, c => NotUndef}]",
  'Variant', 'Variant[Integer, String]', 'Variant[Integer, Undef]', "Variant[Enum['a'], Enum['b']]", 'Variant[Array[Integer], Integer]', 'Variant[String[1], Integer[0, 5], Integer[3, 9]]', 'Variant[Boolean, Undef, Default]',
  'Optional', 'Optional[Integer]', "Optional['a']", 'Optional[Optional[String]]', 'Optional[Variant[Integer, Boolean]]', 'Optional[Any]', 'NotUndef', 'NotUndef[Integer]', 'NotUndef[Optional[String]]', "NotUndef['a']", 'NotUndef[Any]',
  'Type', 'Type[Integer]', 'Type[Type]', 'Type[Type[Integer]]', 'Type[Any]', 'Type[Enum]', 'Type[Resource]', "Type[File]",
  'Callable', 'Callable[Integer]', 'Callable[0, 0]', 'Callable[String, Integer]', 'Callable[Integer, 1, 2]', 'Callable[Callable]', 'Callable[Integer, Callable[String]]', 'Callable[Integer, Optional[Callable]]',
  'Callable[[Integer], String]', 'Callable[[], String]', 'Callable[[String, 1, 3], Integer]', 'Callable[1, 2]', 'Callable[Any, 0]', 'Callable[[0, 0], Integer]', 'Callable[Optional[Integer]]',
  'Iterable', 'Iterable[Integer]', 'Iterable[String]', 'Iterable[Tuple[String, Integer]]', 'Iterable[Any]', 'Iterator', 'Iterator[Integer]', 'Sensitive', 'Sensitive[String]', 'Sensitive[Integer[1, 2]]', 'Sensitive[Any]',
  'Binary', 'Timestamp', "Timestamp['2020-01-01']", "Timestamp['2020-01-01', '2021-01-01']", 'Timestamp[default, 0]', 'Timespan', "Timespan['1:00.0']", 'Timespan[1, 10]', 'Timespan[default, 90]', 'Timespan[{hours => 2}]',
  'SemVer', "SemVer['>=1.0.0 <2.0.0']", "SemVer['1.x', '3.x']", "SemVer['1.2.3']", 'SemVerRange', 'URI', "URI['http://a.b/c']", "URI[{scheme => 'http'}]", 'URI[{scheme => Enum[http, https], path => /^.a/}]',
  'Init', 'Init[Integer]', 'Init[Timestamp]', 'Init[Integer, 16]', 'Runtime', "Runtime['ruby', 'Integer']", "Runtime['ruby', 'Symbol']", 'TypeReference', "TypeReference['Foo[1]']",
  'Resource', 'File', "File['/a']", "Resource['file']", "Resource['foo::bar', 'x']", 'Notify', 'Class', "Class['a']", "Class['a::b']", "Class['::A']", 'CatalogEntry', 'Object', 'TypeSet', 'TypeAlias', 'Deferred', 'Error',
  'Foo', 'Foo::Bar', 'Port', 'Absolute', 'PortOrPath', 'MaybePort', 'Ports', 'Entry', 'Entries', 'Tree', 'Json', 'Word', 'Array[Tree]', 'Optional[Json]', 'Array[Port]', 'Variant[Port, Undef]'
].freeze

VALUES = [
  'undef', 'default', 'true', 'false', '0', '1', '5', '-1', '42', '9223372036854775807', '1.0', '1.5', '-0.5', '1e10', '2e-7', '1e20',
  "''", "'a'", "'A'", "'b'", "'B'", "'abc'", "'ab'", "'åäö'", "'1'", "'0x1F'", "'1.0.0'", "'true'", '"a\nb"', '"it\'s"', "'http://x.y/z'", "'/tmp'", "'up'", '"q\"$x"' .sub('$', '\\$'), "'b\\\\s'",
  '/a/', '/^a.*b$/', '/b/', '/a\/b/', '[]', '[1]', '[1, 2]', '[1, 2, 3]', "['a']", "['a', 'b']", "[1, 'a']", '[[]]', '[[1], [2]]', "[[1], ['a']]", '[undef]', '[1, undef]', '[1, 1.5]', '[{a => 1}]', '[true, false]', '[default]', "['a', true]", '[/a/, 1]',
  '[Integer, String]', '[[1, [2, [3]]], 4]', "[Sensitive('x')]", '{}', '{a => 1}', "{a => 1, b => 'x'}", '{a => undef}', '{1 => 2}', '{a => {b => 1}}', '{a => [1]}', "{'' => 1}", '{[1] => 2}', '{a => 1, 2 => 3}', "{b => 'x'}", "{name => 'n'}",
  "{name => 'n', port => 80}", "{name => '', port => -1}", "{x => {name => 'n'}}", "{x => {port => 'a'}}", '{a => 1, b => 2, c => 3}', "{'a b' => 1, c => undef}",
  'Integer', 'String', 'Any', 'Array[Integer]', 'Type', "File['/a']", 'File', "Class['a']", 'Integer[1, 3]', 'Integer[1]', "Enum['a', 'b']", 'Optional[Integer]', 'Port', 'Foo',
  "Sensitive('x')", 'Sensitive(1)', "Binary('YWJj')", "Timestamp('2020-01-01')", "Timestamp('2020-06-01T10:00:00')", "Timespan('1:30.5')", 'Timespan(5)', 'Timespan(-1.5)', "SemVer('1.2.3')", "SemVer('1.2.3-rc1')", "SemVerRange('1.x')", "URI('http://a.b/c')",
  "URI('https://u@h:99/a?b#c')", "Deferred('f', [1])", "Error('x')"
].freeze

# Parameters tried on every type.
PARAMETERS = [
  '', '1', '-1', '1, 2', '2, 1', '1, 2, 3', '1, 0.5', "'a'", "''", "'a', 'b'", "'a', 1", '1.5', 'default', 'default, default', 'default, 5', '1, default', 'undef', 'true', "'a', true", 'true, false', '/a/', "/a/, 'b'", '[1]', '[1, 2]', '[]', "[['a']]",
  '{}', '{a => Integer}', "{a => 1}", '{1 => Integer}', "{'' => Integer}", "{Optional['a'] => String}", "{Optional[a] => String, b => Optional[Integer]}", '{Integer => String}', "{Enum[a] => String}", "{Enum[a, b] => String}", "{'scheme' => 'http'}",
  "{'schema' => 'http'}", 'Integer', 'Integer, String', 'Integer, 1', 'Integer, 1, 2', 'Integer, 2, 1', 'Integer, default, 2', "Integer, 'a'", "Integer, 1, 'a'", 'Integer, Integer[1, 2]', 'Integer, String, 1', 'Integer, String, 1, 2', 'Integer, String, 1, 2, 3',
  'Integer, String, Integer[1, 2]', 'Integer[1, 2]', 'Integer[1, 2], Integer', 'Callable', 'Integer, Callable', 'Callable, Callable', 'Integer, 1, Callable', 'Optional[Callable]', '[Integer], String', "[Integer], 'a'", '[Integer], String, Integer', '[], Integer',
  '[Integer, Callable], String', 'Optional[String]', 'Variant[Integer, Undef]', 'Any', 'Undef', 'Unit', 'File', "File['x']", "'file'", "'file', 'x'", "'file', 'x', 'y'", "'file', 1", "File, ['x', 'y']", "'a::b'", "'A::B'", "'::a'", "'a b'", "['a', 'b']",
  "Foo", "Foo[1]", 'Port', 'Tree', "Pattern[/a/]", "Regexp[/a/]", "Enum[a]", "Sensitive('x')", "'1.x'", "'1.x', '2.x'", "'>=1.0.0'", "'2020-01-01'", "'2020-01-01', '2019-01-01'", "'1:00', '2:00'", "'ruby', 'x'", "'http://x'", "{hours => 1}", 'Integer, undef',
  "SemVerRange('1.x')", "Timestamp('2020-01-01')", 'Timespan(1)', "URI('http://x')"
].freeze
NOT_PARAMETERISED = %w[Any Undef Default Scalar ScalarData Data RichData Numeric Binary SemVerRange CatalogEntry Deferred Foo Port Tree TypeReference].freeze
PARAMETERISED = %w[Integer Float Boolean String Enum Pattern Regexp Collection Array Hash Tuple Struct Variant Optional NotUndef Type Callable Iterable Iterator Sensitive Timestamp Timespan SemVer URI Init Runtime Resource File Class Error].freeze
