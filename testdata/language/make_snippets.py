#!/usr/bin/env python3
"""Makes the snippets of this folder: make_snippets.py SNIPPETS_PY adds what is missing to the .jsonl files (answers come by its `update`)."""

import itertools
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {}


def add(file, code, **settings):
    entry = {"code": code}
    if settings:
        entry["settings"] = settings
    FILES.setdefault(file, []).append(entry)


# One operand of each kind, and a few edge values.
KINDS = {
    "int": "7", "zero": "0", "negative": "-3", "float": "2.5", "string": "'abc'", "empty": "''", "numeric": "'12'", "hex": "'0x1F'", "octal": "'017'", "float_text": "'1.5e1'",
    "padded": "' 5 '", "true": "true", "undef": "undef", "default": "default", "array": "[1, 'b']", "no_array": "[]", "nested": "[[1, 2], [3]]", "hash": "{'a' => 1}", "no_hash": "{}",
    "regex": "/a.c/", "type": "Integer", "type2": "Integer[1, 5]", "reference": "File['/x']", "sensitive": "Sensitive('s')", "timestamp": "Timestamp('2020-02-03T04:05:06 UTC')",
    "timespan": "Timespan('1-02:03:04')", "semver": "SemVer('1.2.3')", "range": "SemVerRange('>=1.0.0 <2.0.0')", "binary": "Binary('YWJj')", "uri": "URI('http://example.com/a?b#c')",
    "lambda_result": "[3, 1].map |$x| { $x * 2 }", "unicode": "'äö€'", "max": "9223372036854775807", "deferred": "Deferred('upcase', ['a'])", "error": "Error('msg')",
}


def operators():
    core = ["int", "float", "string", "numeric", "undef", "array", "hash", "type", "sensitive", "timestamp", "timespan", "semver", "binary", "default", "regex", "true"]
    arithmetic = ["+", "-", "*", "/", "%", "<<", ">>"]
    for op in arithmetic:
        for a in core:
            for b in ["int", "string", "array", "hash", "undef", "timespan"] if op in "%>>*/" else ["int", "float", "numeric", "string", "array", "hash", "undef", "timestamp", "timespan", "semver", "type"]:
                add("operators", f"notice({KINDS[a]} {op} {KINDS[b]})")
    for a, b in [("max", "int"), ("negative", "int"), ("hex", "octal"), ("padded", "int"), ("float_text", "int"), ("zero", "float"), ("int", "zero"), ("float", "zero"), ("nested", "array"),
                 ("no_hash", "array"), ("hash", "nested"), ("array", "hash"), ("uri", "string"), ("uri", "uri"), ("binary", "binary"), ("lambda_result", "array"), ("range", "int")]:
        for op in arithmetic:
            add("operators", f"notice({KINDS[a]} {op} {KINDS[b]})")
    for k, v in KINDS.items():
        add("operators", f"notice(-({v}))")
        add("operators", f"notice(!{v})")
        add("operators", f"notice({v} and true, false or {v})")
        add("operators", f"$x = {v} notice(-$x)")
    add("operators", "notice(1 + 2 * 3 - 4 / 2 % 3 << 1 >> 1)")
    add("operators", "notice(!true == false, !(true == false))")
    add("operators", "notice(1 < 2 == true, 1 in [1] == true)")


def comparisons():
    kinds = list(KINDS)
    for a in kinds:
        for b in ["int", "float", "string", "numeric", "empty", "array", "hash", "type", "type2", "undef", "default", "true", "timestamp", "timespan", "semver", "sensitive", "binary", "regex"]:
            add("comparisons", f"notice({KINDS[a]} == {KINDS[b]}, {KINDS[a]} != {KINDS[b]})")
    for a in kinds:
        for b in ["int", "string", "type", "timespan", "semver", "array"]:
            add("comparisons", f"notice({KINDS[a]} < {KINDS[b]})")
            add("comparisons", f"notice({KINDS[a]} >= {KINDS[b]})")
    for pair in [("'a'", "'A'"), ("'Ab'", "'aB'"), ("'ä'", "'Ä'"), ("[1, 'A']", "[1.0, 'a']"), ("{'A' => 'B'}", "{'A' => 'b'}"), ("{a => 1, b => 2}", "{b => 2, a => 1}"), ("1", "1.0"),
                 ("SemVer('1.0.0')", "SemVer('1.0.0-rc1')"), ("Timespan(60)", "60"), ("Timestamp(0)", "0.0"), ("Integer[1,2]", "Integer[0,3]"), ("/a/", "/a/"), ("/a/", "/A/"), ("'10'", "'9'"),
                 ("'B'", "'a'"), ("'_'", "'A'")]:
        for op in ["==", "!=", "<", "<=", ">", ">=", "in"]:
            add("comparisons", f"notice({pair[0]} {op} {pair[1]})")


def matching():
    types = ["Any", "Undef", "Scalar", "ScalarData", "Data", "RichData", "Numeric", "Integer", "Integer[0, 10]", "Float", "String", "String[1]", "String[2, 3]", "Boolean", "Boolean[true]", "Enum['abc', '']",
             "Enum['ABC', true]", "Pattern[/b/]", "Regexp", "Regexp[/a.c/]", "Collection", "Collection[1]", "Array", "Array[Integer]", "Array[Any, 1, 2]", "Hash", "Hash[String, Integer]", "Hash[0, 0]", "Tuple",
             "Tuple[Integer, String]", "Struct", "Struct[{a => Integer}]", "Struct[{Optional[b] => Any}]", "Variant[Integer, String]", "Optional[String]", "NotUndef", "NotUndef[Integer]", "Type", "Type[Numeric]",
             "Callable", "Iterable", "Iterable[Integer]", "Iterator", "Sensitive", "Sensitive[String]", "Binary", "Timestamp", "Timespan", "SemVer", "SemVer['>=1.0.0']", "SemVerRange", "URI", "Init[Integer]",
             "Runtime", "CatalogEntry", "Resource", "File", "Class", "Default", "Object", "Deferred", "Error", "TypeSet"]
    values = ["7", "2.5", "'abc'", "''", "true", "undef", "default", "[1, 'b']", "[]", "{'a' => 1}", "{}", "/a.c/", "Integer", "File['/x']", "Sensitive('s')", "Timestamp(0)", "Timespan(1)", "SemVer('1.2.3')",
              "SemVerRange('1.x')", "Binary('YQ==')", "URI('http://a')", "Deferred('f')", "Error('m')"]
    for t in types:
        tests = ", ".join(f"{v} =~ {t}" for v in values)
        add("matching", f"notice({tests})")
        tests = ", ".join(f"{t} in [{v}]" if i % 2 else f"[{v}] in {t}" for i, v in enumerate(values[:4]))
        add("matching", f"notice({t} in [1, 'a'], {t} in 'x', {t} in {{a => 1}})")
        add("matching", f"notice({t}, {t} =~ Type[{t}], type({t}), {t} == {t})")
        add("matching", f"case 'abc' {{ {t}: {{ notice('yes') }} default: {{ notice('no') }} }}")
        add("matching", f"$r = [1, b] ? {{ {t} => 'yes', default => 'no' }} notice($r)")
        add("matching", f"notice(assert_type({t}, 7))")
        add("matching", f"function f({t} $x) {{ $x }} notice(f('abc'))")
        add("matching", f"{t} $v = 5 notice($v)" if False else f"with([1]) |{t} $v| {{ notice($v) }}")
    for v in KINDS.values():
        for pattern in ["/b/", "'b'", "'['", "Integer", "[1]", "SemVerRange('1.x')", "undef"]:
            add("matching", f"notice({v} =~ {pattern})")
        add("matching", f"notice({v} !~ /b/)")
        add("matching", f"notice(1 in {v}, 'a' in {v}, 'B' in {v})")
        add("matching", f"notice({v} in [{v}], {v} in 'xabcx')")
        add("matching", f"case {v} {{ 1: {{ notice(1) }} 'ABC': {{ notice(abc) }} /a(.)/: {{ notice(\"m $0 $1\") }} default: {{ notice(d) }} }}")
        add("matching", f"notice({v} ? {{ undef => u, default => d }}, {v} ? {{ {v} => same, default => other }})")
        add("matching", f"notice({v} ? {{ 'x' => 1 }})")
    for code in ["notice('a1b22' =~ /([a-z])(\\d)/, $0, $1, $2, $3)", "if 'ab' =~ /(?<n>b)/ { notice($1) } notice($1)", "$x = 'abc' ? { /(b)(c)/ => \"$1-$2\" } notice($x)", "notice($0)", "$0 = 1",
                 "case 'x' { 'a', 'b', 'x': { notice('list') } }", "case 'x' { *['a', 'x']: { notice('splat') } }", "case [1, 2] { [1, Integer]: { notice('structure') } }",
                 "case {a => 'x1'} { {a => /x(.)/}: { notice(\"in $1\") } }", "case 'x' { default: { notice(1) } 'x': { notice(2) } }", "notice('x' ? { *['a', 'x'] => 1, default => 2 })",
                 "notice('x' ? { default => 2, 'x' => 1 })", "notice('x' ? { default => 1, default => 2 })", "case 1 { default: {} default: {} }", "notice(5 ? { Integer[0, 4] => low, Integer[5] => high })",
                 "case undef { undef: { notice(u) } '': { notice(e) } }", "case '' { undef: { notice(u) } '': { notice(e) } }", "notice(case 1 { 1: { 'value' } })", "notice(if true { 1 } else { 2 })",
                 "notice(unless true { 1 } else { 2 })", "$y = if false { 1 } notice($y)", "notice([1, 2] =~ Array[Integer, 2, 2])", "notice('a' =~ Nosuch)", "case 1 { Nosuch: {} }", "notice('äö' =~ /^\\w+$/)",
                 "notice(\"a\\nb\" =~ /a$/, \"a\\nb\" =~ /a.b/, \"a\\nb\" =~ /(?m:a.b)/)"]:
        add("matching", code)


