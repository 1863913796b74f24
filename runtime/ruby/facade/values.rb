# The parts of Puppet's value model that type code uses: Sensitive, and the text form of values in messages.
module Puppet
  module Pops
    module Types
      module PSensitiveType
        class Sensitive
          include PupcSensitive
        end
      end

      # A data type of the language, by its text. Only pupc knows what is one and what its instances are.
      class TypeParser
        Parsed = Struct.new(:text) do
          def instance?(value)
            PupcWorker.ask('type_mismatch', text, PupcWorker.encode(value), 'the value').nil?
          end
          alias_method :===, :instance?
          alias_method :to_s, :text
        end

        def self.singleton
          @singleton ||= new
        end

        def parse(text, _context = nil)
          problem = PupcWorker.ask('type_problem', text.to_s)
          raise Puppet::ParseError, problem if problem

          Parsed.new(text.to_s)
        end
      end

      # Formats values for messages.
      class StringConverter
        DEFAULT_PARAMETER_FORMAT = nil

        def self.convert(value, *_formats)
          Puppet.shown(value)
        end
      end
    end

    module Evaluator
      class DeferredValue; end
    end

    module Serialization
      module ToDataConverter
        def self.convert(value, *)
          value
        end
      end
    end
  end

  class << self
    # The form of a value in messages: 'text', 1, ['a', 'b']; hashes on several lines.
    def shown(value, level = 0, breaks = false)
      case value
      when String then quoted(value)
      when Symbol
        return 'default' if value == :default

        value == :undef ? (level.zero? ? '' : 'undef') : quoted(value.to_s)
      when nil then level.zero? ? '' : 'undef'
      when true, false, Integer then value.to_s
      when Float then level.zero? ? format('%f', value) : value.to_s
      when Array, Hash then shown_container(value, level, breaks)
      when Regexp
        pattern = value.options.zero? ? value.source : value.to_s
        level.zero? ? pattern : "/#{pattern.gsub(%r{(?<!\\\\)/}, '\\/')}/"
      when Pops::Types::PSensitiveType::Sensitive then 'Sensitive [value redacted]'
      else quoted(value.to_s)
      end
    end

    private

    def quoted(text)
      return double_quoted(text) if text.match?(/[\x00-\x1f]/)

      # Double a backslash only when it would escape the closing quote.
      "'#{text.gsub(/\\.|\\\z|'/m) { |found| { "'" => "\\'", '\\' => '\\\\' }.fetch(found, found) }}'"
    end

    def double_quoted(text)
      named = { "\t" => '\t', "\n" => '\n', "\r" => '\r', '"' => '\"', '$' => '\$', '\\' => '\\\\' }
      "\"#{text.gsub(/[\x00-\x1f"$\\]/) { |c| named[c] || format('\u{%X}', c.ord) }}\""
    end

    def shown_container(value, level, breaks)
      inner = '  ' * (level + 1)
      start = breaks ? "\n#{'  ' * level}" : ''
      if value.is_a?(Hash)
        return "#{start}{}" if value.empty? && !breaks

        members = value.map { |k, v| "#{inner}#{shown(k, level + 1)} => #{shown(v, level + 1)}" }
        return "#{start}{\n#{members.join(",\n")}\n#{'  ' * level}}"
      end
      out = +"#{start}["
      value.each_with_index do |item, i|
        nested = item.is_a?(Array) || item.is_a?(Hash)
        before = i.positive? && (value[i - 1].is_a?(Array) || value[i - 1].is_a?(Hash))
        out << (nested ? ',' : before ? ",\n#{inner}" : ', ') if i.positive?
        out << shown(item, level + 1, true)
      end
      out << ']'
    end
  end
end
