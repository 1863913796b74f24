# Facter: facts as code of modules defines and asks them, in the collection of facts and in a run. The facts of the machine come from pupc
# (Facter::Machine); those in Ruby are resolved here, by Facter's rules: a value that is known stays, a fact that had none is tried again.
module Facter
  class ResolveCustomFactError < StandardError; end

  EXTERNAL_WEIGHT = 10_000
  ENVIRONMENT_WEIGHT = 1_000_000

  # What the process gets from pupc: the machine's facts, external ones, where facts in Ruby are, and the values that the run knows.
  module Machine
    class << self
      attr_accessor :directories, :limit, :events

      def set(core: nil, external: {}, environment: {}, directories: [], limit: 60)
        @core = core
        @external = external
        @environment = environment
        @directories = directories
        @limit = limit
        @known = {}
      end

      def outside
        (@external || {}).to_a.map { |name, value| [name, value, EXTERNAL_WEIGHT] } + (@environment || {}).to_a.map { |name, value| [name, value, ENVIRONMENT_WEIGHT] }
      end

      # The values of the machine's own facts; nil where pupc is asked for each.
      def core
        @core || PupcWorker.ask('facts') || {}
      end

      # The value of a fact of the machine. One without a value is looked for anew, as its program or file may be there now.
      def value(name)
        found = @core ? dig(@core, name) : known(name)
        found.nil? && MAY_APPEAR.include?(name[/\A\w+/]) && running? ? dig(fresh, name) : found
      end

      def known(name)
        (@known ||= {}).fetch(name) { @known[name] = PupcWorker.ask('fact', name) }
      end

      # Whether pupc knows the value of a fact in Ruby, from before this process began.
      def kept(name)
        @core.nil? ? known(name) : nil
      end

      # Forgets all values: the machine is looked at anew. What Puppet itself has added is gone until the next collection.
      def forget
        @core = fresh.reject { |name, _| name == 'puppetversion' }
        @known = {}
      end

      def fresh
        running? ? PupcWorker.ask('core_facts') || {} : @core || {}
      end

      def running?
        @events.nil?
      end

      # A line for pupc: what is resolved, and what it gave.
      def tell(*event)
        PupcWorker.write(['event', *event]) if @events
      end

      def dig(hash, name)
        hash.fetch(name) { name.split('.').inject(hash) { |at, key| Facter.member(at, key) } }
      end
    end
    # Facts of the machine that a run may bring: packages, host keys, devices, labels.
    MAY_APPEAR = %w[augeas augeasversion ruby rubyversion rubysitedir rubyplatform ssh sshecdsakey sshed25519key sshrsakey sshdsakey selinux os networking
                    disks mountpoints partitions zfs_version zpool_version hypervisors dmi lsbdistcodename lsbdistid xendomains].freeze
  end

  # Weight and conditions, which all resolutions have.
  module Suitable
    def has_weight(weight) # rubocop:disable Naming/PredicateName
      @weight = weight
      self
    end

    def confine(confines = nil, &block)
      if confines.is_a?(Hash)
        confines.each { |fact, values| @confines << Util::Confine.new(fact, *values) }
      elsif block
        @confines << (confines ? Util::Confine.new(confines, &block) : Util::Confine.new(&block))
      end
    end

    def weight
      @weight || @confines.length
    end

    def suitable?
      @confines.all?(&:true?)
    end

    def <=>(other)
      weight <=> other.weight
    end
  end

  # The value of a resolution, within its time.
  module Resolvable
    attr_accessor :timeout
    attr_reader :name, :fact, :fact_type

    def on_flush(&block)
      @on_flush = block
    end

    def flush
      @on_flush&.call
    end

    def limit
      @timeout || 0
    end

    def value
      most = limit.to_f.positive? ? limit : Machine.limit
      Machine.tell('limit', most)
      Facter.normalize(Timeout.timeout(most) { resolve_value })
    rescue Timeout::Error
      Facter.log('err', "Timed out after #{most} seconds while resolving #{qualified_name}")
      nil
    rescue NormalizationError => e
      Facter.log('err', "Fact resolution #{qualified_name} resolved to an invalid value: #{e.message}")
      nil
    rescue StandardError => e
      begin
        require 'error_highlight' # adds the place within the line to messages, as in a Ruby that loads gems
      rescue LoadError
        nil
      end
      Facter.log('err', "Error while resolving custom fact #{qualified_name}: #{e.message}")
      raise ResolveCustomFactError
    end

    def evaluate(&block)
      instance_eval(&block)
    end

    private

    def take_options(options, accepted, what)
      accepted.each { |name| instance_variable_set("@#{name}", options.delete(name)) if options.key?(name) }
      raise ArgumentError, "Invalid #{what} options #{options.keys.inspect}" unless options.empty?
    end

    def qualified_name
      "fact='#{@fact.name}', resolution='#{@name || '<anonymous>'}'"
    end
  end
  class NormalizationError < StandardError; end

  module Util
    # A condition: a fact with values, a fact with a block, or a block.
    class Confine
      attr_accessor :fact, :values

      def initialize(fact = nil, *values, &block)
        raise ArgumentError, 'The fact name must be provided' unless fact || block
        raise ArgumentError, 'One or more values or a block must be provided' if values.empty? && !block

        @fact = fact
        @values = values
        @block = block
      end

      def true?
        return asked if @block && !@fact

        found = Facter[@fact] or return false
        value = convert(found.value)
        return false if value.nil?

        @block ? asked(value) : @values.any? { |v| convert(v) === value } # rubocop:disable Style/CaseEquality
      end

      private

      def asked(*value)
        @block.call(*value) ? true : false
      rescue StandardError => e
        Facter.debug("Confine raised #{e.class} #{e}")
        false
      end

      def convert(value)
        value = value.to_s if value.is_a?(Symbol)
        value.is_a?(String) ? value.downcase : value
      end
    end

    # A way to find a fact's value by code. Its class has the old form of Facter::Core::Execution.
    class Resolution
      include Suitable
      include Resolvable
      attr_accessor :code
      attr_writer :name, :value, :fact_type

      class << self
        %i[which exec execute search_paths with_env].each { |name| define_method(name) { |*args, &block| Core::Execution.public_send(name, *args, &block) } }
      end

      def initialize(name, fact)
        @name = name
        @fact = fact
        @confines = []
      end

      def resolution_type
        :simple
      end

      def options(options)
        take_options(options, %i[name value timeout weight fact_type file is_env], 'resolution')
      end

      def setcode(string = nil, &block)
        raise ArgumentError, 'You must pass either code or a block' unless string || block

        @code = string ? -> { Core::Execution.execute(string, on_fail: nil).then { |out| out.to_s.empty? ? nil : out } } : block
        self
      end

      private

      def resolve_value
        @value.nil? ? @code&.call : @value
      end
    end

    # A fact with its resolutions.
    class Fact
      attr_reader :name, :location
      attr_accessor :options, :ldapname

      def initialize(name, options = {})
        @name = name.to_s.downcase.intern
        @options = options.dup
        @resolves = []
        @ldapname = @options.delete(:ldapname) || @name.to_s
      end

      def add(options = {}, &block)
        @options = @options.merge(options)
        @location = options[:file] || block&.source_location
        define_resolution(nil, options.reject { |name, _| name == :ldapname }, &block)
      end

      def define_resolution(resolution_name, options = {}, &block)
        found = made(resolution_name, options.delete(:type) || :simple)
        found.options(options) unless options.empty?
        found.evaluate(&block) if block
        found
      rescue StandardError => e
        Facter.log('err', "Unable to add resolve #{resolution_name.inspect} for fact #{@name}: #{e.message}")
        nil
      end

      def resolution(name)
        name && @resolves.find { |r| r.name == name }
      end

      def flush
        @resolves.each(&:flush)
        @value = nil
        @flushed = true
      end

      def value
        return @value unless @value.nil?
        return @value unless @flushed || (@value = Machine.kept(@name.to_s)).nil?
        return nil if @resolves.empty?
        raise "Caught recursion on #{@name}" if @searching

        resolve
      end

      private

      def resolve
        Machine.tell('start', @name.to_s)
        @searching = true
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        find_value
      ensure
        @searching = false
        Machine.tell('end', @name.to_s, Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun, PupcWorker.encode(@value))
      end

      def find_value
        @weight = 0
        found = first_value(sorted(@resolves.select(&:suitable?)))
        core = found.nil? || @weight <= 0 ? Facter.core_value(@name) : nil
        @value = core.nil? ? found : core
      end

      def sorted(resolves)
        resolves.each_with_index.sort_by { |r, i| [-r.weight, r.fact_type == :external ? 0 : 1, i] }.map(&:first)
      end

      def first_value(resolves)
        resolves.each do |resolve|
          value = resolve.value
          @weight = resolve.weight
          return value unless value.nil?
        rescue ResolveCustomFactError
          break
        end
        nil
      end

      def made(name, type)
        if (found = resolution(name))
          return found if found.resolution_type == type

          raise ArgumentError, "Cannot return resolution #{name} with type #{type}; already defined as #{found.resolution_type}"
        end
        kind = { simple: Resolution, aggregate: Core::Aggregate }[type]
        raise ArgumentError, "Expected resolution type to be one of (:simple, :aggregate) but was #{type}" unless kind

        kind.new(name, self).tap { |r| @resolves << r }
      end
    end
  end

  module Core
    # A fact that is put together of chunks.
    class Aggregate
      include Suitable
      include Resolvable
      attr_reader :deps, :confines

      class DependencyError < StandardError; end

      def initialize(name, fact)
        @name = name
        @fact = fact
        @confines = []
        @chunks = {}
        @deps = {}
      end

      def resolution_type
        :aggregate
      end

      def options(options)
        take_options(options, %i[name timeout weight fact_type], 'aggregate')
      end

      def chunk(name, options = {}, &block)
        raise ArgumentError, "#{self.class.name}#chunk requires a block" unless block
        raise ArgumentError, "#{self.class.name}#expected chunk name to be a Symbol" unless name.is_a?(Symbol)

        needs = Array(options.delete(:require))
        raise ArgumentError, "Unexpected options passed to #{self.class.name}#chunk: #{options.keys.inspect}" unless options.empty?

        @deps[name] = needs
        @chunks[name] = block
        self
      end

      def aggregate(&block)
        raise ArgumentError, "#{self.class.name}#aggregate requires a block" unless block

        @aggregate = block
        self
      end

      private

      def resolve_value
        results = {}
        @chunks.each_key { |name| run(name, results, []) }
        @aggregate ? @aggregate.call(results) : merged(results.values)
      end

      def run(name, results, above)
        return results[name] if results.key?(name)
        raise DependencyError, "Could not order chunks; found the following dependency cycles: #{[above.drop_while { |n| n != name }].inspect}" if above.include?(name)

        given = @deps.fetch(name).map { |need| run(need, results, above + [name]) }
        results[name] = frozen(@chunks.fetch(name).call(*given))
      end

      def frozen(value)
        case value
        when String then value.dup.freeze
        when Array then value.map { |v| frozen(v) }.freeze
        when Hash then value.to_h { |k, v| [frozen(k), frozen(v)] }.freeze
        else value
        end
      end

      def merged(values)
        values.inject { |a, b| merge(a, b, []) }
      rescue MergeError => e
        raise ArgumentError, "Could not deep merge all chunks (Original error: #{e.message}), ensure that chunks return either an Array or Hash or override " \
                             'the aggregate block', e.backtrace
      end
      class MergeError < StandardError; end

      def merge(left, right, path)
        if left.is_a?(Hash) && right.is_a?(Hash) then left.merge(right) { |k, a, b| merge(a, b, path + [k]) }
        elsif left.is_a?(Array) && right.is_a?(Array) then left + right
        elsif right.nil? then left
        elsif left.nil? then right
        else
          raise MergeError, "Cannot merge #{left.inspect}:#{left.class} and #{right.inspect}:#{right.class}#{" at root#{path.map { |p| "[#{p.inspect}]" }.join}" unless path.empty?}"
        end
      end
    end

    # Programs, as facts start them.
    module Execution
      class ExecutionFailure < StandardError; end

      module_function

      def search_paths
        ENV.fetch('PATH', '').split(::File::PATH_SEPARATOR) + %w[/sbin /usr/sbin]
      end

      def which(program)
        candidates = absolute_path?(program) ? [program] : search_paths.map { |d| ::File.join(d, program) }
        candidates.find { |f| ::File.executable?(f) && ::File.file?(f) }
      end

      def absolute_path?(path, _platform = nil)
        path.start_with?('/')
      end

      # The command line with the full path of its program; nil when the program does not exist.
      def expand_command(command)
        program, rest = (command.match(/\A"(.+?)"(?:\s+(.*))?/) || command.match(/\A'(.+?)'(?:\s+(.*))?/))&.captures || command.split(/ /, 2)
        found = program && which(program) or return
        found = "'#{found}'" if found.match?(/\s/)
        rest ? "#{found} #{rest}" : found
      end

      def with_env(values)
        before = values.keys.to_h { |name| [name, ENV[name]] }
        values.each { |name, value| ENV[name] = value }
        yield
      ensure
        before&.each { |name, value| ENV[name] = value }
      end

      def exec(command)
        execute(command, on_fail: nil)
      end

      OPTIONS = %i[on_fail expand logger timeout].freeze

      def execute(command, options = {})
        failed = options.fetch(:on_fail, :raise)
        unknown = options.keys - OPTIONS
        unless unknown.empty?
          Facter.warn("Unexpected key passed to Facter::Core::Execution.execute option: #{unknown.join(',')} - valid keys: #{OPTIONS.join(',')}")
        end
        plain = options[:logger] || (!options.fetch(:expand, true) && builtin?(command))
        expanded = plain ? command : expand_command(command)
        unless expanded
          raise ExecutionFailure, "Could not execute '#{command}': command not found" if failed == :raise

          return failed
        end
        limit = (options[:timeout] || options[:time_limit] || options[:limit]).to_i
        execute_command(expanded, failed, options[:logger], limit.positive? ? limit : nil).then { |out| out.is_a?(Array) ? out[0] : out }
      end

      # [output, errors] of a command line; `on_fail` when it cannot be started.
      def execute_command(command, on_fail = nil, logger = nil, timeout = nil)
        out, problems = piped(command.to_s, timeout || 300, on_fail)
        Facter.debug("Command #{command} completed with the following stderr message: #{problems.strip}") unless problems.empty?
        [out.strip, problems]
      rescue StandardError => e
        return '' if logger
        return on_fail unless on_fail == :raise

        raise ExecutionFailure, "Failed while executing '#{command}': #{e.message}"
      end

      def builtin?(command)
        `type #{command}`.chomp.match?(/builtin/)
      end

      def piped(command, limit, on_fail)
        out, out_end = IO.pipe
        err, err_end = IO.pipe
        pid = Process.spawn({ 'LC_ALL' => 'C', 'LANG' => 'C' }, command, in: ::File::NULL, out: out_end, err: err_end)
        [out_end, err_end].each(&:close)
        readers = [out, err].map { |io| Thread.new { io.read } }
        begin
          Timeout.timeout(limit) { readers.map(&:value) }
        rescue Timeout::Error
          Process.kill('KILL', pid)
          raise "Timeout encounter after #{limit}s, killing process with pid: #{pid}" if on_fail == :raise

          ['', '']
        end
      ensure
        readers&.each(&:kill)
        [out, err, out_end, err_end].compact.each(&:close)
        Process.wait(pid) if pid
      end
    end
  end

  # What a question was answered with.
  class ResolvedFact
    attr_reader :name, :type
    attr_accessor :value, :user_query, :file

    def initialize(name, value = '', type = :core, user_query = nil)
      @name = name
      @value = value
      @type = type
      @user_query = user_query
    end

    def resolves?(query)
      @name == query
    end

    def to_s
      @value.to_s
    end
  end

  # The facts in Ruby, external ones and those of the environment, loaded as they are asked for.
  class Collection
    attr_reader :facts

    def initialize
      @facts = {}
      @loaded = {}
      Machine.outside.each { |name, value, weight| add(name, value: value, fact_type: :external) { has_weight(weight) } }
    end

    def add(name, options = {}, &block)
      options = options.dup
      fact = @facts[name.to_s.downcase] ||= Util::Fact.new(name, options)
      fact.add(options, &block)
      fact
    end

    def define_fact(name, options = {}, &block)
      fact = @facts[name.to_s.downcase] ||= Util::Fact.new(name, options)
      fact.instance_eval(&block) if block
      fact
    rescue StandardError => e
      Facter.log('err', "Unable to add fact #{name}: #{e}")
    end

    def search_path
      (Facter.load_directories + Facter.search_path).select { |d| ::File.directory?(d) }.uniq
    end

    # Loads the files that are called as the fact.
    def load(name)
      search_path.each do |directory|
        file = ::File.join(directory, "#{name}.rb")
        load_file(file) if ::File.file?(file)
      end
    end

    def load_all
      return if @loaded_all

      @loaded_all = true
      search_path.each { |directory| Dir.glob(::File.join(directory, '*.rb')).sort.each { |file| load_file(file) if ::File.file?(file) } }
    end

    # The fact that answers a query: of that name, or the one of whose value the query names a part.
    def covering(query)
      parts = query.split('.')
      parts.size.downto(1) do |count|
        found = @facts[parts.first(count).join('.')]
        return [found, parts.drop(count)] if found
      end
      nil
    end

    def flush
      @facts.each_value(&:flush)
    end

    private

    def load_file(file)
      return if @loaded[file]

      @loaded[file] = true
      Kernel.load(file)
    rescue ScriptError => e
      @loaded.delete(file)
      Facter.log('err', "Error loading fact #{file}: #{e.message}")
    rescue StandardError => e
      Facter.log('err', "error while resolving custom facts in #{file} #{e.message}")
    end
  end

  @asked = {}
  @search_path = []

  class << self
    def collection
      @collection ||= Collection.new
    end

    def search_path
      @search_path + (@cleared ? [] : Machine.directories || [])
    end

    # The directories that no `clear` forgets: those of the libraries.
    def load_directories
      (PupcWorker.library_directories || []).map { |d| ::File.join(d, 'facter') }
    end

    def search(*directories)
      @search_path += directories.flatten
      nil
    end

    def add(name, options = {}, &block)
      collection.add(name, options.merge(fact_type: :custom), &block)
    end

    def define_fact(name, options = {}, &block)
      collection.define_fact(name, options.merge(fact_type: :custom), &block)
    end

    def value(query)
      fact(query)&.value
    end

    # The answer to a query, which stays until `clear`; nil when nothing has such a fact.
    def fact(query)
      query = query.to_s.downcase
      @asked.fetch(query) do
        found = find(query)
        found && @asked[query] = ResolvedFact.new(query, found[0])
      end
    end
    alias [] fact

    # The value of a fact of the machine, leaving aside those in Ruby.
    def core_value(name)
      Machine.value(name.to_s)
    end

    def member(value, key)
      case value
      when Hash then value.fetch(key) { value[key.to_sym] }
      when Array then key.match?(/\A\d+\z/) ? value[key.to_i] : nil
      end
    end

    def to_hash
      Machine.core.merge(values)
    end
    alias to_h to_hash

    # The facts in Ruby and external ones that have a value.
    def values
      collection.load_all
      collection.facts.to_h { |name, fact| [name, value_of(fact)] }.compact
    end

    def list
      to_hash.keys.sort
    end

    def each
      to_hash.each { |name, value| yield name, value }
      self
    end

    def resolve(query = '')
      names = query.to_s.split.reject { |word| word.start_with?('-') }
      names.empty? ? to_hash : names.to_h { |name| [name, value(name)] }
    end

    def loadfacts
      collection.load_all
      nil
    end

    # Facts are resolved again, but what was asked before keeps its answer.
    def flush
      collection.flush
      Machine.forget
      nil
    end

    def clear
      @asked = {}
      reset
      @cleared = true
      Machine.forget
      nil
    end

    def reset
      @collection&.flush
      @collection = nil
      @search_path = []
      nil
    end

    def search_external(directories)
      debug("pupc reads the directories of external facts before a run, and not #{Array(directories).join(', ')}")
    end

    def search_external_path
      []
    end

    def load_external(*); end

    def version
      '4.9.0'
    end

    # -- logs

    def log(level, text)
      PupcWorker.log(level.to_sym, 'Facter', text.to_s)
      nil
    end

    def debug(text)
      log('debug', text) if debugging?
    end

    def warn(text)
      log('warning', text)
    end

    def error(text)
      log('err', text)
    end

    def debugonce(text)
      once(:debug, text)
    end

    def warnonce(text)
      once(:warn, text)
    end

    def log_exception(exception, message = nil)
      log('err', message.to_s.empty? ? exception.message : message)
    end

    def debugging?
      PupcWorker.wanted?(:debug)
    end

    %i[on_message debugging trace clear_messages http_debug enable_sequential disable_sequential].each { |name| define_method(name) { |*| nil } }
    %i[trace? http_debug? sequential?].each { |name| define_method(name) { false } }

    def normalize(value)
      case value
      when Integer, Float, true, false, nil, Symbol then value
      when Array then value.map { |v| normalize(v) }
      when Hash then value.to_h { |k, v| [normalize(k), normalize(v)] }
      when String then normalized_text(value)
      else
        return value.iso8601 if value.is_a?(Time) || (!Object.autoload?(:Date) && value.is_a?(Date))

        raise NormalizationError, "Expected #{value} to be one of [Integer, Float, TrueClass, FalseClass, NilClass, Symbol, String, Array, Hash, Date, Time], but was #{value.class}"
      end
    end

    private

    def find(query)
      collection.load(query)
      found = collection.covering(query)
      if found.nil?
        core = core_value(query)
        return [core] unless core.nil?

        collection.load_all
        found = collection.covering(query) or return
      end
      inside(stringified(found[0].value), found[1])
    end

    # [the value at the end of the path], nil when the path leads nowhere.
    def inside(value, path)
      path.each do |key|
        return nil unless value.is_a?(Hash) ? value.key?(key) : value.is_a?(Array) && key.match?(/\A\d+\z/) && key.to_i < value.size

        value = member(value, key)
      end
      [value]
    end

    def value_of(fact)
      stringified(fact.value)
    rescue StandardError => e
      log('err', e.message)
    end

    def stringified(value)
      case value
      when Hash then value.to_h { |k, v| [k.to_s, stringified(v)] }
      when Array then value.map { |v| stringified(v) }
      when Symbol then value.to_s
      else value
      end
    end

    def normalized_text(text)
      text = text.encode(Encoding::UTF_8)
      raise NormalizationError, "String #{text.inspect} doesn't match the reported encoding #{text.encoding}" unless text.valid_encoding?

      text
    rescue EncodingError
      raise NormalizationError, "String encoding #{text.encoding} is not UTF-8 and could not be converted to UTF-8"
    end

    def once(method, text)
      (@told ||= {})[text] ||= public_send(method, text) || true
    end
  end

  # Names of Facter's own library that modules use.
  Util::Values = Module.new
  Util::Normalization = Module.new
end

module LegacyFacter
  class << self
    %i[add define_fact value fact flush clear reset list to_hash loadfacts collection].each { |name| define_method(name) { |*args, **options, &block| Facter.public_send(name, *args, **options, &block) } }
  end
  Util = Facter::Util
end