def access():
    keys = ["0", "-1", "5", "'a'", "'0'", "1, 2", "0, -1", "-2, 2", "1, 2, 3", "undef", "default", "2.5", "[0]", "Integer", "true", "{}", "/a/", "*[0, 1]", "1, 'x'"]
    for name, v in KINDS.items():
        if name in ("zero", "negative", "hex", "octal", "float_text", "padded", "empty", "no_hash", "range", "max"):
            use = keys[:4]
        elif name in ("string", "array", "hash", "type", "binary", "nested", "unicode", "lambda_result", "reference"):
            use = keys
        else:
            use = keys[:6] + keys[9:11]
        for k in use:
            add("access", f"$v = {v} notice($v[{k}])")
    for code in ["notice('hello'[1, 3], 'hello'[-3, 2], 'hello'[10], 'hello'[5], 'hello'[0, 100], 'hello'[2, 0])", "notice([1, 2, 3][1, -1], [1, 2, 3][-2, 5], [1, 2, 3][3, 1], [1, 2, 3][4, 1])",
                 "notice({a => {b => [1, {c => 'deep'}]}}['a']['b'][1]['c'])", "notice({a => 1}[a][b])", "notice([1][0][0][0])", "$a = {} notice($a[x][y])", "notice({'a' => 1, 'b' => 2}['a', 'b', 'c'])",
                 "notice({1 => a, 1.0 => b}[1], {1 => a, 1.0 => b}[1.0])", "notice({undef => a}[undef])", "notice({[1] => a}[[1]])", "notice({Integer => a}[Integer])", "notice('abc'['x'])", "notice([1]['x'])",
                 "notice('abc'[])", "notice([][])", "file { '/x': mode => '0644', owner => root } notice(File['/x']['mode'], File['/x'][owner, mode])", "notice(File['/nope']['mode'])",
                 "file { '/x': } notice(File['/x']['nope'])", "class a($p = 1) {} include a notice(Class[a][p], Class['a']['p'])", "class a {} include a notice(Class[a]['q'])", "notice(File['a', 'b'])", "notice(File[['a', 'b']])",
                 "notice(File[''])", "notice(File[undef])", "notice(File[1])", "notice(File[default])", "notice(Resource[file])", "notice(Resource['file', 'a'])", "notice(Resource[File, a, b])", "notice(Resource[1])",
                 "notice(Class[1])", "notice(Class['A'])", "notice(Class['a', 'b'])", "notice(Class['9x'])", "notice(Class[])", "notice(Resource[])", "notice(File[])", "notice(Nosuch[a])", "notice(nosuch[a])", "notice($x[0])",
                 "notice(File['a'] == File['a'], File['a'] == Resource['file', 'a'], Class['x'] == Class['::x'])", "notice(Notify[a][b][c])"]:
        add("access", code)


def type_expressions():
    forms = {
        "Integer": ["1, 2", "2, 1", "default, 5", "5, default", "'a'", "1, 2, 3", "'1'", "1.5", "default", "default, default", "undef", "-5, -1", "*[1, 3]", "[1, 2]", "Integer"],
        "Float": ["1.0, 2.0", "1, 2", "2.0, 1.0", "default, 1.5", "'a'", "1, 2, 3"],
        "String": ["1, 2", "2, 1", "'a'", "1, 2, 3", "default, 3", "Integer[1, 2]", "-1", "1.0", "undef", "default"],
        "Boolean": ["true", "false", "1", "'true'", "true, false"],
        "Enum": ["'a'", "'a', 'b'", "['a', 'b']", "1", "'a', 1", "'a', true", "'b', 'a', false", "undef", "''", "true"],
        "Pattern": ["/a/", "'a'", "/a/, 'b'", "Regexp[/a/]", "1", "Pattern[/x/]", "'['", "[/a/]", "undef"],
        "Regexp": ["/a/", "'a'", "1", "/a/, /b/", "'['", "undef"],
        "Array": ["Integer", "Integer, 1", "Integer, 1, 2", "Integer, 2, 1", "1", "1, 2", "'a'", "Integer, 'a'", "Integer, 1, 2, 3", "Integer, Integer[1, 2]", "undef", "Integer, default, 2", "default", "[Integer]"],
        "Hash": ["String, Integer", "String", "String, Integer, 1", "String, Integer, 1, 2", "1, 2", "1", "'a', 'b'", "String, Integer, 1, 2, 3", "Integer, 1", "undef, 1", "String, Integer, 'x'"],
        "Collection": ["1", "1, 2", "'a'", "1, 2, 3", "Integer", "2, 1"],
        "Tuple": ["Integer", "Integer, String", "Integer, 1", "Integer, 1, 2", "Integer, 2, 1", "1", "'a'", "Integer, 'a'", "Integer, 0, 0", "Integer, default", "Integer, String, 1, 5", "undef"],
        "Struct": ["{a => Integer}", "{Optional[a] => Integer}", "{NotUndef[a] => Integer}", "{'' => Integer}", "{1 => Integer}", "{a => 1}", "1", "{a => Integer}, 1", "{}", "[a]", "{Optional['a'] => Optional[Integer]}",
                   "{Integer => Integer}", "{a => undef}"],
        "Variant": ["Integer", "Integer, String", "1", "Integer, 1", "'a'", "Variant[Integer, String], Float", "Integer, Integer", "undef", "[Integer, String]", "Undef, String", "Enum[a], Enum[b]", "Integer[1, 2], Integer[3, 4]"],
        "Optional": ["Integer", "'a'", "1", "Integer, String", "Optional[Integer]", "undef", "Any", "Undef"],
        "NotUndef": ["Integer", "'a'", "1", "Integer, String", "Optional[Integer]", "Undef", "Any"],
        "Type": ["Integer", "1", "'a'", "Integer, String", "Type[Integer]", "Any", "Resource", "undef"],
        "Callable": ["Integer", "Integer, 1, 2", "0, 0", "Integer, Callable", "Callable", "[Integer], String", "[Integer, String], Integer", "1", "'a'", "Integer, 'a'", "Integer, 2, 1", "Integer, 1, default, Callable",
                     "[0, 0], Integer", "Optional[Callable]", "String, Optional[Callable[Integer]]", "[], undef"],
        "Iterable": ["Integer", "1", "Integer, String", "'a'"],
        "Iterator": ["Integer", "1", "Integer, String"],
        "Sensitive": ["String", "1", "String, Integer", "'a'", "Sensitive[String]"],
        "Timestamp": ["'2000-01-01'", "'2000-01-01', '2001-01-01'", "default, '2001-01-01'", "1, 2", "'bad'", "Timestamp(0)", "1, 2, 3", "[1]", "'2001-01-01', '2000-01-01'"],
        "Timespan": ["'0-01:00:00'", "1, 2", "{hours => 1}", "'bad'", "Timespan(1)", "1, 2, 3", "default, 5", "5, 1"],
        "SemVer": ["'1.x'", "'>=1.0.0', '2.x'", "'bad'", "1", "SemVerRange('1.x')", "'1.0.0'", "undef"],
        "SemVerRange": ["1"], "Binary": ["1"], "Any": ["1"], "Undef": ["1"], "Scalar": ["1"], "Data": ["1"], "Numeric": ["1"], "Default": ["1"], "ScalarData": ["Integer"], "RichData": ["1"], "CatalogEntry": ["1"],
        "URI": ["'http://a'", "{scheme => 'http'}", "{port => Integer}", "1", "{nope => 1}", "'a', 'b'"],
        "Init": ["Integer", "1", "Integer, 16", "Array, true", "Nosuch", "Integer, 'a'", "undef", "default"],
        "Runtime": ["'ruby', 'Symbol'", "'ruby'", "1", "'ruby', [/a/, 'b']", "'x', 'y', 'z'"],
        "TypeReference": ["'Foo[1]'", "1", "'a', 'b'"],
        "TypeAlias": ["'Foo', Integer", "1"],
        "Object": ["{}", "1", "{attributes => {a => Integer}}", "{name => 'Foo', attributes => {a => Integer}}", "{attributes => {a => 1}}", "{attributes => {'A' => Integer}}", "{nope => 1}", "{functions => {f => Callable}}",
                   "{functions => {f => Integer}}", "{attributes => {a => Integer}, functions => {a => Callable}}", "{constants => {c => 1}}", "{attributes => {a => Integer}, constants => {a => 1}}", "{parent => Integer}",
                   "{equality => 'a'}", "{attributes => {a => Integer}, equality => [a]}", "{attributes => {a => {type => Integer, value => 'x'}}}", "{attributes => {a => {type => Integer, kind => constant}}}",
                   "{attributes => {a => {type => Integer, kind => nope}}}", "{attributes => {a => {type => Integer, kind => derived, value => 1}}}", "{}, 1", "{name => 'lower'}", "{type_parameters => {p => Integer}, attributes => {p => Integer}}"],
        "TypeSet": ["{}", "1", "{version => '1.0.0'}", "{pcore_version => '1.0.0', version => '1.0.0'}", "{pcore_version => '1.0.0', version => '1.0.0', types => {A => Integer}}",
                    "{pcore_version => '1.0.0', version => 'bad', types => {A => Integer}}", "{pcore_version => '1.0.0', version => '1.0.0', types => {a => Integer}}", "{pcore_version => '2.0.0', version => '1.0.0', types => {A => Integer}}"],
        "Deferred": ["1"], "Error": ["'k'", "'k', 'i'", "1", "Enum[a]", "'k', 'i', 'x'"],
    }
    for name, parameters in forms.items():
        add("type_expressions", f"notice({name})")
        add("type_expressions", f"notice({name}[])")
        for p in parameters:
            add("type_expressions", f"notice({name}[{p}])")
            add("type_expressions", f"type T = {name}[{p}] notice(T, 1 =~ T)")
            if len(p) < 24:
                add("type_expressions", f"function f({name}[{p}] $x) {{ }} f('zz')")
    for code in ["Integer[1,2].each |$x| { notice($x) }", "notice(type(1), type('a'), type([1, 'a']), type({a => 1}), type(undef), type(default), type(/a/), type(Integer), type(1.5), type(true))",
                 "notice(type([1, 2.5, 'a'], generalized), type([1, 2.5, 'a'], reduced), type([1, 2.5, 'a'], detailed))", "notice(type({a => {b => [1]}}, detailed))", "notice(type([], detailed), type({}), type(''), type([[]]))",
                 "notice(Integer <= Numeric, Integer < Integer, Integer[1, 2] < Integer, String > Enum[a], Any >= Undef)", "notice(Integer == Integer[default, default])", "notice(String[0] == String, Array[Any] == Array)",
                 "type A = Integer type B = A notice(A, B, A == B, A == Integer, 5 =~ B)", "type A = Variant[Integer, Array[A]] notice([1, [2, [3]]] =~ A, [1, ['x']] =~ A)", "type A = A notice(A)", "type A = B type B = A notice(1 =~ A)",
                 "type A = Optional[A] notice(A)", "type A = Hash[String, Variant[String, A]] notice({a => {b => c}} =~ A, A)", "type Integer = String", "type A = Integer type A = String", "type a = Integer", "type A::B = Integer notice(A::B)",
                 "type A = 1", "type A = 'x'", "type A = $x", "type A = Array[$x]", "type A = Integer[1 + 1] notice(A)", "type A = Nosuch notice(1 =~ A)", "type A = Nosuch[1] notice(A)", "notice(Nosuch)", "notice(Nosuch::Deep)", "notice(1 =~ Nosuch[1])",
                 "type A = Integer[0] function f(A $x) { } f(-1)", "type A = Variant[Integer, Float] class c(A $x) { } class { 'c': x => 'a' }", "type A = Struct[{a => Integer, b => Optional[String]}] function f(A $x) {} f({b => 1})",
                 "type A = Enum[a, b] define d(A $x) {} d { 't': x => 'c' }", "type P = Pattern[/^a/] with('b') |P $x| { }", "type A = Tuple[Integer, String] with([1]) |A $x| { }", "Integer.new('x')", "notice(Integer('0x10', 16), Integer('10', 2), Float('1.5'), String(5, '%x'), Boolean('yes'))",
                 "notice(Integer({from => '1', nope => 2}))", "notice(Array({a => 1}), Array('a', true), Hash([[a, 1]]), Hash([a, 1]), Tuple([1, 2]), Struct({a => 1}))", "notice(Array(5))", "notice(Hash(5))", "notice(Hash([1, 2, 3]))",
                 "notice(Optional[Integer]('5'), NotUndef[Integer]('6'), Variant[Integer, Float]('5'))", "notice(Type('Integer[1, 2]'))", "notice(Type('bad['))", "notice(Enum[a]('a'))", "notice(Enum[a]('b'))", "notice(Integer[0, 5]('9'))",
                 "notice(Data(1))", "notice(Undef(1))", "notice(Scalar(1))", "notice(Callable(1))", "notice(Default(1))", "notice(Pattern[/a/]('a'))", "notice(Regexp('a.b'), Regexp('a.b', true))", "notice(Iterable([1]))", "notice(Iterator([1]))",
                 "notice(Init[Integer]('5'), Init[Integer, 16]('ff'))", "notice(Sensitive(1), Sensitive(Sensitive(1)))", "notice(Sensitive.new('a').unwrap)", "notice(Resource('file', 'a'))", "notice(File('a'))", "notice(Class('a'))"]:
        add("type_expressions", code)


