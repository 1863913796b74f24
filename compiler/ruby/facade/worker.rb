# The worker's main loop and errors.
module PupcWorker
  # The methods that answer pupc's requests, by their numbers.
  QUESTIONS = REQUESTS.keys.map { |name| :"on_#{name}" }.freeze

  class << self
    attr_reader :environment, :strict, :strict_variables, :epoch

    def compile_state
      @compile_state ||= {}
    end

    def current_scope
      @scopes.last || raise(Puppet::Error, 'no scope outside of a call')
    end

    def top_scope
      compile_state[:top_scope] ||= Puppet::Parser::Scope.new(0)
    end

    # Begins a new compile and forgets the state of the previous one. Returns true when libraries of modules have changed since this process
    # loaded them: Ruby cannot unload them, so another process must serve the compile.
    def begin_compile(name, modulepath, manifest, directories, strict, strict_variables, least_level)
      return true if libraries_changed?

      @epoch = (@epoch || 0) + 1
      @environment = Puppet::Node::Environment.new(name, modulepath, manifest)
      @strict = strict.to_sym
      @strict_variables = strict_variables
      @least_level = least_level.to_sym
      @compile_state = {}
      @instances = {}
      @scopes = []
      @library_files = {}
      Puppet::Parser::TemplateWrapper.pupc_forget_methods
      @file_data = nil if @environment_name != name # code of the old environment parsed this data
      @environment_name = name
      return if @library_directories == directories

      @library_directories = directories
      $LOAD_PATH.reject! { |d| @added&.include?(d) }
      @added = directories
      $LOAD_PATH.unshift(*directories)
      nil
    end

    # Runs the block and remembers the state of each library file that it loads, for libraries_changed?.
    def while_loading
      before = $LOADED_FEATURES.size
      yield
    ensure
      $LOADED_FEATURES[before..].each { |file| (@libraries ||= {})[file] ||= library_state(file) if @library_directories&.any? { |d| file.start_with?(d) } }
    end

    def library_state(file)
      stat = File.stat(file)
      [stat.ino, stat.mtime, stat.size]
    rescue SystemCallError
      nil
    end

    def libraries_changed?
      (@libraries || {}).any? { |file, state| library_state(file) != state }
    end

    def in_scope(frame)
      @scopes.push(Puppet::Parser::Scope.new(frame))
      yield
    ensure
      @scopes.pop
      @own_variables = nil if @scopes.empty?
    end

    # The variables that Ruby code has set in the scope of a frame during the running call. Without any, returns nil or, with `make`, a new
    # hash.
    def own_variables(frame, make = false)
      return nil unless @own_variables || make

      key = callback(:frame_key, frame)
      make ? (@own_variables ||= {})[key] ||= {} : @own_variables[key]
    end

    # Handles one request of pupc and sends its answer. A block that leaves its method (break, throw) is told as a failure, too: see callback.
    def serve(message)
      left = true
      result = handle(message)
      left = false
      begin
        write([ANSWER, result])
      rescue Exception => e # rubocop:disable Lint/RescueException
        write(failure(e))
      end
    rescue Exception => e # rubocop:disable Lint/RescueException
      left = false
      write(failure(e))
    ensure
      write(failure(LocalJumpError.new('a block has left its method'))) if left
    end

    def handle(message)
      handler = QUESTIONS[message[0] - FIRST_QUESTION] or raise "unknown request #{message[0].inspect}"
      looking_up(@lookups.positive?) { send(handler, *message[1..]) }
    end

    # Runs code of a lookup. Like Puppet's lookup, catches :no_such_key; it must not unwind the requests that pupc still waits for.
    def looking_up(now)
      return yield unless now

      @lookups += 1
      begin
        catch(:no_such_key) { return yield }
        raise NotFound, 'no such key'
      ensure
        @lookups -= 1
      end
    end

    def on_begin(...)
      begin_compile(...)
    end

    def on_load(frame, name, file)
      in_scope(frame) { load_function(name, file) }
    end

    def on_call4(frame, name, dispatch, args, block)
      data_function = args.any?(Puppet::Pops::Lookup::Context)
      in_scope(frame) { looking_up(data_function) { call_dispatch(name, dispatch, args, block && PuppetBlock.of(block[0], block[1])) } }
    end

    # The instance variables that calls without Ruby have left.
    def on_state(name, variables)
      variables.each { |variable, value| instance_of(functions.fetch(name)).instance_variable_set(variable, value) }
      nil
    end

    def on_call3(frame, name, args)
      in_scope(frame) { call_3x(name, args) }
    end

    def on_erb(frame, text, path, methods)
      wrapper = Puppet::Parser::TemplateWrapper
      @rendering = true
      methods.each { |code, file, line| wrapper.class_eval("def #{code}", file.empty? ? '(erb)' : file, line) }
      @rendering = false
      known = wrapper.pupc_defined.size
      result = in_scope(frame) { render(text, path) }
      wrapper.pupc_defined.size == known ? result : [result, true]
    end

    def on_backend(frame, *request)
      in_scope(frame) { backend_lookup(*request) }
    end

    def on_block(number, args)
      blocks.fetch(number).call(*args)
    rescue StandardError => e
      @left = e unless e.is_a?(Jump) && e.pupc_jump # pupc's own goes its way
      raise
    end

    def on_equal(one, other)
      one == other ? true : false
    end

    def on_text(object)
      object.to_s.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
    end

    def on_data_type(name, file)
      load_data_type(name, file)
    end

    def on_object_call(frame, description, name, args, block)
      in_scope(frame) { call_object(description, name, args, block && PuppetBlock.of(block[0], block[1])) }
    end

    def on_type(...)
      scan_type(...)
    end

    def on_title(...)
      split_title(...)
    end

    # The message that reports an error: [FAILURE, text, number of pupc's own error or nil, class, file, line, whether Puppet rescues it,
    # [file, line] of the innermost place or nil, [file, line, column] that the error carries or nil]
    def failure(error)
      text = message_of(error)
      file = line = nil
      places = error.is_a?(SyntaxError) && error.backtrace_locations.nil? ? [] : (error.backtrace || [])
      places.each do |place|
        next unless place =~ /\A(.+?):(\d+)/

        found, number = Regexp.last_match(1), Regexp.last_match(2).to_i
        next if found.start_with?('pupc:') || found.start_with?('<internal')

        file = found
        line = number
        break
      end
      jump = error.is_a?(Jump) ? error.pupc_jump : nil
      place = error.is_a?(Puppet::ExternalFileError) && error.line ? [error.file.to_s, error.line.to_i, error.pos.to_i] : nil
      [FAILURE, text, jump, error.class.to_s, file, line, error.is_a?(StandardError) && !error.is_a?(StopIteration) && !error.is_a?(Puppet::PreformattedError), first_place(error), place]
    rescue Exception => e # rubocop:disable Lint/RescueException
      [FAILURE, "#{error.class} whose message cannot be made: #{e.class}", nil, error.class.to_s, nil, nil, true, nil, nil]
    end

    # The place that Puppet's template functions report for an error: the innermost line of the backtrace, in whatever file.
    def first_place(error)
      first = error.backtrace&.find { |l| !l.start_with?('pupc:') }
      first && first =~ /\A(.+?):(\d+)/ ? [Regexp.last_match(1), Regexp.last_match(2).to_i] : nil
    end

    def message_of(error)
      if error.is_a?(NameError) && !error.is_a?(Jump)
        begin # they add to the message; an ordinary Ruby, as Puppet uses, always loads them
          require 'did_you_mean'
          require 'error_highlight'
        rescue LoadError
          nil
        end
      end
      text = (error.is_a?(Puppet::ExternalFileError) ? error.bare_text : error.message).to_s
      text = text.chomp if error.is_a?(SyntaxError)
      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
    end

    def run(socket)
      @scopes = []
      @lookups = 0 # how many of the running requests are code of a lookup
      parent = Process.ppid
      Thread.new do
        loop do
          sleep 2
          Process.exit!(1) if Process.ppid != parent
        end
      end
      self.input = socket
      self.output = socket
      serve(read) while true
    end
  end
end
