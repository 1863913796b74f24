# frozen_string_literal: true
# The Ruby half of ruby_api.py: what files of modules use of Puppet's Ruby API, and whether the facade has it.
#   ruby ruby_api.rb FACADE_FILE… -- < PATHS (one a line)
# One JSON document on stdout: {"NAME": {"count", "example", "supported"}}. A name is a constant's path, a method of one ("Puppet::Util.which"),
# or a method of what functions see of the compile ("scope.lookupvar", "catalog.resource").
require 'erb'
require 'json'
require 'ripper'

ROOTS = %w[Puppet Facter Hiera SemanticPuppet].freeze
# What these names stand for, at the beginning of a chain of calls and inside it.
CLASSES = {
  'scope' => 'Puppet::Parser::Scope', 'closure_scope' => 'Puppet::Parser::Scope', 'topscope' => 'Puppet::Parser::Scope',
  'compiler' => 'Puppet::Parser::Compiler', 'catalog' => 'Puppet::Resource::Catalog', 'environment' => 'Puppet::Node::Environment',
  'node' => 'Puppet::Node', 'known_resource_types' => 'Puppet::Resource::TypeCollection',
  'type' => 'Puppet::Resource::Type', 'resource' => 'Puppet::Parser::Resource'
}.freeze
# What calls on these give, and what `new` of these classes gives.
RESULTS = {
  'find_hostclass' => 'type', 'find_definition' => 'type', 'hostclass' => 'type', 'definition' => 'type', 'class_scope' => 'scope',
  'newscope' => 'scope', 'resource' => 'resource', 'findresource' => 'resource', 'ensure_in_catalog' => 'resource'
}.freeze
MADE = { 'Puppet::Resource::Type' => 'type', 'Puppet::Parser::Resource' => 'resource' }.freeze
FIRST = %w[scope closure_scope].freeze
FIRST_IN_OLD_FUNCTIONS = %w[compiler catalog environment known_resource_types].freeze
# Methods of the scope that functions of the old API call without a receiver.
OF_SCOPE = %w[lookupvar setvar findresource find_hostclass find_definition class_scope call_function to_hash compiler catalog environment
              known_resource_types resource lookupdefaults tags].freeze

class Uses
  attr_reader :found

  def initialize
    @found = {}
  end

  def read(path)
    text = File.read(path, encoding: Encoding::UTF_8).scrub('?')
    text = ERB.new(text, trim_mode: '-').src if path.end_with?('.erb')
    tree = Ripper.sexp(text)
    return if tree.nil?

    @path = path
    @holds = {}
    @old = path.include?('/parser/functions/')
    @defined = text.scan(/^\s*(?:class|module)\s+((?:Puppet|Facter|Hiera)(?:::\w+)*)/).flatten
    visit(tree)
  end

  private

  def add(name)
    return if @defined.any? { |own| name == own || name.start_with?("#{own}::", "#{own}.") }

    entry = (@found[name] ||= { 'count' => 0, 'example' => @path })
    entry['count'] += 1
  end

  def visit(node)
    return unless node.is_a?(Array)

    case node[0]
    when :call, :command_call then return if method_use(node)
    when :assign
      name = node[1].is_a?(Array) && node[1][0] == :var_field && node[1][1].is_a?(Array) ? node[1][1][1] : nil
      @holds[name] = made_by(node[2]) if name
    when :aref then add("#{chain(node[1])}.[]") if chain(node[1])
    when :const_path_ref
      path = constant(node)
      add(path) if path && ROOTS.include?(path.split('::')[0])
      return if path
    when :fcall, :vcall, :command
      name = node[1].is_a?(Array) && node[1][0] == :@ident ? node[1][1] : nil
      add("scope.#{name}") if @old && name && (OF_SCOPE.include?(name) || name.start_with?('function_'))
    end
    node.each { |part| visit(part) }
  end

  # Notes receiver.method; whether the receiver needs no further look.
  def method_use(node)
    method = node[3].is_a?(Array) && node[3][0] == :@ident ? node[3][1] : nil
    return false if method.nil?

    if (path = constant(node[1])) && ROOTS.include?(path.split('::')[0])
      add("#{path}.#{method}")
    elsif (receiver = chain(node[1]))
      add("#{receiver}.#{method}")
    end
    false
  end

  # "A::B" of a constant, nil for anything else.
  def constant(node)
    return unless node.is_a?(Array)

    case node[0]
    when :var_ref, :top_const_ref then node[1][0] == :@const ? node[1][1] : nil
    when :const_path_ref
      outer = constant(node[1])
      outer && "#{outer}::#{node[2][1]}"
    end
  end

  # The name in CLASSES of what `Puppet::Resource::Type.new(…)`, `scope.find_hostclass(…)` and the like give.
  def made_by(node)
    return unless node.is_a?(Array)
    return made_by(node[1]) if %i[method_add_arg method_add_block].include?(node[0])
    return unless node[0] == :call && node[3].is_a?(Array)

    path = constant(node[1])
    path && node[3][1] == 'new' ? MADE[path] : (chain(node[1]) && RESULTS[node[3][1]]) || chain(node)
  end

  # The name in CLASSES that an expression stands for.
  def chain(node)
    return unless node.is_a?(Array)

    case node[0]
    when :var_ref, :vcall
      name = node[1].is_a?(Array) && node[1][0] == :@ident ? node[1][1] : nil
      return 'scope' if FIRST.include?(name)
      return @holds[name] if @holds[name]

      name if @old && FIRST_IN_OLD_FUNCTIONS.include?(name)
    when :method_add_arg then chain(node[1])
    when :call
      name = node[3].is_a?(Array) ? node[3][1] : nil
      return unless chain(node[1]) && CLASSES.key?(name)

      name == 'topscope' || name == 'closure_scope' ? 'scope' : name
    end
  end
end

facade = ARGV.take_while { |a| a != '--' }
uses = Uses.new
$stdin.each_line(chomp: true) { |path| uses.read(path) }

facade.each { |file| eval(File.read(file, encoding: Encoding::UTF_8).gsub('@PUPPET_VERSION@', '8.10.0'), TOPLEVEL_BINDING, file, 1) } # rubocop:disable Security/Eval

def supported?(name)
  owner, method = name.split('.', 2)
  if CLASSES.key?(owner)
    return Object.const_get(CLASSES[owner]).method_defined?(method) || method.start_with?('function_') || Object.method_defined?(method)
  end

  object = owner.split('::').reduce(Object) { |outer, part| outer.const_get(part, outer.equal?(Object)) }
  method.nil? || object.respond_to?(method, true)
rescue NameError
  false
end

uses.found.each { |name, entry| entry['supported'] = supported?(name) }
$stdout.puts JSON.generate(uses.found)
$stdout.flush
exit!(0)
