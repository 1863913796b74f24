# The parts of Puppet::Util that read and write texts, for all Ruby workers.
module Puppet
  module Util
    module Json
      class ParseError < StandardError; end

      class << self
        def load(text, options = {})
          JSON.parse(text, options)
        rescue JSON::ParserError => e
          raise ParseError, e.message
        end

        def load_file(file, options = {})
          load(File.read(file), options)
        end

        def load_file_if_valid(file, options = {})
          load_file(file, options)
        rescue ParseError, SystemCallError
          nil
        end

        def dump(value, options = {})
          options[:pretty] ? JSON.pretty_generate(value) : JSON.generate(value)
        end
      end
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      class << self
        # The value; false for a text without one.
        def safe_load(text, allowed = [], file = nil)
          YAML.safe_load(text, permitted_classes: allowed, aliases: true, filename: file) || false
        rescue Psych::SyntaxError => e
          raise YamlLoadError.new(e.message, e)
        rescue Psych::Exception => e
          raise YamlLoadError.new("(#{file || '<unknown>'}): #{e.message}", e)
        end

        def safe_load_file(file, allowed = [])
          safe_load(File.read(file, encoding: 'BOM|UTF-8'), allowed, file)
        end

        def safe_load_file_if_valid(file, allowed = [])
          safe_load_file(file, allowed)
        rescue YamlLoadError, ArgumentError, SystemCallError
          nil
        end

        def dump(value, file)
          Util.replace_file(file, 0o660) { |f| f.write(YAML.dump(value)) }
        end
      end
    end

    # Checksums of texts and files. The `lite` ones look at the first 512 bytes only.
    module Checksums
      LENGTHS = { sha256: 64, sha256lite: 64, md5: 32, md5lite: 32, sha1: 40, sha1lite: 40, sha512: 128, sha384: 96, sha224: 56 }.freeze
      module_function

      LENGTHS.each do |name, length|
        define_method(name) { |text| OpenSSL::Digest.hexdigest(name.to_s.delete_suffix('lite').upcase, name.to_s.end_with?('lite') ? text[0, 512] : text) }
        define_method(:"#{name}_file") { |path, **| public_send(name, File.binread(path.to_s, *(512 if name.to_s.end_with?('lite')))) }
        define_method(:"#{name}?") { |text| text.match?(/\A\h{#{length}}\z/) }
        define_method(:"#{name}_hex_length") { length }
        [name, :"#{name}_file", :"#{name}?", :"#{name}_hex_length"].each { |method| module_function method }
      end
      %i[mtime ctime].each do |name|
        define_method(name) { |_text| '' }
        define_method(:"#{name}_file") { |path, **| File.stat(path.to_s).public_send(name) }
        module_function name, :"#{name}_file"
      end

      def none(_text)
        ''
      end
      alias none_file none
      module_function :none_file

      def known_checksum_types
        LENGTHS.keys + %i[mtime ctime none]
      end

      def valid_checksum?(type, value)
        LENGTHS.key?(type.to_sym) ? Checksums.public_send(:"#{type}?", value) : false
      end

      def checksum?(text)
        text.match?(/^\{(\w{3,9})\}\S+/)
      end

      def sumdata(checksum)
        checksum[/^\{\w+\}(.+)/m, 1]
      end

      def sumtype(checksum)
        checksum[/^\{(\w+)\}/, 1]
      end
    end

    module CharacterEncoding
      module_function

      def convert_to_utf_8(text)
        text = text.dup if text.frozen?
        return text if text.encoding == ::Encoding::UTF_8 && text.valid_encoding?
        return text.force_encoding(::Encoding::UTF_8) if text.encoding == ::Encoding::BINARY && text.dup.force_encoding(::Encoding::UTF_8).valid_encoding?

        text.encode(::Encoding::UTF_8)
      rescue ::EncodingError
        text
      end

      def override_encoding_to_utf_8(text)
        text.dup.force_encoding(::Encoding::UTF_8)
      end
    end

    module Docs
      attr_writer :doc

      def doc
        @doc || ''
      end

      def desc(text)
        @doc = text
      end

      def dochook(*); end

      # The text without the indentation of its second or a later line.
      def self.scrub(text)
        indent = text[/\n([ \t]+)\S/, 1]
        indent ? text.rstrip.gsub(/^#{indent}/, '') : text.rstrip
      end

      def scrub(text)
        Docs.scrub(text)
      end
    end

    module Tagging
      ValidTagRegex = /\A[[:alnum:]_][[:alnum:]_:.-]*\Z/.freeze

      def tags
        @tags ||= Set.new
      end

      # Adds tags; of a qualified one its parts too.
      def tag(*names)
        names.flatten.each do |name|
          name = name.to_s.downcase
          raise Puppet::ParseError, "Invalid tag '#{name}'" unless valid_tag?(name)

          tags.merge([name, *(name.split('::') if name.include?('::'))])
        end
      end

      def tag_if_valid(name)
        tag(name) if name.is_a?(String) && valid_tag?(name)
      end

      def tags=(names)
        @tags = Set.new
        tag(*(names.is_a?(String) ? names.strip.split(/\s*,\s*/) : names)) unless names.nil? || names == ''
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end

      def raw_tagged?(names)
        names.any? { |name| tags.include?(name) }
      end

      def valid_tag?(name)
        ValidTagRegex.match?(name)
      end
    end
  end
end
