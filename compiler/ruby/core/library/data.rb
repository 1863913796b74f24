# -- file
# Options of what reads JSON and YAML.
class JSON
  def self.parse(text, symbolize_names: false, create_additions: false, max_nesting: 100, allow_nan: false, object_class: nil, **others)
    PupcCore.ruby if create_additions || allow_nan || !others.empty? || (object_class && object_class != OpenStruct)
    found = parse(text)
    raise JSON::NestingError, PupcCore.ruby if max_nesting.is_a?(Integer) && max_nesting > 0 && __depth(found) > max_nesting
    return __objects(found) if object_class

    symbolize_names ? __symbols(found) : found
  end

  def self.parse!(text, **options)
    parse(text, **options)
  end

  def self.load(text, *args)
    PupcCore.ruby unless args.empty? && text.is_a?(String) && text =~ /\A\s*[\[{]/
    parse(text)
  end

  def self.__depth(value)
    return 0 unless value.is_a?(Array) || value.is_a?(Hash)

    1 + ((value.is_a?(Hash) ? value.values : value).map { |inner| __depth(inner) }.max || 0)
  end

  def self.__objects(value)
    case value
    when Hash then OpenStruct.new(value.transform_values { |inner| __objects(inner) })
    when Array then value.map { |inner| __objects(inner) }
    else value
    end
  end

  def self.load_file(path, **options)
    parse(File.read(path), **options)
  end

  def self.dump(value)
    JSON.generate(value)
  end

  def self.__symbols(value)
    case value
    when Hash then value.to_h { |key, inner| [key.to_sym, __symbols(inner)] }
    when Array then value.map { |inner| __symbols(inner) }
    else value
    end
  end
end
# -- file
class YAML
  def self.load_stream(text)
    PupcCore.ruby if text =~ /^(%|\.\.\.)|[|>][-+0-9]*\s*$/
    parts = text.split(/^---(?:\s+|$)/, -1)
    parts.shift if parts.size > 1 && parts[0] =~ /\A(\s|#.*$)*\z/
    parts.map { |part| __unsafe_load(part) }
  end

  def self.safe_load(text, permitted_classes: [], permitted_symbols: [], aliases: false, symbolize_names: false, filename: nil)
    PupcCore.ruby unless permitted_symbols.empty?
    names = permitted_classes.map(&:to_s)
    permitted = (names.include?('Date') ? 1 : 0) + (aliases ? 2 : 0)
    found = names.include?('Symbol') ? __load(text, permitted) : __safe_load(text, permitted)
    symbolize_names ? JSON.__symbols(found) : found
  end

  def self.safe_load_file(path, **options)
    options.empty? ? __safe_load_file(path) : safe_load(File.read(path), **options)
  end

  def self.load(text, symbolize_names: false, aliases: false, permitted_classes: [], filename: nil)
    found = __load(text, (permitted_classes.map(&:to_s).include?('Date') ? 1 : 0) + (aliases ? 2 : 0))
    symbolize_names ? JSON.__symbols(found) : found
  end

  def self.load_file(path, **options)
    options.empty? ? __load_file(path) : load(File.read(path), **options)
  end
end
# -- file
# Deep copies of data, which is what code makes of it.
module Marshal
  class Dumped
    def initialize(value)
      @value = value
    end

    def __value
      @value
    end
  end

  def self.dump(value)
    Dumped.new(__copy(value))
  end

  def self.load(dumped)
    PupcCore.ruby unless dumped.is_a?(Dumped)
    __copy(dumped.__value)
  end

  def self.__copy(value)
    case value
    when Hash then value.to_h { |key, inner| [key.is_a?(String) ? key : __copy(key), __copy(inner)] }
    when Array then value.map { |inner| __copy(inner) }
    when String then value.dup
    when Integer, Float, Symbol, nil, true, false then value
    else PupcCore.ruby
    end
  end
end
# -- file
module Zlib
  def self.crc32(text = nil, crc = 0)
    return 0 if text.nil?

    crc ^= 0xffffffff
    text.each_byte do |byte|
      crc ^= byte
      8.times { crc = crc.odd? ? (crc >> 1) ^ 0xedb88320 : crc >> 1 }
    end
    crc ^ 0xffffffff
  end

  def self.adler32(text = nil, adler = 1)
    return 1 if text.nil?

    a = adler & 0xffff
    b = adler >> 16
    text.each_byte do |byte|
      a = (a + byte) % 65_521
      b = (b + a) % 65_521
    end
    (b << 16) | a
  end
end
# -- file
# Sorts by what depends on what.
module TSort
  class Cyclic < StandardError
  end

  def tsort
    TSort.__tsort(method(:tsort_each_node), method(:tsort_each_child))
  end

  def tsort_each(&block)
    tsort.each(&block)
  end

  def strongly_connected_components
    TSort.strongly_connected_components(method(:tsort_each_node), method(:tsort_each_child))
  end

  def each_strongly_connected_component(&block)
    strongly_connected_components.each(&block)
  end

  def self.tsort(each_node, each_child)
    __tsort(each_node, each_child)
  end

  def self.__tsort(each_node, each_child)
    strongly_connected_components(each_node, each_child).map do |component|
      raise Cyclic, "topological sort failed: #{component.inspect}" if component.size > 1

      component[0]
    end
  end

  def self.tsort_each(each_node, each_child, &block)
    tsort(each_node, each_child).each(&block)
  end

  def self.strongly_connected_components(each_node, each_child)
    found = []
    ids = {}
    stack = []
    each_node.call { |node| __visit(node, each_child, ids, stack, found) unless ids.key?(node) }
    found
  end

  def self.__visit(node, each_child, ids, stack, found)
    lowest = own = ids[node] = ids.size
    depth = stack.size
    stack << node
    each_child.call(node) do |child|
      if ids.key?(child)
        lowest = ids[child] if ids[child] && ids[child] < lowest
      else
        below = __visit(child, each_child, ids, stack, found)
        lowest = below if below < lowest
      end
    end
    return lowest if lowest != own

    component = stack.slice!(depth..)
    component.each { |one| ids[one] = nil }
    found << component
    own
  end
end
# -- file
class IPAddr
  def self.const_defined?(name)
    PupcCore.ruby unless %w[Error AddressFamilyError InvalidAddressError InvalidPrefixError].include?(name.to_s)
    true
  end

  def __other(other)
    PupcCore.ruby unless other.is_a?(IPAddr)
    other
  end

  def <(other)
    (self <=> __other(other)) < 0
  end

  def >(other)
    (self <=> __other(other)) > 0
  end

  def <=(other)
    (self <=> __other(other)) <= 0
  end

  def >=(other)
    (self <=> __other(other)) >= 0
  end

  def ipv4_mapped
    PupcCore.ruby unless ipv4?
    IPAddr.new(0xffff00000000 + to_i, 10)
  end

  def ip6_arpa
    PupcCore.ruby unless ipv6?
    reverse
  end

  def hton
    bytes = to_i.to_s(16).rjust(ipv4? ? 8 : 32, '0')
    [bytes].pack('H*')
  end

  def ~
    bits = ipv4? ? 32 : 128
    IPAddr.new(((1 << bits) - 1) ^ to_i, family)
  end

  def self.new_ntoh(bytes)
    ntop = bytes.bytes
    IPAddr.new(ntop.size == 4 ? ntop.join('.') : bytes.unpack('n8').map { |part| part.to_s(16) }.join(':'))
  end

  def netmask
    bits = ipv4? ? 32 : 128
    IPAddr.new((1 << bits) - (1 << (bits - prefix)), family).to_string
  end

  def private?
    text = to_s
    return text.start_with?('10.', '192.168.') || text =~ /\A172\.(1[6-9]|2\d|3[01])\./ ? true : false if ipv4?

    PupcCore.ruby if text =~ /\A::(ffff:)?\d+\./
    to_i >> 121 == 0x7e
  end

  def loopback?
    ipv4? ? to_i >> 24 == 127 : to_i == 1
  end

  def link_local?
    PupcCore.ruby if to_s =~ /\A::(ffff:)?\d+\./
    ipv4? ? to_i >> 16 == 0xa9fe : to_i >> 118 == 0x3fa
  end
end
# -- file
# The numbers of address families, which IPAddr takes.
class Socket
  AF_UNSPEC = 0
  AF_INET = 2
  AF_INET6 = 10
end