def objects():
    car = "type Car = Object[{attributes => {wheels => Integer, name => {type => String, value => 'car'}}}] "
    for code in ["$c = Car(4) notice($c)", "notice(Car(4, 'x'), Car({wheels => 3}), Car.new(4).wheels)", "notice(Car(4) == Car(4), Car(4) == Car(5), Car(4) == Car({wheels => 4, name => car}))", "notice(Car(4).name)", "notice(Car)", "notice(type(Car(4)))",
                 "notice(Car(4).nope)", "notice(Car(4).wheels(1))", "notice(Car())", "notice(Car('a'))", "notice(Car(1, 2))", "notice(Car(1, 'a', 3))", "notice(Car({wheels => 'a'}))", "notice(Car({wheels => 1, nope => 2}))", "notice(Car({}))",
                 "notify { 'x': message => Car(4) }", "notify { 'x': message => [Car(4), {a => Car(5, 'b')}] }", "notify { 'x': message => Car }", "notice(\"${Car(4)}\")", "notice(\"$Car\")", "$c = Car(4) notice(\"${c.wheels} ${$c.name}\")",
                 "notice(Car(4)['wheels'])", "notice(Car(4)[0])", "notice(Car[4])", "notice(Car(4) + 1)", "notice(Car(4) =~ Object, Car =~ Type[Object], Car(4) =~ Car, 4 =~ Car)", "function f(Car $c) { $c.wheels } notice(f(Car(7)))",
                 "function f(Car $c) { $c.wheels } notice(f(7))", "case Car(4) { Car: { notice('car') } default: { notice('no') } }", "notice(Car(4) in [Car(4)])", "$h = {Car(4) => 1} notice($h[Car(4)])", "notice([Car(4), Car(4)].unique)",
                 "notice(Car(4).then |$x| { $x.wheels })", "notice([Car(1), Car(2)].map |$c| { $c.wheels })", "notice(String(Car(4)), String(Car(4), '%p'))", "notice(Car(4) < Car(5))", "notice(getvar('x'), Car(4).dig('wheels'))",
                 "Car.new(4) |$c| { notice($c.wheels) }", "notice(Car <= Object, Car < Car, Object > Car)", "$c = Car(4) $c.wheels = 5", "notice(assert_type(Car, 1))", "notice(Sensitive(Car(4)))", "notice(Integer(Car(4)))", "notice(Array[Car])", "notice(Array[Car] == Array[Car])",
                 "type Cars = Array[Car] notice([Car(1)] =~ Cars)", "notice(!Car(4), Car(4) ? { Car => y, default => n })", "class c(Car $x) { notice($x.name) } class { c: x => Car(4) }", "class c(Car $x) { } class { c: x => 1 }"]:
        add("objects", car + code)
    two = "type Base = Object[{attributes => {a => Integer}}] type Derived = Object[{parent => Base, attributes => {b => {type => String, value => 'q'}}}] "
    for code in ["notice(Derived(1), Derived(1, 'x'), Derived({a => 1}))", "notice(Derived(1) =~ Base, Base(1) =~ Derived, Derived < Base, Base < Derived)", "notice(Derived(1).a, Derived(1).b)", "notice(Derived)", "notice(Derived(1) == Base(1))", "notice(Derived('x'))",
                 "notify { x: message => Derived(1, z) }", "notify { x: message => Derived }", "notice(Derived())", "notice(type([Derived(1), Base(2)]))", "notice(Derived({a => 1, b => 2}))"]:
        add("objects", two + code)
    for body in ["attributes => {a => Integer}, equality => []", "attributes => {a => Integer, b => Integer}, equality => a", "attributes => {a => Integer, b => Integer}, equality => [a, b]", "attributes => {a => Integer, b => Integer}, equality_include_type => false",
                 "attributes => {a => Integer, b => {type => Integer, value => 0}}, constants => {k => 42}", "attributes => {a => {type => Integer, kind => given_or_derived}, b => Integer}",
                 "attributes => {a => {type => Integer, kind => derived}, b => Integer}", "attributes => {a => Integer, b => Optional[Integer]}", "attributes => {a => Integer, b => {type => Integer, final => true}}",
                 "attributes => {b => {type => Integer, value => 3}, a => Integer}", "attributes => {a => Integer, b => Integer}, functions => {f => Callable[[], Integer]}",
                 "attributes => {a => Integer, b => Integer}, functions => {f => {type => Callable[[Integer], Integer]}}", "attributes => {a => Integer, b => Integer}, type_parameters => {a => Integer}",
                 "attributes => {a => Integer, b => Integer}, type_parameters => {a => Integer, b => Integer}", "attributes => {a => Integer, b => {type => Integer, kind => reference, value => 2}}", "attributes => {}", "attributes => {a => Any, b => Array[Integer]}"]:
        pre = f"type X = Object[{{{body}}}] "
        for code in ["notice(X)", "notice(X(1, 2))", "notice(X(1))", "notice(X({a => 1, b => 2}))", "notice(X(1, 2) == X(1, 3), X(1, 2) == X(1, 2))", "notice(X(1, 2).k)", "notice(X(1, 2).a, X(1, 2).b)", "notice(X(1, 2).f)", "notice(X(1, 2).f(1))",
                     "notify { x: message => X(1, 2) }", "notify { x: message => X }", "notice(X[1])", "notice(type(X(1, 2)))", "notice(X(1, [2]))"]:
            add("objects", pre + code)
    for code in ["type B = Object[{attributes => {a => {type => Integer, final => true}}}] type D = Object[{parent => B, attributes => {a => Integer}}] notice(D)", "type B = Object[{attributes => {a => Integer}}] type D = Object[{parent => B, attributes => {a => Integer}}] notice(D(1))",
                 "type B = Object[{attributes => {a => Integer}}] type D = Object[{parent => B, attributes => {a => {type => Integer[0], override => true}}}] notice(D(1), D(-1))",
                 "type B = Object[{attributes => {a => Integer}}] type D = Object[{parent => B, attributes => {a => {type => String, override => true}}}] notice(D('a'))",
                 "type D = Object[{attributes => {a => {type => String, override => true}}}] notice(D('a'))", "type B = Integer type D = Object[{parent => B, attributes => {a => String}}] notice(D('a'))", "type D = Object[{parent => Nosuch}] notice(D())",
                 "type R = Object[{attributes => {next => Optional[R], v => Integer}}] notice(R(undef, 1))", "type R = Object[{attributes => {v => Integer, next => Optional[R]}}] notice(R(1, R(2)), R(1, R(2)).next.v)",
                 "type R = Object[{attributes => {v => Integer, next => {type => Optional[R], value => undef}}}] notice(R(1, R(2)), R(1).next)", "type A::B = Object[{attributes => {x => String}}] notice(A::B('q'), A::B('q').x)",
                 "$t = Object[{name => 'Foo', attributes => {a => Integer}}] notice($t, $t.new(1), $t.new(1).a)", "$t = Object[{attributes => {a => Integer}}] notice($t)", "$t = Object[{attributes => {a => Integer}}] notice($t.new(1))",
                 "type T = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {P => {attributes => {x => Integer}}, Q => Integer[0]}}] notice(T)", "type T = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {P => {attributes => {x => Integer}}}}] notice(T::P(1))",
                 "type T = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {Q => Integer[0]}}] notice(1 =~ T::Q)", "type T = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {Q => Integer[0]}}] notice(T, T[Q])",
                 "notice(Error('m'), Error('m', 'k', {a => 1}, 'ic'), Error({msg => 'x'}))", "notice(Error('m').message, Error('m', 'k').kind, Error('m').details, Error('m').msg, Error('m').issue_code)", "notice(Error())", "notice(Error(1))", "notice(Error('m') =~ Error['k'], Error('m', 'k') =~ Error['k'])",
                 "notice(Deferred('f', [1]).name, Deferred('f', [1]).arguments, Deferred('f').arguments)", "notice(Deferred(1))", "notice(Deferred('F'))", "notice(Deferred('$x', ['a']))", "notice(Deferred('f', 'x'))", "notify { x: message => Error('m', 'k') }"]:
        add("objects", code)


