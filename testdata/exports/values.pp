# Values of every kind as parameters of exported resources.
define thing($value = undef, $more = undef) { notify { "thing ${title}": } }
node 'source' {
  @@thing { 'integer': value => 9223372036854775807, more => -9223372036854775807 }
  @@thing { 'float': value => 0.1, more => [1.0, 1e20, -2.5e-3] }
  @@thing { 'boolean': value => false, more => [true, false] }
  @@thing { 'undef': value => undef, more => [undef, { 'a' => undef }] }
  @@thing { 'string': value => '', more => ['1', '01', 'true', 'undef', "a\u{0}b".regsubst('x', 'y'), "\t\r\n", 'ä€'] }
  @@thing { 'list': value => [], more => [[], [[]], [1, 'a', [2, 'b']]] }
  @@thing { 'hash': value => {}, more => { 'b' => 1, 'a' => { 'd' => [1], 'c' => {} }, '1' => 2 } }
  @@thing { 'keys': value => { 1 => 'one', 'two' => 2, true => 'yes' }, more => { [1, 2] => 'pair' } }
  @@thing { 'reference': value => File['/tmp/x'], more => [Class['settings'], Thing['list']] }
  @@thing { 'default': value => default, more => [default] }
  @@thing { 'regexp': value => /^a.*b$/, more => { 'r' => /x/ } }
  @@thing { 'type': value => Integer[1, 5], more => [Optional[String], Struct[{ 'a' => Integer }]] }
  @@thing { 'time': value => Timestamp('2026-01-02T03:04:05.678 UTC'), more => Timespan('1-02:03:04.5') }
  @@thing { 'version': value => SemVer('1.2.3-rc1'), more => SemVerRange('>=1.0.0 <2.0.0') }
  @@thing { 'binary': value => Binary('AAEC/w=='), more => [Binary('aGVsbG8=')] }
  @@thing { 'uri': value => URI('https://example.com:8140/a?b=c#d') }
  @@thing { 'symbol like': value => { '__ptype' => 'x' }, more => { '__pvalue' => 1 } }
}
node 'plain' {
  Thing <<| title == 'integer' or title == 'float' or title == 'boolean' or title == 'undef' or title == 'string' |>>
}
node 'nested' {
  Thing <<| title == 'list' or title == 'hash' |>>
}
node 'keys' { Thing <<| title == 'keys' |>> }
node 'references' { Thing <<| title == 'reference' |>> }
node 'rich' { Thing <<| title == 'default' or title == 'regexp' or title == 'type' or title == 'time' or title == 'version' or title == 'binary' or title == 'uri' |>> }
node 'by-integer' { Thing <<| value == 9223372036854775807 |>> }
node 'by-float' { Thing <<| value == 0.1 |>> }
node 'by-false' { Thing <<| value == false |>> }
node 'by-undef' { Thing <<| value == undef |>> }
node 'by-empty' { Thing <<| value == '' |>> }
