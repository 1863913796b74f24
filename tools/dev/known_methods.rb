# frozen_string_literal: true

# Writes compiler/ruby/values/known_methods.inc: which methods Ruby's own classes have.
#
#   ruby -W0 --disable-gems tools/dev/known_methods.rb > compiler/ruby/values/known_methods.inc
#
# A number behind a name is the number of arguments that the method takes, where it takes exactly that many. A name behind ~ is there only
# when a library has been loaded, so nothing can be said of it.
CLASSES = [Object, NilClass, TrueClass, FalseClass, Integer, Float, Symbol, String, Array, Hash, Range, Regexp, MatchData, Proc].freeze
# What Puppet's own monkey patches add to every object.
PUPPETS = %i[meta_eval meta_def meta_undef class_def daemonize].freeze

entry = lambda do |type, name|
  arity = type.instance_method(name).arity
  arity.negative? ? name.to_s : "#{name}/#{arity}"
end

own = CLASSES.to_h { |type| [type, type.public_instance_methods] }
hidden = Object.private_instance_methods
rows = CLASSES.to_h do |type|
  names = own[type]
  names = names.reject { |n| own[Object].include?(n) && entry[type, n] == entry[Object, n] } unless type == Object
  [type, names.sort.map { |n| entry[type, n] }]
end
arguments = hidden.sort.map(&:to_s)
%w[json yaml set ipaddr uri time date shellwords digest base64 securerandom tempfile fileutils pathname bigdecimal bigdecimal/util strscan net/http open3 cgi zlib
   etc open-uri tmpdir ostruct timeout openssl erb pp csv delegate tsort observer weakref benchmark logger resolv].each { |library| require library }
rows.each do |type, names|
  more = type.public_instance_methods - own[type]
  more -= Object.public_instance_methods unless type == Object
  names.concat((type == Object ? more | PUPPETS : more).sort.map { |n| "~#{n}" })
end
arguments.concat((Object.private_instance_methods - hidden).sort.map { |n| "~#{n}" })

puts '// Methods of Ruby 3.1 by class; those of Object belong to all, the private ones of Kernel too. Written by tools/dev/known_methods.rb.'
rows.merge('Kernel' => arguments).each do |type, names|
  lines = [+' ']
  names.each do |name|
    lines << +'' if lines.last.size + name.size > 130
    lines.last << name << ' '
  end
  puts "{RubyClass::#{type},", lines.map { |l| "    #{l.dump}" }, '},'
end