def variables():
    for code in ["$a = 1 $a = 2", "[$a, $b] = [1, 2] notice($a, $b)", "[$a, [$b, $c]] = [1, [2, 3]] notice($a, $b, $c)", "[$a, $b] = [1]", "[$a, $b] = [1, 2, 3]", "[$a] = 1", "[$a, $b] = {a => 1, b => 2} notice($a, $b)", "[$a, $b] = {a => 1}", "[$a, $b] = 'x'", "[$a, [$b]] = [1, 2]",
                 "[$a, $a] = [1, 2]", "[] = []", "[$a, 1] = [1, 2]", "$a::b = 1", "$::a = 1 notice($a)", "$a = $b = 3 notice($a, $b)", "$a = 1 + $b = 2 notice($a)", "notice($undefined)", "notice($undefined::x)", "notice($::undefined)", "notice($nosuch::deep::x)", "$a = undef notice($a)", "$x = $x",
                 "notice($title, $name)", "notice($module_name)", "notice($trusted)", "notice($facts)", "$facts = 1", "$trusted = 1", "$title = 1", "$name = 1", "$module_name = 1", "$caller_module_name = 1", "$server_facts = 1", "notice($server_facts)", "$settings::x = 1", "$0x = 1", "$_a = 1 notice($_a)", "$A = 1",
                 "$a_B = 1 notice($a_B)", "notice($::_x)", "$a += 1", "$a = [1] $a += 2", "$a -= 1", "1 = 2", "'a' = 1", "f() = 1", "$a[0] = 1", "$a.b = 1", "{a => 1} = 1", "$a = if true { 1 } notice($a)", "if true { $a = 1 } notice($a)", "[1].each |$x| { $y = $x } notice($y)",
                 "class c { $v = 1 } include c notice($c::v)", "class c { $v = 1 } notice($c::v)", "class c { } include c notice($c::v)", "class c { $v = 1 } class d { include c notice($c::v) } include d", "class p { $v = 1 } class q inherits p { notice($v, $p::v, $q::v) } include q",
                 "define d { $v = 1 } d { x: } notice($d::v)", "function f() { $a = 1 } f() notice($a)", "$a = 1 function f() { notice($a) } f()", "$a = 1 function f() { notice($::a) } f()", "$a = 1 class c { notice($a) $a = 2 notice($a, $::a) } include c",
                 "[$a, $b] = [$b, $a]", "$a = [*[1, 2], 3, *undef, *4, *{a => 1}] notice($a)", "notice(*[1, 2])", "notice(*'a', *undef)", "notice([*5])", "notice([*[[1]]])", "$a = *[1]", "notice(*{a => 1})", "max(*[1, 2, 3]).notice", "notice({*[1, 2]})", "case *[1] { 1: {} }",
                 "notice([1, 2,], {a => 1,},)", "notice({a => 1, a => 2})", "notice({1 => a, 1.0 => b, '1' => c})", "notice({undef => 1, default => 2, true => 3, [1] => 4, {} => 5, Integer => 6})", "notice({a => 1} + {a => 2}, {a => 1} + [[b, 2]], {a => 1} + [b, 2])", "notice([1] << 2 << [3])",
                 "notice([1, 2, 2, 3] - 2, [1, 2] - [2], {a => 1, b => 2} - a, {a => 1, b => 2} - [a], {a => 1, b => 2} - {a => 5})", "notice([1] + {a => 1}, [1] + undef, [1] + 'a')"]:
        add("variables", code)
        if "undefined" in code or "nosuch" in code or "::v" in code or "server_facts" in code or "notice($y)" in code or "notice($a)" in code:
            for strict, sv in itertools.product(["off", "warning", "error"], [True, False]):
                if (strict, sv) != ("error", True):
                    add("strictness", code, strict=strict, strict_variables=sv)


def interpolation():
    for v in KINDS.values():
        add("interpolation", f"$v = {v} notice(\"<$v>\", \"${{v}}-${{{v}}}\")")
        add("interpolation", f"notice([{v}, {{k => {v}}}])")
        add("interpolation", f"notice(\"${{[{v}, {{'k' => {v}}}]}}\")")
    for code in ["$a = [1, [2]] notice(\"$a[1] ${a[1]} ${a[1][0]} ${$a[0]}\")", "$h = {x => {y => 1}} notice(\"${h[x][y]} ${h['x']} $h[x]\")", "notice(\"${1 + 2} ${'a'} ${[1]}\")", "notice(\"$\", \"$ x\", \"\\$x\", \"${}\")", "notice(\"a${\")", "notice(\"${nosuch}\")", "notice(\"$nosuch\")", "notice(\"${facts}\")",
                 "$x = 1 notice(\"$x-y $x.y $x::y\")", "$x = 1 notice(\"${x}y ${ x }\")", "notice(\"\\t|\\n|\\s|\\u0041|\\u{1F600}|\\\\|\\\"|\\'|\\q\")", "notice('\\t \\' \\\\ \\q $x')", "notice(\"\\u{110000}\")", "notice(\"\\u12\")", "$a = [1,2] notice(\"${a.map |$x| { $x * 2 }}\")", "$a = 'b' notice(\"${a.upcase}\")", "notice(\"${upcase('a')}\")",
                 "notice(\"${if true { 'y' } else { 'n' }}\")", "notice(\"${case 1 { 1: { 'one' } }}\")", "notice(\"${'nested ${'deep'}'}\")", "notice(\"${\"nested ${1 + 1}\"}\")", "$if = 1", "notice(\"${if}\")", "$x = {'a b' => 1} notice(\"${x['a b']}\")", "notice(\"${Integer}\", \"${Integer[1,2]}\")", "$x = 5 notice(\"${-x}\")", "$x = 5 notice(\"${x + 1}\")",
                 "notice(\"${class}\")", "notice(\"${default}\", \"${undef}\", \"${true}\")", "notice(\"$1\")", "if 'ab' =~ /(b)/ { notice(\"$1 ${1} $0\") }", "notice(\"${::x}\")", "$x = 1 notice(\"$::x ${::x}\")", "notice(\"${lookup('x', {default_value => 2})}\")", "notice(\"a\nb\")", "notice(@(E))\n  a\n   b\n  | E\n", "$x = 1 notice(@(\"E\"))\n  v $x ${x}\n  | E\n",
                 "notice(@(\"E\"/tn))\n  a\\tb\\nc\n  | E\n", "notice(@(E/L))\n  a\\\n  b\n  |- E\n", "notice(@(E:json))\n  {\"a\": 1}\n  | E\n", "notice(@(E:json))\n  {\"a\": }\n  | E\n", "notice(@(E:json))\n  {\"a\" 1}\n  | E\n", "notice(@(E:json))\n  [1, 2\n  | E\n", "notice(@(E:json))\n  {\"a\": tru}\n  | E\n", "notice(@(E:json))\n  | E\n",
                 "notice(@(E:pp))\n  $x = \n  | E\n", "notice(@(E:pp))\n  notice(1)\n  | E\n", "notice(@(E:epp))\n  <%= 1 %>\n  | E\n", "notice(@(E:epp))\n  <%= 1\n  | E\n", "notice(@(E:yaml))\n  a: 1\n  | E\n", "notice(@(E:nosuch))\n  a\n  | E\n", "notice(@(\"E\":json))\n  {\"a\": ${1}}\n  | E\n", "notice(@(E/x))\n  | E\n", "notice(@(E))\n  a\n",
                 "notice(@())\n", "notice(@(A) , @(B))\n a\n | A\n b\n | B\n"]:
        add("interpolation", code)


