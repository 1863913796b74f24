# frozen_string_literal: true
# Prints testdata/load/hocon_cases.jsonl: texts of HOCON with what Puppet's library makes of them.
#   ruby make_hocon_cases.rb > hocon_cases.jsonl
# The first line has the files for includes, which stand in the directory that texts and messages call DIR. A case: `hocon` and its `value` as JSON with its members in
# order, or the `error`; `own`: the library itself fails.
require 'hocon'
require 'hocon/config_error'
require 'json'
require 'tmpdir'

FILES = {
  'one.conf' => "v = 1\n", 'one.json' => '{"j": 2, "v": 3}', 'empty.conf' => '', 'list.conf' => '[1]', 'broken.conf' => 'x = {', 'broken.json' => '{"a" 1}',
  'beside.conf' => "include \"one.conf\"\nb = 1\n", 'both.conf' => "include \"one\"\nb = 1\n", 'missing.conf' => "include \"none.conf\"\ninclude \"none\"\nb = 1\n",
  'absolute.conf' => "include \"DIR/one.conf\"\nb = 1\n", 'gone.conf' => "a = 1\ninclude \"DIR/none.conf\"\nb = 1\n", 'loop.conf' => "include \"loop.conf\"\n",
  'ping.conf' => "include file(\"DIR/pong.conf\")\n", 'pong.conf' => "include \"ping\"\n", 'sub/deep.conf' => "include \"../one\"\ns = ${?base}\n", 'down.conf' => "include \"sub/deep\"\n",
  'base.conf' => "base = ${base}5\ny = ${after}\n", 'open.conf' => "w = 1\na = ${w}\nb = ${outer}\no { i = ${w}, p = ${?o.q} }\n", 'unresolved.conf' => "\nx = ${nothing}\n",
  'append.conf' => "l += 2\n", 'more.conf' => "l = ${l} [2]\n", 'maybe.conf' => "l = ${?l} [2]\n", 'nested.conf' => "o { l = ${?o.l} [2], k = ${?o.k}x }\n",
  'object.conf' => "o { b = 3, c = 4 }\n", 'null.conf' => "o = null\n", 'text.yaml' => "v: 1\n", 'p.properties' => "pr = 1\n"
}.freeze

puts JSON.generate(files: FILES)
CASES = DATA.read.split(/^%%\n/)

