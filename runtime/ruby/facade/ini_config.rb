# Puppet::Util::IniConfig: edits files with sections and settings, and keeps the order of their lines.
module Puppet
  module Util
    module IniConfig
      class IniParseError < Puppet::Error
        include Puppet::ExternalFileError
      end

      class Section
        attr_reader :name, :file, :entries
        attr_writer :destroy

        def initialize(name, file)
          @name = name
          @file = file
          @entries = []
        end

        def destroy?
          @destroy ? true : false
        end

        def dirty?
          @dirty || destroy?
        end

        def mark_dirty
          @dirty = true
        end

        def mark_clean
          @dirty = false
        end

        def add_line(line)
          @entries << line
        end

        def [](key)
          pupc_entry(key)&.last
        end

        def []=(key, value)
          @dirty = true
          entry = pupc_entry(key)
          entry ? entry[1] = value : @entries << [key, value]
        end

        def format
          return +'' if destroy?

          @entries.reduce(+"[#{name}]\n") { |text, entry| text << (entry.is_a?(Array) ? (entry[1].nil? ? '' : "#{entry[0]}=#{entry[1]}\n") : entry) }
        end

        private

        def pupc_entry(key)
          @entries.find { |entry| entry.is_a?(Array) && entry[0] == key }
        end
      end

      class PhysicalFile
        COMMENT = /^\s*$|^[#;]|^\s*rem\s/i.freeze
        attr_reader :filetype, :contents
        attr_accessor :destroy_empty, :file_collection

        def initialize(file, options = {})
          @file = file
          @contents = []
          @filetype = FileType.filetype(:flat).new(file)
          @destroy_empty = options.fetch(:destroy_empty, false)
        end

        def read
          raise IniParseError, "Cannot read nonexistent file #{@file.inspect}" unless ::File.exist?(@file)

          parse(@filetype.read)
        end

        def parse(text)
          section = setting = nil
          text.each_line.with_index(1) do |line, number|
            case line
            when COMMENT then section ? section.add_line(line) : @contents << line
            when ->(l) { section && setting && l.match?(/^[ \t\r\n\f]/) } then section[setting] += "\n#{line.chomp}"
            when /^\[([^\]]+)\]/
              section&.mark_clean
              section = add_section(Regexp.last_match(1))
              setting = nil
            when /^\s*([^\s=]+)\s*=\s*(.*)$/
              setting, value = Regexp.last_match(1), Regexp.last_match(2).rstrip
              raise IniParseError, "Property with key #{setting.inspect} outside of a section" unless section

              section[setting] = value
            else raise IniParseError.new("Can't parse line '#{line.chomp}'", @file, number)
            end
          end
          section&.mark_clean
        end

        def sections
          @contents.grep(Section)
        end

        def get_section(name)
          sections.find { |s| s.name == name }
        end

        def add_section(name)
          if get_section(name) || file_collection&.get_section(name)
            raise IniParseError.new("Section #{name.inspect} is already defined, cannot redefine", @file)
          end

          Section.new(name, @file).tap { |section| @contents << section }
        end

        def format
          @contents.map { |part| part.is_a?(Section) ? part.format : part }.join
        end

        def store
          if destroy_empty && sections.all?(&:destroy?) then ::File.unlink(@file)
          elsif sections.any?(&:dirty?) then @filetype.write(format)
          end
          sections.each(&:mark_clean)
        end
      end

      class FileCollection
        attr_reader :files

        def initialize
          @files = {}
        end

        def read(file)
          new_physical_file(file).read
        end

        def store
          @files.each_value(&:store)
        end

        def each_section(&block)
          @files.values.flat_map(&:sections).each(&block)
        end

        def each_file(&block)
          @files.keys.each(&block)
        end

        def get_section(name)
          @files.values.filter_map { |f| f.get_section(name) }.last
        end
        alias [] get_section

        def include?(name)
          get_section(name) ? true : false
        end

        def add_section(name, file)
          (@files[file] || new_physical_file(file)).add_section(name)
        end

        private

        def new_physical_file(file)
          @files[file] = PhysicalFile.new(file).tap { |opened| opened.file_collection = self }
        end
      end
      File = FileCollection
    end
  end
end