def calls():
    lambdas = ["|$x| { $x }", "|$x, $y| { [$x, $y] }", "|Integer $x| { $x }", "|$x = 5| { $x }", "|*$x| { $x }", "|$x, *$r| { [$x, $r] }", "|Integer *$r| { $r }", "|| { 1 }", "|$x, $y = $x| { [$x, $y] }", "|String $x, Optional[Integer] $y = undef| { $y }", "|$x, Array[Integer] *$r| { $r }",
               "|Array[Integer, 1, 2] *$r| { $r }", "|$x, $x| { 1 }", "|$x = 1, $y| { [$x, $y] }", "|*$r, $x| { 1 }", "|*$r = [1]| { $r }", "|$x| >> Integer { $x }", "|$x| >> String { $x }", "|$x = $y, $y = 1| { $x }", "|Nosuch $x| { 1 }", "|$title| { $title }", "|$x| { }", "|$x| { next(5) 6 }", "|$x| { break() }", "|$x| { return(5) }"]
    for l in lambdas:
        for call in ["with()", "with(1)", "with(1, 2)", "with(1, 2, 3)", "with('a')", "[1, 2].each", "[1, 2].map", "{a => 1}.map"]:
            add("calls", f"notice({call} {l})")
    functions = ["$x", "$x, $y", "Integer $x", "$x = 5", "*$x", "$x, *$r", "Integer *$r", "", "$x, $y = $x", "String $x, Optional[Integer] $y = undef", "Array[Integer, 1, 2] *$r", "Enum[a, b] $x", "Struct[{a => Integer}] $x", "Variant[Integer, Boolean] $x", "Sensitive[String] $x", "Callable $x", "Array[Integer] $x",
                 "Hash[String, Integer] $x", "Tuple[Integer, String] $x", "Pattern[/a/] $x", "String[2] $x", "Integer[0, 5] $x", "Optional[String] $x", "Type[Integer] $x", "NotUndef $x", "Undef $x", "Timestamp $x", "Regexp $x", "Boolean $x", "Array[Integer, 2] $x", "Hash[0, 1] $x"]
    for f in functions:
        for args in ["", "1", "'a'", "1, 2", "1, 2, 3", "[1, 'a']", "{a => 1}", "{a => 'x', b => 2}", "undef", "Sensitive('a')", "-1"]:
            add("calls", f"function f({f}) {{ 'ok' }} notice(f({args}))")
    for code in ["function f($x) >> Integer { $x } notice(f(1), f('a'))", "function f() { return(5) } notice(f())", "function f() { return() } notice(f())", "function f() { next(5) } notice(f())", "function f() { break() } f()", "return(1)", "next(1)", "break()", "class c { return() notice(x) } include c", "class c { next() } include c", "class c { break() } include c",
                 "define d { return() } d { x: }", "define d { break() } d { x: }", "[1, 2, 3].each |$x| { if $x == 2 { break() } notice($x) }", "[1, 2, 3].each |$x| { if $x == 2 { next() } notice($x) }", "notice([1, 2, 3].map |$x| { if $x == 2 { break() } $x })", "notice([1, 2, 3].map |$x| { if $x == 2 { next(9) } $x })",
                 "notice([1, 2, 3].reduce |$a, $b| { if $b == 3 { break() } $a + $b })", "notice([1, 2].filter |$x| { next(true) })", "class c { [1].each |$x| { return() } notice('after') } include c notice('end')", "[1].each |$x| { class c { break() } include c }", "class c { break() } [1, 2].each |$x| { notice($x) include c }", "class c { next() } [1, 2].each |$x| { notice($x) include c }",
                 "define d { break() } [1, 2].each |$x| { notice($x) d { \"t$x\": } }", "function f() { [1, 2].each |$x| { return($x) } } notice(f())", "nosuch()", "nosuch(1) |$x| { }", "1.nosuch", "notice(1.nosuch)", "'a'.upcase.notice", "notice 'a'", "notice('a') |$x| { }", "upcase()", "upcase(1)", "notice(upcase('a', 'b'))", "include", "include()",
                 "fail('x')", "fail('a', 'b')", "fail()", "[1].each", "[1].each |$x, $y, $z| { }", "{a => 1}.each |$x, $y, $z| { }", "5.each |$x| { notice($x) }", "'abc'.each |$x| { notice($x) }", "true.each |$x| { }", "'x'.with |$a| { notice($a) }", "$f = |$x| { $x }", "notice(|$x| { $x })", "f |$x| { }", "notice(f)", "notice(include)", "1()", "'a'()", "$x()",
                 "$x = 'upcase' notice($x('a'))", "Integer('a')", "Integer()", "File('a')", "Nosuch('a')", "Integer[1]('0')", "function f($x) { } function f($y) { }", "function F() { }", "function f::g() { 1 } notice(f::g(), ::f::g())", "function notice($x) { }", "function f($x, $x) { }", "function f($x = 1, $y) { }", "function f(*$r, $x) { }", "function f(*$r = 1) { $r } notice(f())",
                 "function f($a) { f($a) } f(1)", "function f($a = g()) { $a } function g() { 3 } notice(f())", "function f($a, $b = $a + 1, $c = $b + 1) { [$a, $b, $c] } notice(f(1), f(1, 5))", "function f($a = $b, $b = 1) { $a } notice(f())", "with(1, 2) |$a, $b = $c, $c = 1| { }", "notice([3, 1, 2].sort |$a, $b| { compare($b, $a) })", "notice(with(*[1, 2]) |$a, $b| { $a + $b })",
                 "notice([[1, 2], [3, 4]].each |$a, $b| { notice($a, $b) })", "notice({a => 1}.each |$k, $v| { notice($k, $v) })", "notice({a => 1}.each |$kv| { notice($kv) })", "notice([1, 2].each |$i, $v| { notice($i, $v) })", "notice(Integer[1, 3].map |$x| { $x })", "notice(3.map |$x| { $x })", "notice('abc'.map |$x| { $x })", "notice([1, 2, 3].reverse_each.map |$x| { $x })", "notice([1, 2, 3, 4].step(2))",
                 "notice([1,2].reverse_each)", "notice(\"${[1,2].reverse_each}\")"]:
        add("calls", code)


def logging():
    for f in ["debug", "info", "notice", "warning", "err", "alert", "crit", "emerg"]:
        for args in ["'a'", "'a', 1", "[1, [2]]", "{a => 1}", "undef", "'', ''", "Sensitive('x')", "1.5, true", "[]", "default", ""]:
            add("logging", f"{f}({args})")
        add("logging", f"class c::d {{ {f}('x') }} include c::d")
        add("logging", f"define d::e {{ {f}('x') }} d::e {{ ['a b', 'c']: }}")
        add("logging", f"node default {{ {f}('x') }}")
        add("logging", f"function m::f() {{ {f}('x') }} class c {{ m::f() }} include c")
        add("logging", f"class c {{ [1].each |$x| {{ {f}($x) }} }} class {{ 'c': stage => main }}")
        add("logging", f"class a {{ {f}('a') }} class b inherits a {{ {f}('b') }} include b")
        add("logging", f"notice({f}('x'))")
        add("logging", f"'x'.{f}")
    for code in ["warning('a') warning('a')", "notice(\"a\\nb\")", "notice(\"\")", "notice(' ')", "notice('%s %d')", "err(\"ä\")", "define d { notice($title) } d { \"a\\nb\": }", "define d { notice($title) } d { '[x]': }"]:
        add("logging", code)