Dir.mktmpdir('hocon-cases') do |dir|
  Dir.chdir(dir)
  FILES.each do |name, text|
    Dir.mkdir('sub') if name.include?('/') && !Dir.exist?('sub')
    File.write(name, text.gsub('DIR', dir))
  end
  CASES.each do |text|
    text = text.chomp
    kase = { hocon: text }
    begin
      kase[:value] = JSON.generate(Hocon.parse(text.gsub('DIR', dir)))
    rescue StandardError => e
      kase[:error] = e.message.lines.first.chomp.sub(/  Trace: \[.*/m, '').gsub(dir, 'DIR')
      kase[:own] = true unless e.is_a?(Hocon::ConfigError) # a failure of the library itself
    end
    puts JSON.generate(kase)
  end
end
__END__
include file("DIR/one.conf")
%%
x = 0
include file("DIR/one.conf")
v = 2
%%
v = 0
include file("DIR/one")
x = 1
%%
include file("DIR/one.json")
%%
include "one.conf"
x = 1
%%
include "one"
x = 1
%%
include "DIR/one.conf"
x = 1
%%
include file("one.conf")
%%
include file("DIR/none.conf"), x = 1
%%
include file("DIR/none")
x = 1
%%
include file("DIR/sub")
x = 1
%%
include file("DIR/text.yaml")
x = 1
%%
include file("DIR/p.properties")
%%
include file("DIR/empty.conf")
x = 1
%%
include file("DIR/list.conf")
%%
include file("DIR/broken.conf")
%%
include file("DIR/beside.conf")
%%
include file("DIR/both.conf")
%%
include file("DIR/missing.conf")
%%
include file("DIR/absolute.conf")
%%
include file("DIR/gone.conf")
x = 1
%%
include file("DIR/loop.conf")
%%
include file("DIR/ping.conf")
%%
base = 7
include file("DIR/down.conf")
%%
base = 0
include file("DIR/base.conf")
after = 1
%%
outer = 1
p.q { include file("DIR/open.conf") }
%%
outer = 1
include file("DIR/open.conf")
w = 2
%%
p { include file("DIR/open.conf")
 w = 3 }
p.outer = 4
%%
p = [ { include file("DIR/one.conf") } ]
%%
p = [ { include file("DIR/open.conf") } ]
%%
include file("DIR/unresolved.conf")
%%
a { include file("DIR/unresolved.conf") }
%%
a { include file("DIR/unresolved.conf") }
nothing = 1
%%
l = [0]
include file("DIR/append.conf")
l += 9
%%
include file("DIR/append.conf")
l += 9
%%
a { l = [0]
include file("DIR/append.conf") 
l += 9
}
%%
a { include file("DIR/append.conf") }
%%
l = [0]
include file("DIR/more.conf")
l += 9
%%
a { l = [0]
include file("DIR/more.conf")
}
%%
a { include file("DIR/maybe.conf") }
%%
o { l = [1], k = a }
include file("DIR/nested.conf")
%%
include file("DIR/nested.conf")
%%
o { a = 1, b = 2 }
include file("DIR/object.conf")
%%
o { a = 1, b = 2 }
include file("DIR/null.conf")
%%
include file("DIR/object.conf")
o = 5
%%
include file( "DIR/one.conf" ) // comment
include file("DIR/object.conf")# comment
%%
include
  file("DIR/one.conf")
%%
include # comment
 "one"
%%
include"one"
%%
include file("DIR/one.conf") y = 2
%%
include "one" "x"
%%
include "one" 5
%%
include "one" true
%%
include "one" null
%%
include required("one.conf")
%%
include required(file("DIR/one.conf"))
%%
include foo
%%
include = 5
%%
include
%%
include : 5
%%
include { a = 1 }
%%
include [
%%
include 5
%%
include true
%%
include file(foo)
%%
include file (
%%
include file("x"
%%
include file("x"y)
%%
include file( 5)
%%
include x = 1
%%
include.x = 1
%%
includes = 1
%%
"include" = 1
%%
a = 1 include "x"
%%
a = [include "x"]
%%
a = include
%%
a.include = 1
%%
include url("http://x/")
%%
include classpath("x")
%%
include "http://x/y"
%%
include "file:///x/y"
%%
l += 1
%%
l += 1
l += 2
%%
l = ${?l} [1]
%%
l = ${l} [1]
%%
a.l = ${?a.l} [1]
a.l = ${a.l} [2]
b = ${a}
%%
a { b = 1, c = ${a.b}
 d = ${a.c} }
a.b = 5
%%
a = ${b}
b = ${a}
%%
a { b = ${a} }
%%
a = ${?b}
b = ${?a}
%%
a = { x = 1 }
a = ${a} { y = 2 }
a = ${c} { y = 3 }
c = { z = 1, y = 9 }
%%
a = ${?n}
a = ${?n}x
b = [${?n}, 1]
c = ${?n} ${?n}
d = "x"${?n}
e { f = ${?n} }
%%
a = 10s, b = 512k, c = 10 seconds, d = 1.5 MB
%%
b = """a"b""c"""""
c = "a"  "b"
d = a   b  
e =  a"b"c  
f = 1 a
g = true x
h = null x
i = 1.0 x
j = 010 x
k = 1e3x
%%
a = """
  x
 y"""
%%
a = [1,2] [3]
b = {x=1} {y=2}
c = [{x=1} {y=2}, {z=3}]
d = [1 2, 3
4]
e = ${a} [4] ${a}
f = ${b} {x = 5}
g={x=1}{x={y=1}}{x={z=2}}
%%
a = 1
a = {x=1}
a = {y=2}
b = {x=1}
b = 3
b = {z=1}
c = [1]
c = {x=1}
c = [2]
d = {x=1}
d = null
d = {y=1}
%%
a = [1] 2
%%
a = {x=1} [2]
%%
a = {x=1} x
%%
a = {x=1} "x"
%%
a = [1] [2] x "y" true
%%
a = [1] x
%%
a = x {x=1}
%%
a = 1.5 [2]
%%
a = true [2]
%%
a = null [2]
%%
a = "q" x 5 [2]
%%
a = [{k: "v", "l m": [1.5,null,true]}] 5
%%
a = ${b} x
b = [1]
%%
a = ${b}
b = [1]
c = ${b}${b}
%%
a = 1,, b = 2
%%
,a = 1
%%
a = [1,,2]
%%
a = [,1]
%%
a = [1,]
%%
a =
%%
a = 
b = 2
%%
a
%%
a b
%%
-3
.5
%%
a..b = 1
%%
.a = 1
%%
a. = 1
%%
a = b & c
%%
&a = 1
%%
}
%%
a = 1 }
%%
{a=1
%%
{a=1} b=2
%%
a = ]
%%
[1
%%
a=[1 b=2
%%
a=[1 }
%%
a : b : c
%%
a = b = c
%%
a = [ { l += 1 } ]
%%
l += [ 1 ]
%%
l += { m += 1 }
%%
1 = 2
1.2 = 3
true = 4
-x = 5
null.x = 6
"" = 7
%%
a = 1 // c
b = x//y
d = a#b
e = a/b
%%
c = http://x
%%
a = 0x10
b = 1_000
c = -
d = --1
f = 1.
h = 1e
j = 1E5
l = 1.50
n = 1e-2
o = 9223372036854775807
%%
a = 1
b = ${a}
c = "${a}"
d = ${a}${b}
e = ${"a"}
f = ${ a }
%%
a = ${b.c}
b { c = { d = 1 } }
e = ${b.c.d}
%%
a = ${b.c.d}
b { c = 1 }
%%
a { b { c = 1 } }
a.b.d = 2
a = { e = 3 }
a.b = { f = 4 }
%%
a = {}
b = []
c = ""
d = null
%%
{}
%%
{ a = 1 },
%%
// only a comment
%%
a = yes
b = on
c = TRUE
d = Null
%%
"a.b".c = 1
a."b.c" = 2
"x y" z = 3
%%
a { b : 1
, c : 2 }
%%
a = "tab\there \u00e9 \/ \\ \""
%%
a = ${//a} b
%%
a = ${#a} b
%%
x = 1
a = ${b //c
}
%%
x=1
a = ${b #c


}
%%
x=1
a = ${b


}
%%
x=1

a = ${}

%%
x=1

a = ${?b
%%
a = ${b,c}
%%
a = ${b{c}
%%
a = ${b.}
%%
a = ${ //c
 b}
%%
a = 5, b = ${ a }
%%
a = 5, b = ${"a" }
%%
4+=44444444444444444444444444444111111
%%
a = 44444444444444444444444444444, a += 5
%%
a = 1+2
%%
a = -+
%%
a = 1e+
%%
a = 1e+2
%%
4 += [1]
%%
4e+=1
%%
x.4+=1
