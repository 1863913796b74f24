# -- file
# Options of what reads JSON and YAML.
class JSON
  def self.parse(text, symbolize_names: false, **others)
    PupcCore.ruby unless others.empty?
    found = parse(text)
    symbolize_names ? __symbols(found) : found
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
  def self.safe_load(text, permitted_classes: [], permitted_symbols: [], aliases: false, symbolize_names: false, filename: nil)
    PupcCore.ruby if aliases && text =~ /[&*]\w/
    found = __safe_load(text)
    symbolize_names ? JSON.__symbols(found) : found
  end

  def self.safe_load_file(path, **options)
    options.empty? ? __safe_load_file(path) : safe_load(File.read(path), **options)
  end

  def self.load(text, symbolize_names: false, aliases: false, permitted_classes: [], filename: nil)
    PupcCore.ruby if aliases && text =~ /[&*]\w/
    found = __load(text)
    symbolize_names ? JSON.__symbols(found) : found
  end

  def self.load_file(path, **options)
    options.empty? ? __load_file(path) : load(File.read(path), **options)
  end
end
# -- file
# Sorts by what depends on what.
module TSort
  class Cyclic < StandardError
  end

  def tsort
    TSort.tsort(method(:tsort_each_node), method(:tsort_each_child))
  end

  def tsort_each(&block)
    tsort.each(&block)
  end

  def self.tsort(each_node, each_child)
    sorted = []
    done = {}
    each_node.call { |node| __visit(node, each_child, sorted, done, []) }
    sorted
  end

  def self.__visit(node, each_child, sorted, done, path)
    return if done[node]

    PupcCore.ruby if path.include?(node) # Ruby says which nodes are in the cycle
    each_child.call(node) { |child| __visit(child, each_child, sorted, done, path + [node]) }
    done[node] = true
    sorted << node
  end
end
# -- file
class IPAddr
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

  def hton
    bytes = to_i.to_s(16).rjust(ipv4? ? 8 : 32, '0')
    [bytes].pack('H*')
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