def epp():
    texts = ["a", "<%= 1 %>", "a <%= 1 + 1 -%> b", "x\\n<%- $a = 1 -%>\\ny <%= $a %>\\n", "  <%- 1 %>z", "<%# comment %>a", "<%# c -%>\\na", "a <%# c %> b", "<%% a %%>", "<%= '%>' %>", "<%= \\\"a\\\" %>", "<% if true { %>yes<% } else { %>no<% } %>", "<% [1, 2].each |$x| { %><%= $x %>,<% } %>",
             "<%- | $a | -%>v <%= $a %>", "<%- | Integer $a, $b = 2 | -%>v <%= $a %> <%= $b %>", "<%- | $a = 5 | -%><%= $a %>", "<% | $a | %>", "<%= $nosuch %>", "<%= 1", "<%= %>", "<% %>", "<%= nosuch() %>", "a\\n\\n<%= fail('x') %>", "<%= Sensitive('s') %>", "x <%= Sensitive(1) %> y", "<%= undef %>", "<%= [1, 'a', undef] %>", "<%= {a => 1} %>", "<%= Integer %>", "<%= 1.0 %>", "<%= true %>",
             "<%- | | -%>x", "<%- | *$r | -%>x", "<%- |$a, $a| -%>x", "<% $x = 1 %><%= $x %><% $x = 2 %>", "<%= return(5) %>", "<%= next(5) %>", "<%= break() %>", "<%= inline_epp('<%= 1 %%>') %>", "<%= 'a' -%>  \\n  b", "<%= 'a' -%>\\nb", "a\\n  <%- 'x' -%>  \\nb", "<%=1%><%=2%>", "<%-= 1 %>", "<%== 1 %>", "%>", "-%>", "<%", "<%-", "a <%", "<%- |$a -%>", "<%= 1 %> | <%= 2 %>", "<%= if true { 1 } %>",
             "<%= $title %>", "<%= $facts %>", "<% notice('in') %>", "<% notify { 'from epp': } %>", "<% class x { } %>", "<% include nosuch %>", "<%= $a[0] %>", "<%- |Sensitive[String] $a| -%><%= $a.unwrap %>", "<%- |Optional[String] $a = undef| -%>[<%= $a %>]", "<%- |\\n  Integer $a = 1,\\n  String $b = 'x',\\n| -%>\\n<%= $a %> <%= $b %>", "tab\\t<%= 1 %>", "<%= \\\"${1 + 1}\\\" %>",
             "<%# | $a | %><%= 1 %>", "<%-# c -%>x", "<% # comment\\n %>x", "<%= 1 # c\\n %>x", "ä<%= 'ö' %>", "\\n\\n<%= $nosuch %>", "<%= 5 / 0 %>", "a<%%= b %%>c", "<%= [1].map |$x| { %>in<% } %>", "<%= with(1) |$x| { -%>\\n in\\n<%- } -%>"]
    for t in texts:
        t2 = t.replace("$", "\\$")
        for args in ["", ", {'a' => 1}", ", {'a' => 'x', 'b' => 3}", ", {a => Sensitive('q')}", ", {'zz' => 1}"]:
            if args and not ("$a" in t or t in ("a", "<%= 1 %>", "<%- | | -%>x")):
                continue
            add("epp", f"notice(inline_epp(\"{t2}\"{args}))")
    for code in ["$x = 1 notice(inline_epp('<%= $x %>'))", "$x = 1 notice(inline_epp('<%- |$y = $x| -%><%= $y %>'))", "$x = 1 notice(inline_epp('<%= $x %>', {x => 2}))", "class c { $v = 3 notice(inline_epp('<%= $v %>')) } include c", "function f($v) { inline_epp('<%= $v %>') } notice(f(1))", "function f($v) { inline_epp('<%= $v %>', {v => $v}) } notice(f(1))",
                 "[1].each |$v| { notice(inline_epp('<%= $v %>')) }", "notice(inline_epp(1))", "notice(inline_epp())", "notice(inline_epp('a', 1))", "notice(inline_epp('a', {1 => 2}))", "notice(inline_epp('a', {'A' => 2}))", "notice(inline_epp('a', {'a b' => 2}))", "notice(epp('nosuch/x.epp'))", "notice(epp('nosuch'))", "notice(epp())", "notice(inline_epp('a', {}, 1))", "inline_epp('<% $a = 1 %>') notice($a)",
                 "notice(inline_epp(undef))", "notice(inline_epp(Sensitive('a')))", "notify { x: message => inline_epp('<%= Sensitive(1) %>') }", "notice(inline_epp('<%= $x %>', {x => undef}))", "notice(inline_epp('<%- |Integer $x| -%>a', {x => undef}))", "notice(inline_epp('<%= $1 %>'))", "if 'ab' =~ /(b)/ { notice(inline_epp('<%= $1 %>')) }",
                 "notice(inline_epp('<% if \\'x\\' =~ /(x)/ { %><%= $1 %><% } %>'))", "notice(inline_epp('<%- |Integer $a, String $b| -%>', {a => 'x'}))", "notice(inline_epp('<%- |Integer $a, String $b| -%>', {a => 'x', b => 1}))", "notice(inline_epp('<%- |$a| -%>', {a => 1, c => 2, d => 3}))"]:
        add("epp", code)


def strictness():
    codes = ["notice('1' + 1)", "notice('a' + 1)", "notice({a => 1, a => 2})", "notice($x)", "notice(\"$x\")", "notice($x::y)", "class c { } include c notice($c::x)", "notice(undef + 1)", "notice('0x1' + '010')", "notice('1.5' * 2)", "notice(-'5')", "notice('5' < 6)", "notice(1 < '2')", "notice([1, 2]['1'])",
             "notice('abc'['1'])", "file { '/a': mode => 1 } File['/a'] { mode => 2 }", "notify { a: message => $x }", "$y = $x notice($y)", "if $x { notice(1) } else { notice(2) }", "notice($x ? { undef => u, default => d })", "notice($x == undef)", "notice(defined('$x'))", "notice(getvar('x'))", "notice([$x, {a => $x}])", "$x[0]", "notice($x[0])", "notice($x[0][1])",
             "case $x { undef: { notice(u) } }", "1 + 1 notice(2)", "'a' notice(1)", "[1] notice(1)", "$z notice(1)", "class a::b { } notice(1)", "case 1 { 1: {} 1: {} }", "notice(max('1', 2))", "notice('a' in {a => 1, a => 2})", "Integer[1 - 0]", "notice(inline_epp('<%= $x %>'))", "function f() { $x } notice(f())", "[1].each |$i| { notice($q) }",
             "notify { 'a': message => 1, message => 2 }", "notice({'a' => 1, \"a\" => 2})", "notice({1 => 1, 1 => 2})", "notice($facts['a'])", "notice($facts[a][b])", "$facts.notice", "notice(lookup('x', {default_value => 1, default_value => 2}))", "notice($x, $x)", "notice($x) notice($x)", "notice($x) notice($y)", "notice({a => 1, a => 2}) notice({a => 1, a => 2})",
             "[1, 2].each |$i| { notice({a => 1, a => 2}, $x) }", "notice(hiera('x', 1))", "notice(hiera_array('x', [])) notice(hiera_hash('x', {}))", "hiera_include('x', [])", "notice(create_resources('notify', {}))", "notify { 'x': } realize(Notify[x])", "include 'nosuch'", "class x { } class x { }", "define x() { } class x { }", "node a { } node a { }"]
    for code in codes:
        for strict, sv in itertools.product(["off", "warning", "error"], [True, False]):
            add("strictness", code, strict=strict, strict_variables=sv)


