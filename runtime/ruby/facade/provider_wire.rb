# The worker's end of the protocol between pupc and the Ruby code of types and providers. A frame is a length (32 bits, little endian) and
# that many bytes of JSON. The worker sends its length twice, the second time XOR a constant, so that pupc recognises garbage.
# pupc sends [op, …]; the worker answers ["done", value] or ["failed", …]. While it works, the worker may send ["log", …] or ["environment", {…}],
# which get no answer, and ["ask", …], which pupc answers with ["told", value]. A hash with the key `__pupc` represents a value without a JSON form.
require 'json'

module PupcWorker
  KIND = '__pupc'

  class << self
    # `changes`: how many changes the run has begun, while a resource is only looked at; else nil.
    attr_accessor :changes
    attr_writer :least_level

    def read
      head = @socket.read(4)
      exit!(0) if head.nil? || head.bytesize < 4
      JSON.parse(@socket.read(head.unpack1('V')).force_encoding(Encoding::UTF_8), max_nesting: false)
    end

    def write(message)
      # A child that a provider forked may end up here: it must not answer for the worker.
      exit!(1) unless Process.pid == @pid
      body = JSON.generate(message, max_nesting: false)
      @socket.write([body.bytesize, body.bytesize ^ 0x70757063].pack('VV') << body.b)
    end

    def ask(*question)
      write(['ask', *question])
      decode(read[1])
    end

    def least_level
      @least_level || :notice
    end

    # What warn_once has told.
    def warned
      @warned ||= {}
    end

    def wanted?(level)
      levels = Puppet::Util::Log::LEVELS
      levels.index(level) >= levels.index(least_level)
    end

    def log(level, source, message)
      write(['log', level.to_s, text(source.to_s), text(message.to_s)]) if wanted?(level)
    end

    # Takes over what has changed in pupc's environment.
    def change_environment(changes)
      changes.each { |name, value| ENV[name] = value }
      @environment = ENV.to_h
    end

    def text(string)
      string = string.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless [Encoding::UTF_8, Encoding::US_ASCII].include?(string.encoding)
      string.valid_encoding? ? string : string.dup.force_encoding(Encoding::UTF_8).scrub
    end

    # Converts a Ruby value to JSON data. Objects without a JSON form become texts.
    def encode(value)
      case value
      when nil, true, false then value
      when Integer then value.bit_length < 64 ? value : value.to_s
      when Float then value.finite? ? value : value.to_s
      when String then encode_text(value)
      when Symbol then value.to_s
      when Array, Set then value.map { |v| encode(v) }
      when Hash then value.to_h { |k, v| [text(k.to_s), encode(v)] }
      when Puppet::Pops::Types::PSensitiveType::Sensitive then { KIND => 'sensitive', 'v' => encode(value.unwrap) }
      else text(value.to_s)
      end
    end

    def decode(value)
      case value
      when Array then value.map { |v| decode(v) }
      when Hash
        case value[KIND]
        when nil then value.transform_values { |v| decode(v) }
        when 'sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(decode(value['v']))
        when 'bytes' then [value['v']].pack('H*')
        when 'default' then :default
        when 'deferred' then Puppet::Pops::Evaluator::DeferredValue.new
        else raise Puppet::Error, "pupc sent a value of kind #{value[KIND]}"
        end
      else value
      end
    end

    def run(socket)
      @socket = socket
      @pid = Process.pid
      # Leave the terminal's foreground process group: a key like Ctrl-C must reach pupc only, which decides about providers' commands.
      Process.setsid
      @environment = ENV.to_h
      watch(Process.ppid)
      loop { serve(read) }
    rescue SystemExit
      exit!(1)
    end

    private

    def encode_text(string)
      bytes = string.dup
      bytes.force_encoding(Encoding::UTF_8) if bytes.encoding == Encoding::BINARY
      bytes = bytes.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::US_ASCII].include?(bytes.encoding)
      bytes.valid_encoding? ? bytes : { KIND => 'bytes', 'v' => string.unpack1('H*') }
    rescue EncodingError
      { KIND => 'bytes', 'v' => string.unpack1('H*') }
    end

    # Ends the worker when pupc has ended, even while a provider is working.
    def watch(parent)
      Thread.new do
        loop do
          sleep 2
          exit!(1) if Process.ppid != parent
        end
      end
    end

    def serve(message)
      result = Operations.public_send(message[0], *decode(message[1..]))
      tell_environment
      write(['done', encode(result)])
    rescue Exception => e # rubocop:disable Lint/RescueException
      tell_environment
      write(['failed', *failure(e)])
    end

    # Tells what the operation has left changed in the environment: commands that pupc starts for other resources inherit it too.
    def tell_environment
      now = ENV.to_h
      return if now == @environment

      before, @environment = @environment, now
      changed = (before.keys | now.keys).reject { |name| before[name] == now[name] }
      write(['environment', changed.to_h { |name| [text(name), now[name] && text(now[name])] }])
    end

    # The error's text without its place, the text with it, whether the error has a place, and the texts of the errors inside it.
    def failure(error)
      return ["The provider's code called exit", "The provider's code called exit", false, ''] if error.is_a?(SystemExit)

      # For errors other than StandardError, Ruby's text alone says little: add the class.
      full = error.is_a?(StandardError) || error.is_a?(LoadError) ? error.to_s : "#{error.class}: #{error}"
      bare = error.is_a?(Puppet::ExternalFileError) ? error.bare_text : full
      note(error)
      [text(bare), text(full), error.is_a?(Puppet::ExternalFileError) && !(error.file || error.line).nil?,
       text(Puppet::Util::Logging.causes(error).join("\nWrapped exception:\n"))]
    rescue Exception => e # rubocop:disable Lint/RescueException
      ["#{error.class} whose message cannot be made: #{e.class}"] * 2 + [false, '']
    end

    def note(error)
      return unless wanted?(:debug)

      log(:debug, 'Puppet', ([error.class.to_s] + (error.backtrace || []).reject { |l| l.start_with?('pupc:') }.first(10)).join("\n"))
    end
  end
end
