# frozen_string_literal: true
# Makes the case files of this directory from Puppet:   ruby -W0 make_cases.rb
#   expressions_*.tsv   expression, value as a program has it or "! message"
#   instances.tsv       type, one character per value of values.txt: 1 it is an instance, 0 it is not, - that cannot be asked
#   assignable.tsv      type, one character per type of types.txt: 1 the other one is assignable to it
#   rich_data.tsv       expression, its form in a catalog's JSON
require_relative 'oracle'
require_relative 'pools'
require_relative 'conversions'
include TypeOracle # rubocop:disable Style/MixinUsage

def write(name, rows)
  File.write(File.join(__dir__, name), rows.map { |r| "#{r.map { |f| TypeOracle.field(f) }.join("\t")}\n" }.join)
end

def ask(scope, expressions)
  expressions.uniq.map { |e| [e, TypeOracle.answer(scope, e)] }.reject { |_, a| a =~ /:0x0000|undefined (?:method|local)|# 1: scheme/ } # neither addresses, nor Puppet's own faults, nor Ruby's long pattern of URIs
end

# A deterministic choice of about one in n.
def pick(list, n)
  list.each_with_index.select { |_, i| (i * 2_654_435_761 >> 7) % n == 0 }.map(&:first)
end

calculator = Puppet::Pops::Types::TypeCalculator.singleton
TypeOracle.session(ALIASES) do |scope|
  named = lambda do |list|
    list.map { |e| [e, (TypeOracle.value(scope, e) rescue :none)] }.reject { |_, v| v == :none }.transpose
  end
  type_names, types = named.call(TYPES)
  value_names, values = named.call(VALUES)
  File.write(File.join(__dir__, 'aliases.pp'), ALIASES)
  write('types.txt', type_names.map { |t| [t] })
  write('values.txt', value_names.map { |v| [v] })

  ask_bit = lambda do |&block|
    block.call ? '1' : '0'
  rescue StandardError, SystemStackError
    '-'
  end
  write('instances.tsv', type_names.zip(types).map { |n, t| [n, values.map { |v| ask_bit.call { t.instance?(v) } }.join] })
  write('assignable.tsv', type_names.zip(types).map { |n, t| [n, types.map { |o| ask_bit.call { t.assignable?(o) } }.join] })
  common = lambda do |x, y|
    calculator.common_type(x, y).to_s
  rescue StandardError, SystemStackError
    '-'
  end
  pairs = pick(types.product(types).each_with_index.map { |p, i| [type_names[i / types.size], type_names[i % types.size], *p] }, 15)
  write('common.tsv', pairs.map { |a, b, x, y| [a, b, common.call(x, y)] })

  write('expressions_types.tsv', ask(scope, TYPES + TYPES.map { |t| "\"\${#{t}}\"" } + TYPES.map { |t| "type(#{t})" } + (PARAMETERISED.product(PARAMETERS) + pick(NOT_PARAMETERISED.product(PARAMETERS), 12)).map { |t, p| "#{t}[#{p}]" }.reject { |e| e.end_with?('[]') }))
  infer = VALUES.flat_map { |v| ["type(#{v})", "type(#{v}, 'reduced')", "type(#{v}, generalized)"] } + pick(VALUES.product(VALUES), 6).map { |a, b| "type([#{a}, #{b}], reduced)" } +
          pick(VALUES.product(VALUES), 13).map { |a, b| "type({k => #{a}, l => #{b}}, generalized)" }
  write('expressions_infer.tsv', ask(scope, infer))
  mismatches = type_names.product(value_names).each_with_index.reject { |_, i| ask_bit.call { types[i / values.size].instance?(values[i % values.size]) } != '0' }.map(&:first)
  write('expressions_mismatch.tsv', ask(scope, pick(mismatches, 7).map { |t, v| "assert_type(#{t}, #{v})" }))
  write('expressions_new.tsv', ask(scope, NEW_CALLS))
  write('expressions_format.tsv', ask(scope, FORMAT_CALLS))
  write('expressions_text.tsv', ask(scope, pick(VALUES.product(VALUES), 20).map { |a, b| "\"\${[#{a}, {#{b} => #{a}}]}\"" }))

  rich = lambda do |e|
    value = TypeOracle.value(scope, e)
    JSON.generate(Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true, symbol_as_string: true, local_reference: false, type_by_reference: true, message_prefix: 'x'))
  rescue StandardError, SystemStackError => e
    "! #{e.message}"
  end
  write('rich_data.tsv', (TYPES + VALUES).map { |e| [e, rich.call(e)] })
end