def checks():
    for code in ["$a = 1 1 2 3", "1 = 1 2 = 2 3 = 3", "class a { class a { } }", "class 1 { }", "class A { }", "define d { define e { } }", "define d { class e { } }", "if true { class e { } }", "node 'a' { class e { } } ", "[1].each |$x| { define z { } }", "function f() { class x { } }", "class a inherits default { }", "class a inherits 'b' { }", "class a inherits a { } include a", "class a($a, $a) { }", "class a($title) { }", "class a($name) { }",
                 "define d($title) { }", "define d($name) { }", "class a(Integer $x = 'a') { } include a", "class a($x) { } include a", "class a($_x) { } ", "class a($X) { }", "class a($1) { }", "class a($::x) { }", "class a($x::y) { }", "class a(*$x) { }", "define d(*$x) { }", "class a(String $x) { } class { a: x => 1 }", "class a { } class { a: nope => 1 }", "define d($x) { } d { t: }", "define d { } d { t: nope => 1 }", "nosuch { x: }", "file { x: }", "file { '/x': nope => 1 }",
                 "file { '/x': mode => '0644', mode => '0600' }", "file { '/x': ; '/x': }", "file { ['/a', '/a']: }", "file { undef: }", "file { '': }", "file { 1: }", "file { [[1]]: }", "file { default: mode => '0644' }", "file { default: mode => '0644' ; default: }", "file { '/x': * => {mode => '0644'} }", "file { '/x': * => 1 }", "file { '/x': * => {}, * => {} }", "file { '/x': mode +> 1 }", "File { mode => '0644' } file { '/x': }", "File { nope => 1 }", "File['x'] { }",
                 "File['/x'] { mode => 1 }", "file { '/x': } File['/x'] { mode => '1' }", "@file { '/x': } realize(File['/x'])", "@@file { '/x': }", "@class { x: }", "@File { x => 1 }", "@@File['x'] { }", "class { }", "class { 'a': 'b': }", "class { ['a', 'b']: }", "node default { } node default { }", "node /a/ { } node 'b' inherits c { }", "node a inherits b { }", "node 'a b' { }", "node undef { }", "node 1.2.3 { }", "node \"$x\" { }", "site { }", "application a() { }", "import 'x'",
                 "File['a'] -> File['b']", "file { a: } -> 1", "1 -> 2", "[1] -> 'a'", "notify { a: } -> notify { b: } ~> notify { c: }", "notify { a: } <- notify { b: } <~ notify { c: }", "Notify <| |> -> Notify <| |>", "Notify <| title == a |>", "Notify <| 1 |>", "Notify <| title + a |>", "Notify <| nope == 1 |>", "Class <| |>", "notify <| |>", "Notify <| title == a and (tag == b or tag != c) |>", "Notify <| title == a |> { message => x }", "Nosuch <| |>", "Notify <| title =~ /a/ |>",
                 "Notify <| title < 1 |>", "Notify['a'] <| |>", "if { }", "if true { ", "if true } ", "else { }", "elsif true { }", "unless true { } elsif { }", "case 1 { }", "case { }", "case 1 { 1 { } }", "notice(", "notice)", "[1, 2", "{a => 1", "{a 1}", "{a => }", "{,}", "[,]", "f(,)", "notice(1,,2)", "'abc", "\"abc", "/abc", "$", "$ a", "@", "@@", "!", "1 +", "* 2", "=> 1", "-> a", "a ->", "1 .. 2", "1...2", "a::", "::a", "::A", "A::", "a:b", "A::b", "a::B", "Aa::bB", "aB", "a-b", "9a", "0x", "0xg", "09", "1e", "1.e5", "1.5.5", "1e400", "0b1", "0777", "018",
                 "99999999999999999999", "0xFFFFFFFFFFFFFFFFF", "-9223372036854775808", "-9223372036854775809", "notice(9223372036854775807 + 1)", "notice(0x7fffffffffffffff)", "\u00a0notice(1)", "notice(1)\u00a0", "notice(“a”)", "notice('ä')", "$ä = 1", "# only a comment", "/* c */ notice(1) /* d", "/* a */ /* b */", "", " ", ";", ";;", "notice(1);notice(2)", "notice(1),notice(2)", "\ufeffnotice(1)", "notice(1) \\ notice(2)", "notice(1) ? 2", "notice(1) % 2", "1 ? { }", "1 ? { 1 }", "1 ? 1",
                 "true", "undef", "default", "and", "or", "in", "class", "define", "node", "inherits", "type", "function", "attr", "private", "produces", "consumes", "plan", "apply", "$x = class", "$x = define", "notice(class)", "notice(type)", "notice(attr)", "notice(private)", "notice(plan)", "notice(site)", "{class => 1}", "notice({type => 1, if => 2, default => 3, undef => 4})", "$h = {class => 1} notice($h[class])", "notify { class: }", "notify { if: }", "notify { x: class => 1 }", "notify { x: if => 1, message => a }",
                 "if = 1", "fail = 1", "$x = {a => 1, 'b' => 2, \"c\" => 3, 4 => 5} notice($x)", "class a { $x = 1 ; $x = 2 } include a", "file { '/x': ensure => present, } ", "file { '/x': ensure => present; '/y': ensure => absent; }", "file { '/x': ensure -> present }", "file { '/x' ensure => present }", "file { '/x': ensure present }", "file '/x': { }", "file ('/x') { }", "file { '/x': ensure => }", "file { : }", "file { 'a' 'b': }", "file { *['/a', '/b']: }", "file { 'a': } { }", "$x = file { a: }", "notice(file { '/a': })", "$x = [notify { a: }] notice($x)",
                 "with(notify { a: }) |$x| { notice($x) }", "class a { notify { b: } } $x = include(a) notice($x)", "notice(include())", "$x = 1; $y = $x +\n 1 +\n nosuch\n", "notice(\n$nosuch\n)", "$a = {\n a => 1,\n a => 2,\n}", "notice(\n  1 +\n  'a')", "[1, 2].each |$x| {\n  notice($nosuch)\n}", "class a {\n  fail('x')\n}\ninclude a", "define d {\n  fail('x')\n}\nd { t: }", "function f() {\n  fail('x')\n}\nf()", "function f() {\n  f2()\n}\nf()", "1 + 1", "'a'", "[1]", "{}", "$a", "1 == 1", "if true { 1 }", "notice(1) 2 notice(3)", "Integer", "Integer[1]", "-1", "!true", "(1)", "a", "a b", "notice a b", "notice a, b", "include a b",
                 "case 1 { 1: { 2 } } 3", "[1].map |$x| { 2 }", "1 in [1]", "'a' =~ /a/", "$x = 1 $x", "undef", "/a/", "default", "\"${1}\"", "notice(1) notice(2) + 1", "class a { 1 } include a", "define d { 'a' } d { x: }", "function f() { 1 2 }", "if true { 1 2 }", "[1].each |$x| { 1 2 }", "unless false { $q == 1 }", "case 1 { default: { 1 2 3 } }"]:
        add("checks", code)


def deferred():
    d = "Deferred('upcase', ['a'])"
    for code in [f"notify {{ x: message => {d} }}", f"notify {{ x: message => [1, {d}, {{a => {d}}}] }}", f"notify {{ x: message => Sensitive({d}) }}", f"class c($p) {{ notify {{ x: message => $p }} }} class {{ c: p => {d} }}", f"class c(String $p) {{ notify {{ x: message => $p }} }} class {{ c: p => {d} }}", f"class c(Integer $p) {{ notify {{ x: message => $p }} }} class {{ c: p => {d} }}",
                 f"define d(String $p) {{ notify {{ $title: message => $p }} }} d {{ x: p => {d} }}", f"notice({d})", f"notice(\"${{{d}}}\")", f"notify {{ {d}: }}", f"file {{ '/x': ensure => {d}, mode => {d} }}", f"notify {{ x: require => {d} }}", f"notify {{ x: tag => {d} }}", f"notify {{ x: noop => {d} }}", f"notify {{ x: alias => {d} }}", f"notify {{ x: loglevel => {d}, schedule => {d} }}",
                 f"Notify {{ message => {d} }} notify {{ x: }}", f"notify {{ x: }} Notify[x] {{ message => {d} }}", f"notify {{ x: message => Deferred('inline_epp', ['<%= 1 %>']) }}", f"notify {{ x: message => Deferred('join', [[1, {d}], ',']) }}", "notify { x: message => Deferred('$facts', ['a']) }", f"notice({d} == {d}, {d} == Deferred('upcase', ['b']))", f"notice({d} =~ Deferred, {d} =~ String, {d} =~ RichData, {d} =~ Data)",
                 f"if {d} {{ notice(yes) }}", f"case {d} {{ Deferred: {{ notice(d) }} }}", f"{d}.notice", f"notice({d}.upcase)", f"notice(upcase({d}))", f"notice({d} + 1)", f"notice([{d}].map |$x| {{ $x.name }})", f"function f(String $x) {{ $x }} notice(f({d}))", f"notice(type({d}))", "notify { x: message => Deferred('new', [Integer, '5']) }", "notify { x: message => Deferred('unwrap', [Sensitive('a')]) }", f"notify {{ x: message => {d} }} notice(Notify[x][message])",
                 f"Notify <| title == x |> {{ message => {d} }} notify {{ x: }}", f"create_resources(notify, {{x => {{message => {d}}}}})", f"$x = {d} notify {{ x: message => \"a $x\" }}", f"notify {{ x: message => {{{d} => 1}} }}", f"notify {{ x: * => {{message => {d}}} }}", f"notify {{ x: audit => {d}, withpath => {d} }}", f"@notify {{ x: message => {d} }} realize(Notify[x])", f"notice(call({d}))", f"notice(assert_type(String, {d}))"]:
        add("deferred", code)
    for k, v in KINDS.items():
        add("deferred", f"notify {{ 'x': message => {v} }}")
        add("deferred", f"notify {{ 'x': message => [{v}, {{'k' => {v}}}] }}")
        add("deferred", f"notify {{ 'x': message => Sensitive([{v}]) }}")
        add("deferred", f"notify {{ 'x': message => Deferred('f', [{v}]) }}")
        add("deferred", f"class c($p = {v}) {{ }} include c")
    for t in ["Integer[1,2]", "Variant[Integer, String]", "Struct[{a => Optional[Integer]}]", "Callable[[Integer], String]", "Tuple[Integer, 1, 3]", "Array[String[1], 1]", "Hash[String, Integer, 0, 5]", "Pattern[/a/, /b/]", "Enum[a, b]", "Type[Integer]", "Optional['x']", "Sensitive[String]", "Timestamp['2000-01-01', default]", "SemVer['1.x']", "Init[Integer, 16]",
              "URI[{scheme => 'http'}]", "Runtime['ruby', 'X']", "Class[a]", "File['a', 'b']", "Boolean[true]", "Float[1.0, 2.0]", "Regexp[/a/]", "NotUndef[String]", "Iterable[Integer]", "Collection[1,2]", "Resource", "Any", "String['lit']", "Error['k']"]:
        add("deferred", f"notify {{ 'x': message => {t} }}")


