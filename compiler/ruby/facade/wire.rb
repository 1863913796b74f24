# The worker's end of the protocol. A frame from pupc is a 32-bit length (little endian) and that many bytes; a frame of ours begins with
# `head`. Both sides send Ruby's Marshal format, because C code reads and writes it; what it cannot express goes to pupc as tagged bytes
# (`put`). Requests nest: while one side waits for an answer, it serves the other side's requests.
#   pupc -> worker  [number, …] a request of ruby_protocol.def; [0, value] an answer; [1, message, jump, kind] a failed callback
#   worker -> pupc  the same, with numbers of callbacks
module PupcWorker
  # Marks an error from pupc's side that passes through Ruby. It returns to pupc with its number, so that pupc can rethrow the original
  # error.
  module Jump
    attr_accessor :pupc_jump
  end

  # next() and return() of a Puppet block. Not a StandardError, so that a plain `rescue` in module code does not catch it.
  class ControlFlow < Exception # rubocop:disable Lint/InheritException
    include Jump
  end

  # A lookup has no value: Ruby code threw :no_such_key, and pupc passes it on to the lookup that the code runs for.
  class NotFound < Exception # rubocop:disable Lint/InheritException
  end

  # A value that stays in pupc, such as a closure or an object. Ruby only knows its number in pupc's table.
  class Handle
    attr_reader :pupc_number

    def marshal_load(data)
      @pupc_number, @text, @kind = data
    end

    def to_s
      @text
    end
    alias inspect to_s

    def marshal_dump
      [@pupc_number]
    end

    def method_missing(name, *args)
      found, value = PupcWorker.callback(:member, @pupc_number, name.to_s)
      return value if found && args.empty?

      super
    end

    def respond_to_missing?(_name, _all = false)
      false
    end
  end

  # Finds a Ruby object that comes back from pupc as its number.
  class ForeignLoader
    def self._load(data)
      PupcWorker.foreign_objects[:objects][data.to_i]
    end
  end

  # A Date that pupc read by itself.
  class DateLoader
    def self._load(data)
      require 'date'
      Date.strptime(data, '%Y-%m-%d')
    end
  end

  # A text that Puppet freezes, such as a literal in single quotes.
  class FrozenText
    def self._load(data)
      data.force_encoding(Encoding::UTF_8).freeze
    end
  end

  # Facts and other data that Puppet freezes with all that they hold: a document of Marshal's in a document.
  class FrozenData
    if RUBY_VERSION >= '3.1'
      def self._load(data)
        Marshal.load(data, freeze: true) # rubocop:disable Security/MarshalLoad
      end
    else
      def self._load(data)
        freeze_all(Marshal.load(data)) # rubocop:disable Security/MarshalLoad
      end

      def self.freeze_all(value)
        value.each { |v| freeze_all(v) } if value.is_a?(Array)
        value.each { |k, v| [freeze_all(k), freeze_all(v)] } if value.is_a?(Hash)
        value.freeze
      end
    end
  end

  CALLBACK_NUMBERS = CALLBACKS.keys.each_with_index.to_h { |name, i| [name, FIRST_QUESTION + i] }.freeze
  AGAIN = FIRST_QUESTION + REQUESTS.keys.index(:again)
  MIN_INTEGER = -(1 << 63)
  MAX_INTEGER = (1 << 63) - 1

  class << self
    attr_accessor :input, :output

    # The Ruby objects that pupc holds, by number and by identity.
    def foreign_objects
      compile_state[:foreign_objects] ||= { objects: [], numbers: {}.compare_by_identity }
    end

    # Sends a request to pupc and returns its answer. Serves pupc's requests while it waits.
    def callback(*request)
      return refuse(request) if @scanning

      request[0] = CALLBACK_NUMBERS.fetch(request[0])
      write(request)
      @left = nil # the error with which a block of Ruby code has ended
      answer = nil
      begin
        serve(answer) until answered?(answer = read)
      ensure # a block may have left the method that asked; pupc answers all the same
        serve(answer) until answered?(answer) || answered?(answer = read)
      end
      answer[0] == ANSWER ? answer[1] : raise_failure(answer)
    end

    def answered?(message)
      !message.nil? && (message[0] == ANSWER || message[0] == FAILURE)
    end

    # Rejects a request while a resource type's file runs: there is no compile to ask. Only log messages pass, and get lost.
    def refuse(request)
      raise Puppet::Error, "the type's file asks for #{request[0]}" unless request[0] == :log
    end

    def read
      head = input.read(4)
      exit!(0) if head.nil? || head.bytesize < 4
      size = head.unpack1('V')
      message = Marshal.load(input.read(size)) # rubocop:disable Security/MarshalLoad
      return message unless message[0] == AGAIN

      write_tagged
      read
    end

    # Sends a value in Marshal format, which is many times as fast as tagged bytes, because it is written in C. Where pupc finds more than
    # plain data in it, pupc asks for tagged bytes (the request "again").
    def write(value)
      @written = value
      begin
        body = Marshal.dump(value)
      rescue StandardError, SystemStackError # Marshal cannot write a Proc, a stream or a hash with a default block
        return write_tagged
      end
      output.write(head(body.bytesize) << body)
    end

    # Sends the last value again, as tagged bytes. If pupc has no value for a part of it, the running call fails: an answer becomes a
    # failure, and a request to pupc raises here, in the code that made it.
    def write_tagged
      value = @written
      begin
        out = head(0)
        put(value, out)
      rescue Exception => e # rubocop:disable Lint/RescueException
        raise unless value[0] == ANSWER

        @written = failure(e)
        return write_tagged
      end
      out[0, 8] = head(out.bytesize - 8)
      output.write(out)
    end

    # The head of a frame: its size, and the size again in disguise. This lets pupc notice when a module's code writes to this descriptor.
    def head(size)
      [size, size ^ 0x70757063].pack('VV')
    end

    def raise_failure(message)
      _, text, jump, kind = message
      raise @left if @left && text == message_of(@left) # Puppet's functions let it pass
      error = case kind
              when 'break' then Puppet::Pops::Evaluator::PuppetStopIteration.new(text)
              when 'jump' then ControlFlow.new(text)
              when 'argument' then ArgumentError.new(text)
              when 'not_found'
                throw :no_such_key if @lookups.positive?
                ControlFlow.new(text)
              when 'placed' then Puppet::PreformattedError.new(text)
              else (text.start_with?('Duplicate declaration: ') ? Puppet::Resource::Catalog::DuplicateResourceError : Puppet::ParseError).new(text)
              end
      error.extend(Jump) unless error.is_a?(Jump)
      error.pupc_jump = jump
      raise error
    end

    # Appends a value as tagged bytes. Raises Puppet::Error for what the language has no value for.
    def put(value, out)
      case value
      when String then put_string('s', value, out)
      when nil then out << 'N'
      when true then out << 'T'
      when false then out << 'F'
      when Integer then put_integer(value, out)
      when Float then out << 'f' << [value].pack('E')
      when Array
        return put_object(value, out) unless value.instance_of?(Array)

        out << 'a' << [value.size].pack('V')
        value.each { |v| put(v, out) }
      when Hash
        return put_object(value, out) unless value.instance_of?(Hash)

        out << 'h' << [value.size].pack('V')
        value.each do |k, v|
          put(k, out)
          put(v, out)
        end
      when Symbol
        case value
        when :undef then out << 'N'
        when :default then out << 'D'
        else put_string('k', value.name, out)
        end
      else put_other(value, out)
      end
    end

    private

    def put_string(tag, text, out)
      tag = 'B' if tag == 's' && text.encoding == Encoding::BINARY
      text = text.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::BINARY, Encoding::US_ASCII].include?(text.encoding)
      out << tag << [text.bytesize].pack('V') << text.b
    end

    def put_integer(value, out)
      if value > MAX_INTEGER || value < MIN_INTEGER
        raise Puppet::Error, "Use of a Ruby Integer outside of Puppet Integer #{value.positive? ? 'max' : 'min'} range, got '#{format('0x%x', value)}'"
      end

      out << 'i' << [value].pack('q<')
    end

    def put_other(value, out)
      types = Puppet::Pops::Types
      case value
      when Handle then out << 'O' << [value.pupc_number].pack('V')
      when types::PSensitiveType::Sensitive
        out << 'S'
        put(value.unwrap, out)
      when types::PAnyType
        if value.pupc_number then out << 'O' << [value.pupc_number].pack('V')
        else put_string('y', value.exact_text, out)
        end
      when Regexp
        out << 'r'
        put_string('s', value.source, out)
        out << (value.options & 7).chr
      when types::PBinaryType::Binary then put_string('b', value.binary_buffer, out)
      when Puppet::Pops::Time::Timestamp then out << 't' << [value.nsecs].pack('q<')
      when Puppet::Pops::Time::Timespan then out << 'u' << [value.nsecs].pack('q<')
      when SemanticPuppet::Version then put_string('v', value.to_s, out)
      when SemanticPuppet::VersionRange then put_string('w', value.to_s, out)
      when Puppet::Resource
        out << 'R'
        put_string('s', value.type.to_s, out)
        put_string('s', value.title.to_s, out)
      when PuppetURI then put_string('U', value.to_s, out)
      when Puppet::Pops::Types::PDeferredType::Deferred
        out << 'd'
        put_string('s', value.name, out)
        put(value.arguments, out)
      else put_foreign(value, out)
      end
    end

    def put_foreign(value, out)
      if defined?(URI::Generic) && value.is_a?(URI::Generic)
        put_string('U', value.to_s, out)
      elsif (number = object_numbers[value])
        out << 'O' << [number].pack('V')
      elsif (type = implemented_type(value))
        out << 'J'
        put_string('s', type.name, out)
        put(object_attributes(value, type), out)
      else
        put_object(value, out)
      end
    end

    # Writes an object that the Puppet language has no kind of value for: its number in the table of kept objects, whether it is a module,
    # its hash and, the first time, the names of its classes.
    def put_object(value, out)
      table = foreign_objects
      number = table[:numbers][value]
      fresh = number.nil?
      if fresh
        number = table[:numbers][value] = table[:objects].size
        table[:objects] << value
      end
      out << 'X' << [number].pack('V') << (value.is_a?(Module) ? "\1" : "\0") << [object_hash(value)].pack('q<')
      put(fresh ? class_names(value) : nil, out)
    end

    def object_hash(value)
      hash = value.hash
      hash.is_a?(Integer) && hash.between?(MIN_INTEGER, MAX_INTEGER) ? hash : value.__id__
    rescue StandardError
      value.__id__
    end

    def class_names(value)
      return [value.name || value.inspect] if value.is_a?(Module)

      [value.class, *value.class.ancestors].uniq.map { |c| c.name || c.inspect }
    end
  end
end
