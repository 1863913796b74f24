# Puppet::Provider::ParsedFile and its helpers: providers whose resources are lines of a file.
module Puppet
  module Util
    # Parses and formats lines of a file.
    module FileParsing
      # A kind of line: a record with fields, or text that stays unchanged.
      class FileRecord
        INVALID_FIELDS = %i[record_type target on_disk].freeze
        attr_accessor :absent, :joiner, :rts, :separator, :rollup, :name, :match, :block_eval
        attr_reader :fields, :optional, :type

        def initialize(type, options = {}, &block)
          @type = type.intern
          raise ArgumentError, "Invalid record type #{@type}" unless %i[record text].include?(@type)

          @rollup = true
          { absent: '', separator: /\s+/, joiner: ' ', optional: [] }.each { |name, value| instance_variable_set("@#{name}", value) } if @type == :record
          options.each { |name, value| public_send("#{name}=", value) unless value.nil? }
          return unless block

          @block_eval ||= :process
          @block_eval == :instance ? instance_eval(&block) : define_singleton_method(@block_eval, &block)
        end

        def fields=(fields)
          @fields = fields.map(&:intern).each { |f| raise ArgumentError, "Cannot have fields named #{f}" if INVALID_FIELDS.include?(f) }
        end

        def optional=(fields)
          @optional = fields.map(&:intern)
        end

        %i[post_parse pre_gen to_line].each { |hook| define_method("#{hook}=") { |block| define_singleton_method(hook, &block) } }

        def text?
          type == :text
        end

        # Joins the record's fields to a line.
        def join(details)
          fields.filter_map do |field|
            value = details[field]
            next value.to_s unless value.nil? || value == :absent || value == [:absent]
            raise ArgumentError, "Field '#{field}' is required" unless optional.include?(field)

            absent
          end.join(joiner)
        end
      end

      attr_writer :line_separator, :trailing_separator

      def line_separator
        @line_separator ||= "\n"
      end

      def trailing_separator
        defined?(@trailing_separator) ? @trailing_separator : true
      end

      def record_line(name, options, &block)
        raise ArgumentError, 'Must include a list of fields' unless options.key?(:fields)

        pupc_new_line_type(name, FileRecord.new(:record, options, &block))
      end

      def text_line(name, options, &block)
        raise ArgumentError, 'You must provide a :match regex for text lines' unless options.key?(:match)

        pupc_new_line_type(name, FileRecord.new(:text, options, &block))
      end

      def clear_records
        @record_types&.clear
      end

      def records?
        @record_types && !@record_types.empty? ? true : false
      end

      def record_type(name)
        @record_types[name.intern]
      end

      def fields(name)
        record_type(name)&.fields&.dup
      end

      def valid_attr?(type, attribute)
        attribute.intern == :ensure || (record_type(type)&.fields || []).include?(attribute.intern)
      end

      # -- reading

      def lines(text)
        text.split(line_separator)
      end

      def parse(text)
        lines(text).each_with_index.map do |line, index|
          parse_line(line) || raise(Puppet::ResourceError.new("Could not parse line #{line.inspect}", nil, index + 2))
        end
      end

      # Parses a line with the first kind of line that accepts it; nil when none does.
      def parse_line(line)
        raise Puppet::DevError, 'No record types defined; cannot parse lines' unless records?

        @record_types.each_value do |record|
          found = public_send("handle_#{record.type}_line", line, record)
          next unless found

          record.post_parse(found) if record.respond_to?(:post_parse)
          return found
        end
        nil
      end

      def handle_text_line(line, record)
        line =~ record.match ? { record_type: record.name, line: line } : nil
      end

      def handle_record_line(line, record)
        found = if record.respond_to?(:process) then record.process(line.dup)
                elsif record.match then pupc_matched(record.match.match(line), record)
                else pupc_split(line, record)
                end
        raise Puppet::DevError, "Process record type #{record.name} returned non-hash" if found && !found.is_a?(Hash)

        found&.update(record_type: record.name)
      end

      # -- writing

      def to_file(records)
        records.map { |r| to_line(r) }.join(line_separator) + (trailing_separator ? line_separator : '')
      end

      def to_line(details)
        record = record_type(details[:record_type]) || raise(ArgumentError, "Invalid record type #{details[:record_type].inspect}")
        if record.respond_to?(:pre_gen)
          details = details.dup
          record.pre_gen(details)
        end
        return details[:line] if record.text?
        return record.to_line(details) if record.respond_to?(:to_line)

        line = record.join(details)
        record.rts ? line.sub(record.rts == true ? /\s+$/ : record.rts, '') : line
      end

      private

      def pupc_new_line_type(name, record)
        record.name = name.intern
        @record_types ||= {}
        raise ArgumentError, "Line type #{record.name} is already defined" if @record_types.key?(record.name)

        @record_types[record.name] = record
      end

      def pupc_matched(match, record)
        match && record.fields.zip(match.captures).to_h { |field, value| [field, value == record.absent ? :absent : value] }
      end

      def pupc_split(line, record)
        parts = line.split(record.separator == ' ' ? / / : record.separator)
        found = record.fields.to_h do |field|
          value = parts.shift
          [field, value.nil? || value == record.absent ? :absent : value]
        end
        last = record.fields[-1]
        found[last] = [found[last], *parts].join(record.joiner) if record.rollup && !parts.empty?
        found
      end
    end

    # Kinds of files: flat files, crontabs, and files in memory.
    class FileType
      class FileReadError < Puppet::Error; end

      @kinds = {}
      class << self
        attr_accessor :name

        def newfiletype(name, &block)
          kind = Class.new(self)
          kind.name = name
          const_set("FileType#{name.to_s.capitalize}", kind)
          kind.class_eval(&block)
          kind.prepend(Guarded)
          FileType.instance_variable_get(:@kinds)[name] = kind
        end

        def filetype(name)
          FileType.instance_variable_get(:@kinds)[name]
        end
      end

      # Adds the file's name to errors of reading and writing. Drops a header that Puppet wrote.
      module Guarded
        def read
          pupc_guard('read') { super() }.to_s.gsub(/# HEADER.*\n/, '')
        end

        def write(text)
          pupc_guard('write') { super(text) }
        end

        private

        def pupc_guard(verb)
          yield
        rescue Puppet::Error
          raise
        rescue StandardError => e
          message = "#{self.class} could not #{verb} #{path}: #{e}"
          Puppet.log_exception(e, message)
          raise Puppet::Error, message, e.backtrace
        end
      end

      attr_accessor :loaded, :path, :synced

      def initialize(path, default_mode = nil)
        raise ArgumentError, 'Path is nil' if path.nil?

        @path = path
        @default_mode = default_mode
      end

      newfiletype(:flat) do
        # Asks pupc to back up the file.
        def backup
          PupcWorker.ask('backup', path) if File.exist?(path)
        end

        def read
          File.read(path, encoding: Encoding.default_external) if File.exist?(path)
        end

        def remove
          File.unlink(path) if File.exist?(path)
        end

        # Writes into the existing file, so that owner, mode and links stay.
        def write(text)
          Tempfile.create('puppet') do |temporary|
            temporary.print(text)
            temporary.flush
            File.chmod(@default_mode, temporary.path) if @default_mode
            FileUtils.cp(temporary.path, path)
          end
        end
      end

      newfiletype(:ram) do
        const_set(:TABS, Hash.new(''))
        def read
          self.class::TABS[path]
        end

        def remove
          self.class::TABS[path] = ''
        end

        def write(text)
          self.class::TABS[path] = text
        end
      end

      newfiletype(:crontab) do
        def read
          return '' unless Util.uid(path)

          Execution.execute("#{command} -l", failonfail: true, combine: true)
        rescue Puppet::ExecutionFailure => e
          return '' if e.to_s.match?(/no crontab for|are not allowed to/)

          raise FileReadError, "Could not read crontab for #{path}: #{e}", e.backtrace
        end

        def remove
          Execution.execute("#{command} -r", failonfail: true, combine: true)
        end

        def write(text)
          raise Puppet::Error, "Cannot write the #{path} user's crontab: The user does not exist" unless Util.uid(path)

          IO.popen("#{command} -", 'w', encoding: Encoding.default_external) { |pipe| pipe.print(text) }
        end

        private

        def command
          Util.uid(path) == Process.uid ? 'crontab' : "crontab -u #{path}"
        end
      end
    end
  end

  class Provider
    class ParsedFile < Provider
      extend Util::FileParsing
      class << self
        attr_accessor :default_target, :target, :raise_prefetch_errors

        def initvars
          @records = []
          @target_objects = {}
          @failed_targets = {}
          @raise_prefetch_errors = false
          @target = nil
          @filetype ||= Util::FileType.filetype(:flat)
          super
        end

        def resource_type=(type)
          super
          mk_resource_methods
        end

        def mk_resource_methods
          [resource_type.validproperties, resource_type.parameters].flatten.each do |attribute|
            define_method(attribute) do
              if @property_hash[attribute] || self.class.valid_attr?(self.class.name, attribute) then @property_hash[attribute] || :absent
              elsif defined?(@resource) then @resource.should(attribute)
              end
            end
            define_method("#{attribute}=") do |value|
              mark_target_modified
              @property_hash[attribute] = value
            end
          end
        end

        def filetype
          @filetype ||= Util::FileType.filetype(:flat)
        end

        def filetype=(kind)
          @filetype = kind.is_a?(Class) ? kind : Util::FileType.filetype(kind) || raise(ArgumentError, "Invalid filetype #{kind}")
        end

        def clean(hash)
          hash.reject { |name, _| %i[record_type on_disk].include?(name) }
        end

        def clear
          @target_objects.clear
          @records.clear
        end

        def default_mode
          nil
        end

        def header
          "# HEADER: This file was autogenerated at #{Time.now}\n# HEADER: by puppet.  While it can still be managed manually, it\n" \
            "# HEADER: is definitely not recommended.\n"
        end

        def native_header_regex
          nil
        end

        def drop_native_header
          false
        end

        # -- reading

        def targets(resources = nil)
          raise Puppet::DevError, 'Parsed Providers must define a default target' unless default_target

          wanted = (resources || {}).values.filter_map { |r| r.should(:target) }
          [default_target, *@target_objects.keys, *wanted].uniq.compact
        end

        def instances
          targets.flat_map { |t| prefetch_target(t) }.reject { |r| skip_record?(r) }.map { |r| new(r) }
        end

        def prefetch(resources = nil)
          @records = prefetch_all_targets(resources)
          match_providers_with_resources(resources)
        end

        def prefetch_all_targets(resources)
          targets(resources).flat_map { |t| prefetch_target(t) }
        end

        def match_providers_with_resources(resources)
          return unless resources

          left = resources.dup
          @records.each do |record|
            next if skip_record?(record)

            if (resource = resource_for_record(record, resources))
              resource.provider = new(record)
            elsif respond_to?(:match) && (resource = match(record, left))
              left.delete(resource.title)
              record[:name] = resource[:name]
              resource.provider = new(record)
            end
          end
        end

        def resource_for_record(record, resources)
          record[:name] && resources[record[:name]]
        end

        def prefetch_target(target)
          records = pupc_read(target)
          records.each { |r| r.update(on_disk: true, target: target, ensure: :present) }
          records = prefetch_hook(records) if respond_to?(:prefetch_hook)
          records || raise(Puppet::DevError, "Prefetching #{target} for provider #{name} returned nil")
        end

        def retrieve(path)
          text = target_object(path).read
          return [] if text.nil? || text.empty?

          before = @target
          @target = path
          parse(text)
        rescue Puppet::Error => e
          e.file = @target if e.respond_to?(:file=)
          raise
        ensure
          @target = before
        end

        def record?(name)
          @records&.find { |r| r[:name] == name }
        end

        def skip_record?(record)
          record_type(record[:record_type]).text?
        end

        # -- writing

        def modified(target)
          (@modified ||= []) << target unless @modified&.include?(target)
        end

        def flush(record)
          unless record[:on_disk]
            record[:on_disk] = true
            @records << record
            modified(record[:target] || default_target)
          end
          flushed = []
          (@modified || []).uniq.sort_by(&:to_s).each do |target|
            Puppet.debug("Flushing #{@resource_type.name} provider target #{target}")
            flushed << target
            flush_target(target)
          end
        ensure
          @modified&.reject! { |t| flushed&.include?(t) }
        end

        def flush_target(target)
          if @raise_prefetch_errors && @failed_targets.key?(target)
            raise Puppet::Error, "Failed to read #{target}'s records when prefetching them. Reason: #{@failed_targets[target]}"
          end
          backup_target(target)
          target_object(target).write(to_file(target_records(target).reject { |r| r[:ensure] == :absent }))
        end

        def backup_target(target)
          return if !target_object(target).respond_to?(:backup) || (@backed_up ||= {})[target] == @records.object_id

          target_object(target).backup
          @backed_up[target] = @records.object_id
        end

        def target_object(target)
          @target_objects[target] ||= default_mode ? filetype.new(target, default_mode) : filetype.new(target)
        end

        def target_records(target)
          @records.select { |r| r[:target] == target }
        end

        def to_file(records)
          text = super
          match = native_header_regex && text.match(native_header_regex)
          return header + text unless match
          return header + match.pre_match + match.post_match if drop_native_header

          match[0] + header + match.pre_match + match.post_match
        end

        private

        def pupc_read(target)
          retrieve(target) || raise(Puppet::DevError, "Prefetching #{target} for provider #{name} returned nil")
        rescue Util::FileType::FileReadError => e
          if @raise_prefetch_errors
            @failed_targets[target] = e.to_s
          else
            Puppet.err("Could not prefetch #{resource_type.name} provider '#{name}' target '#{target}': #{e}. Treating as empty")
          end
          []
        end
      end
      initvars
      attr_accessor :property_hash

      def initialize(record)
        super
        return unless @property_hash.empty?

        @property_hash = self.class.record?(resource[:name]) || { record_type: self.class.name, ensure: :absent }
      end

      def create
        @resource.class.validproperties.each do |property|
          value = @resource.should(property)
          @property_hash[property] = value if value
        end
        mark_target_modified
        :"#{@resource.class.name}_created"
      end

      def destroy
        self.ensure = :absent
        :"#{@resource.class.name}_deleted"
      end

      def exists?
        ![nil, :absent].include?(@property_hash[:ensure])
      end

      def flush
        unless @property_hash[:target]
          @property_hash[:target] = @resource.should(:target) || self.class.default_target
          self.class.modified(@property_hash[:target])
        end
        @resource.class.key_attributes.each { |name| @property_hash[name] ||= @resource[name] }
        self.class.flush(@property_hash)
      end

      def prefetch
        raise Puppet::DevError, 'Somehow got told to prefetch with no resource set' unless @resource

        self.class.prefetch(@resource[:name] => @resource)
      end

      def record_type
        @property_hash[:record_type]
      end

      private

      def mark_target_modified
        wanted = @resource.should(:target) if defined?(@resource) && @resource
        self.class.modified(wanted) if wanted && wanted != @property_hash[:target]
        self.class.modified(@property_hash[:target]) unless [nil, :absent].include?(@property_hash[:target])
      end
    end
  end
end