def limits():
    """How many errors and warnings of the checker are shown, and which warnings come once."""
    for n in [1, 2, 9, 10, 11, 12, 25]:
        add("limits", " ".join(f"{i} = {i}" for i in range(n)))
        add("limits", "\n".join(f"class A{i} {{ }}" for i in range(n)))
        add("limits", "\n".join(f"notice({i}) {i}" for i in range(n)) + " notice(x)")
        for strict in ["off", "warning", "error"]:
            add("limits", "\n".join(f"$h{i} = {{a => {i}, a => 2}}" for i in range(n)), strict=strict)
            add("limits", "\n".join(f"class a{i}::b {{ }} $x{i} = {{a => 1, a => 2}} {i} = 1" for i in range(n)), strict=strict)
            add("limits", "\n".join(f"notice($nosuch{i})" for i in range(n)), strict=strict, strict_variables=False)
            add("limits", "\n".join("notice($nosuch)" for i in range(n)), strict=strict, strict_variables=False)
            add("limits", "\n".join(f"notice('{i}' + 1)" for i in range(n)), strict=strict)
            add("limits", "\n".join("notice('1' + 1)" for i in range(n)), strict=strict)
            add("limits", f"Integer[1, {n}].each |$i| {{ notice('5' + $i, $nosuch) }}", strict=strict, strict_variables=False)
            add("limits", "\n".join(f"notice(hiera('x', {i}))" for i in range(n)).replace("hiera", "hiera_array"), strict=strict) if False else None
    for code in ["$x = [1, 2].filter |$a| { 1 2 $a }", "class a { class b { } } class c { define d { } }", "define d { class b { } }", "function f() { notify { a: } class x { } }", "if true { function g() { } }", "[1].each |$x| { function g() { } }", "type T = Integer type T = String",
                 "function f() { } function f() { } class c { } class c { } define d { } define d { }", "node a { } node a { } node /a/ { } node /a/ { }", "case 1 { default: { } default: { } default: { } }", "$a = $b ? { default => 1, default => 2, default => 3 }",
                 "notify { a: * => {x => 1}, * => {y => 1} }", "notify { default: ; default: ; a: }", "class c($a, $a, $b, $b) { }", "function f(*$a, *$b) { }", "class c inherits default { }", "class c(*$a) { } define d(*$a) { }", "class c { return 1 }", "$Abc = 1 $Def = 2", "$a::b = 1 $c::d = 2",
                 "class c { $c::x = 1 } include c", "[$a, $b::c] = [1, 2]", "$x = 1 $x += 2", "$x -= 1", "$0 = 1 $1 = 2", "notify { 'a': message => } notify { b: ", "class a { notify { b: message => 'x' }", "}", "{", "[", "]", ")", "(", "notice((1)", "if true { notice(1) } else if false { }", "unless true { } elsif false { }",
                 "File { path => '/a' } -> Notify['x']", "File['/a'] { mode => '1' } -> Notify['x']", "file { '/a': mode => '0644', 'owner' => root, \"group\" => x }", "notify { a: message => 'x', 1 => 2 }", "Notify <| |> { message => 'x' } -> Notify['b']", "@@notify { a: } -> notify { b: }", "@notify { a: } ~> Notify['a']",
                 "$a = 'x'\n$b = \"y\n$c = 'z'", "notice('a' 'b')", "notice(a b)", "notice(1 2)", "f(1", "f(1))", "$a = {\n  b => 1\n  c => 2\n}", "$a = [1\n2]", "class a(\n  $b\n  $c\n) { }", "notify { 'a':\n  message => 'x'\n  name => 'y',\n}", "notify { 'a'\n  message => 'x',\n}", "class { 'a' }", "include 'a' 'b'",
                 "node 'a', /b/, default { }", "node 'a' 'b' { }", "node { }", "class { }", "define { }", "function { }", "type = Integer", "type T Integer", "type T = ", "class a inherits { }", "class inherits b { }", "define d inherits c { }", "function f inherits c() { }", "function f() >> { }", "function f() >> Integer", "function f() >> 1 { 1 }"]:
        add("limits", code)


def epp_and_duplicates():
    for code in ['notice(inline_epp("a\\nb\\n<%= $nosuch %>"))',
                 'notice(inline_epp("a\\n<%= 1 + \'x\' %>"))',
                 'notice(inline_epp("<%- |Integer $a| -%>\\n<%= $a %>", {a => \'x\'}))',
                 'notice(inline_epp("<% if true { %>\\n<%= fail(\'x\') %>\\n<% } %>"))',
                 'notice(inline_epp("<% notice(\'x\') %>\\n<% warning(\'y\') %>"))',
                 'class c { notice(inline_epp("<% notice(\'x\') %>")) } include c',
                 'notice(inline_epp("<%= $a = 1 %>"))',
                 'notice(inline_epp("<% 1 %>x"))',
                 'notice(inline_epp("<% \'a\' \'b\' %>x"))',
                 'notice(inline_epp("<%= 1 2 %>"))',
                 'notice(inline_epp("<%- | $a = nosuch() | %>"))',
                 'notice(inline_epp("<%- | String $a = 1 | %>"))',
                 'notice(inline_epp("<%- | $a, $b = $a | %>", {a => 1}))',
                 'notice(inline_epp("<%- | $b = $a, $a = 1 | %>x"))',
                 'notice(inline_epp("<%= inline_epp(\'<%%= 1 %%>\') %>"))',
                 'notice(inline_epp("<%= [1, Sensitive(\'x\')] %>"))',
                 'notice(inline_epp("<%= \\"${Sensitive(\'x\')}\\" %>"))',
                 'notice(inline_epp("x<%= Sensitive(1) %>y").unwrap)',
                 'notice(inline_epp("<%= inline_epp(\'<%= Sensitive(1) %%>\') %>"))',
                 'file { \'/x\': content => inline_epp("<%= Sensitive(\'x\') %>") }',
                 'file { \'/x\': content => Sensitive(inline_epp("<%= Sensitive(\'x\') %>")) }',
                 'notify { x: message => "a ${inline_epp(\'<%= Sensitive(1) %>\')}" }',
                 '$x = {a => 1, a => 2, a => 3}',
                 "$x = {1 => 1, 1 => 2, '1' => 3}",
                 '$x = {$a => 1, $a => 2}',
                 "$y = 'k' $x = {$y => 1, 'k' => 2} notice($x)",
                 "$y = 'k' $x = {$y => 1, $y => 2} notice($x)",
                 '$x = {[1] => 1, [1] => 2} notice($x)',
                 '$x = {default => 1, default => 2, undef => 3, undef => 4} notice($x)',
                 '$x = {Integer => 1, Integer => 2} notice($x)',
                 '$x = {/a/ => 1, /a/ => 2} notice($x)',
                 '$x = {-1 => 1, -1 => 2} notice($x)',
                 '$x = {1.0 => 1, 1.0 => 2} notice($x)',
                 '$x = {true => 1, true => 2} notice($x)',
                 'type A = Struct[{a => Integer, a => String}] notice(A)',
                 'notice(Struct[{a => Integer, a => String}])',
                 'class c($a = {b => 1, b => 2}) { } include c',
                 'function f($a = {b => 1, b => 2}) { $a } notice(f())',
                 "notify { 'a': message => {b => 1, b => 2} }"]:
        add("epp_and_duplicates", code)
        if "=> 1, " in code and "inline_epp" not in code:
            for strict in ["off", "warning"]:
                add("epp_and_duplicates", code, strict=strict)


def recursive_aliases():
    for code in ['type A = Optional[A] notice(A)',
                 'type A = Variant[A, Integer] notice(A, 1 =~ A)',
                 'type A = NotUndef[A] notice(A)',
                 'type A = Array[B] type B = Variant[A, Undef] notice(A, B, [undef] =~ A)',
                 'type A = Optional[Array[B]] type B = Optional[Variant[A, String]] notice(A, B, [x] =~ A)',
                 'type A = Optional[Variant[A, Integer]] notice(A, 1 =~ A)',
                 'type A = NotUndef[Variant[Array[A], Integer]] notice(A, [1] =~ A)',
                 'type A = Variant[Enum[a], Array[A], Enum[b]] notice(A, [b] =~ A, A == A)',
                 'type A = Hash[String, A] type B = Hash[String, B] notice(A == B, {} =~ A)',
                 'type A = Struct[{next => Optional[A]}] notice({next => {}} =~ A, A)',
                 'type A = Tuple[Integer, A, 1, 2] notice([1] =~ A, A)',
                 'type A = Callable[A] notice(A)',
                 'type A = Type[A] notice(A)',
                 'type A = Init[A] notice(A)',
                 'type R = Object[{attributes => {n => Optional[R]}}] type S = Array[R] notice([R()] =~ S, S)',
                 'type P = Object[{parent => P, attributes => {}}] notice(P())',
                 'type P = Object[{parent => Q}] type Q = Object[{parent => P}] notice(P())',
                 'type A = Variant[Undef, A] notice(undef =~ A)',
                 "function f(Optional[A] $x) { } type A = Variant[Integer, Array[A]] f('x')"]:
        add("recursive_aliases", code)


def rich_data():
    """Every type and value of testdata/types in a catalog's parameter."""
    types = os.path.join(os.path.dirname(HERE), "types")
    with open(os.path.join(types, "aliases.pp"), encoding="utf-8") as f:
        aliases = {line.split()[1]: line.strip() for line in f if line.startswith("type ")}
    for name in ["types.txt", "values.txt"]:
        with open(os.path.join(types, name), encoding="utf-8") as f:
            for expression in f.read().splitlines():
                needed = " ".join(aliases.values()) + " " if any(a in expression for a in aliases) else ""
                add("rich_data", f"{needed}notify {{ 'x': message => [{expression}] }}")


def main():
    for make in [limits, recursive_aliases, epp_and_duplicates, rich_data, operators, comparisons, matching, access, type_expressions, objects, variables, interpolation, calls, logging, epp, strictness, checks, deferred]:
        make()
    for name, snippets in FILES.items():
        lines = "".join(json.dumps(s, ensure_ascii=False) + "\n" for s in snippets)
        print(name, end=": ", flush=True)
        subprocess.run([sys.executable, sys.argv[1], "add", os.path.join(HERE, name + ".jsonl")], input=lines.encode(), check=True)


if __name__ == "__main__":
    main()
