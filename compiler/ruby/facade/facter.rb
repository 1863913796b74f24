# Custom facts: loads the Ruby files of directories against a facade of Facter and prints what they resolve to.
# Standard input: {"directories": […], "libraries": […], "limit": SECONDS, "facts": {…}, "external": {…}, "environment": {…}} as JSON. Standard output, one JSON
# object a line: {"start": FACT}, {"limit": SECONDS} for each resolution, {"end": FACT, "value": …, "seconds": N}, at last {"facts": [FACT, …], "log": [[level, text], …]}.
require 'json'
require 'timeout'
require 'set'

module Facter
  class ResolveCustomFactError < StandardError; end
  class FactLoopError < StandardError; end
  LOG = [] # rubocop:disable Style/MutableConstant

  # A condition under which a resolution applies: { fact => values }, or a block that decides.
  class Confine
    def initialize(fact, values, block)
      @fact = fact
      @values = values
      @block = block
    end

    def true?
      return !!@block.call if @fact.nil?

      value = convert(Facter.value(@fact))
      return false if value.nil?

      @block ? !!@block.call(value) : @values.any? { |v| convert(v) === value } # rubocop:disable Style/CaseEquality
    rescue StandardError
      false
    end

    def convert(value)
      value = value.to_s if value.is_a?(Symbol)
      value.is_a?(String) ? value.downcase : value
    end
  end

  class Resolution
    attr_reader :name, :fact
    attr_accessor :timeout, :value

    def initialize(name, fact)
      @name = name
      @fact = fact
      @confines = []
    end

    def confine(confines = nil, &block)
      if confines.is_a?(Hash)
        confines.each { |fact, values| @confines << Confine.new(fact, [values].flatten, nil) }
      elsif block
        @confines << Confine.new(confines, [], block)
      end
    end

    def has_weight(weight) # rubocop:disable Naming/PredicateName
      @weight = weight
      self
    end

    def weight
      @weight || @confines.length
    end

    def options(options)
      options.each do |key, value|
        case key
        when :name, :fact_type, :file, :type then next
        when :value then @value = value
        when :timeout then @timeout = value
        when :weight then @weight = value
        else raise ArgumentError, "Invalid resolution options #{[key].inspect}"
        end
      end
      self
    end

    def setcode(string = nil, &block)
      raise ArgumentError, 'You must pass either code or a block' if string.nil? && block.nil?

      @code = string ? -> { Core::Execution.exec(string) } : block
      self
    end

    def suitable?
      @confines.all?(&:true?)
    end

    def on_flush; end

    def resolve
      limit = @timeout || Facter.limit
      Facter.tell('limit' => limit)
      result = Timeout.timeout(limit) { @value.nil? ? compute : @value }
      normalize(result)
    rescue Timeout::Error
      Facter.log('error', "Timed out after #{limit} seconds while resolving #{qualified}")
      nil
    rescue StandardError => e
      begin
        require 'error_highlight' # adds the place within the line to messages, as in a Ruby that loads gems
      rescue LoadError
        nil
      end
      Facter.log('error', "Error while resolving custom fact #{qualified}: #{e.message}")
      raise ResolveCustomFactError
    end

    def compute
      @code&.call
    end

    def normalize(value)
      case value
      when Integer, Float, true, false, nil then value
      when String then value.encode(Encoding::UTF_8)
      when Symbol then value.to_s
      when Array then value.map { |v| normalize(v) }
      when Hash then value.to_h { |k, v| [normalize(k).to_s, normalize(v)] }
      else raise ArgumentError, "Expected #{value} to be one of [Integer, Float, TrueClass, FalseClass, NilClass, Symbol, String, Array, Hash, Time], but was #{value.class}"
      end
    end

    def qualified
      "fact='#{@fact.name}', resolution='#{@name || '<anonymous>'}'"
    end
  end

  class Aggregate < Resolution
    def initialize(name, fact)
      super
      @chunks = {}
      @needs = {}
    end

    def chunk(name, options = {}, &block)
      raise ArgumentError, "#{self.class.name}#chunk requires a block" unless block

      @chunks[name] = block
      @needs[name] = Array(options[:require])
    end

    def aggregate(&block)
      @aggregate = block
      self
    end

    def compute
      results = {}
      @chunks.each_key { |name| run(name, results, []) }
      return @aggregate.call(results) if @aggregate

      results.values.inject { |a, b| merge(a, b, []) }
    end

    def run(name, results, above)
      return results[name] if results.key?(name)
      raise "Could not order chunks; found the following dependency cycles: #{[above.drop_while { |n| n != name }].inspect}" if above.include?(name)

      given = @needs[name].map { |need| run(need, results, above + [name]) }
      results[name] = @chunks.fetch(name).call(*given)
    end

    def merge(left, right, path)
      if left.is_a?(Hash) && right.is_a?(Hash) then left.merge(right) { |k, a, b| merge(a, b, path + [k]) }
      elsif left.is_a?(Array) && right.is_a?(Array) then left + right
      elsif left.nil? then right
      elsif right.nil? then left
      else raise "Cannot merge #{left.inspect}:#{left.class} and #{right.inspect}:#{right.class}#{" at root#{path.map { |p| "[#{p.inspect}]" }.join}" unless path.empty?}"
      end
    end
  end

  class Fact
    attr_reader :name

    def initialize(name)
      @name = name
      @resolutions = []
    end

    def define_resolution(name, options = {}, &block)
      kind = options.delete(:type) || :simple
      raise ArgumentError, "Expected resolution type to be one of (:simple, :aggregate) but was #{kind}" unless %i[simple aggregate].include?(kind)

      found = name && @resolutions.find { |r| r.name == name }
      found ||= (kind == :aggregate ? Aggregate : Resolution).new(name, self).tap { |r| @resolutions << r }
      found.options(options)
      found.instance_eval(&block) if block
      found
    end

    def value
      return @value unless @value.nil? # a fact that failed gets another try when all facts are listed
      raise "Caught recursion on #{name}" if @searching

      Facter.tell('start' => name)
      @searching = true
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      find_value
    ensure
      @searching = false
      told(Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun) if begun
    end

    private

    def told(seconds)
      Facter.tell('end' => name, 'value' => @value, 'seconds' => seconds)
    rescue JSON::GeneratorError => e
      Facter.log('error', "The value of the fact '#{name}' cannot be kept: #{e.message}")
      @value = nil
      Facter.tell('end' => name, 'value' => nil, 'seconds' => seconds)
    end

    def find_value
      weight = 0
      found = nil
      outside, outside_weight = Facter.outside(name)
      @resolutions.select(&:suitable?).select { |r| outside_weight.nil? || r.weight > outside_weight }.each_with_index.sort_by { |r, i| [-r.weight, i] }.each do |resolution, _|
        begin
          found = resolution.resolve
        rescue ResolveCustomFactError
          break
        end
        weight = resolution.weight
        break unless found.nil?
      end
      if found.nil? && outside_weight
        found = outside
        weight = outside_weight
      end
      core = Facter.core_value(name)
      @value = found.nil? || (weight <= 0 && !core.nil?) ? core : found
    end
  end

  module Core
    module Execution
      class ExecutionFailure < StandardError; end

      module_function

      def which(program)
        return (File.executable?(program) ? program : nil) if program.start_with?('/')

        search_paths.map { |d| File.join(d, program) }.find { |f| File.file?(f) && File.executable?(f) }
      end

      def search_paths
        ENV.fetch('PATH', '').split(':') + %w[/sbin /usr/sbin]
      end

      def execute(command, options = {})
        failed = options.fetch(:on_fail, :raise)
        expanded = options.fetch(:expand, true) ? expand(command.to_s) : command.to_s
        unless expanded
          raise ExecutionFailure, "Could not execute '#{command}': command not found" if failed == :raise

          return failed
        end
        limit = options[:timeout] || options[:time_limit] || options[:limit] || 300
        Timeout.timeout(limit.to_i) { IO.popen([{ 'LC_ALL' => 'C', 'LANG' => 'C' }, '/bin/sh', '-c', expanded, { err: File::NULL, in: File::NULL }], &:read).to_s.strip }
      end

      # The command line with the full path of its program; nil when the program does not exist.
      def expand(command)
        program, rest = command.match(/\A"([^"]+?)"(?:\s+(.*))?/m)&.captures || command.match(/\A'([^']+?)'(?:\s+(.*))?/m)&.captures || command.split(/ /, 2)
        found = program && which(program)
        return unless found

        found = "'#{found}'" if found.match?(/\s/)
        rest ? "#{found} #{rest}" : found
      end

      def exec(command)
        execute(command, on_fail: nil)
      end

      def execute_command(command, *_)
        execute(command, on_fail: '')
      end
    end
  end

  module Util
    # The old name of this API.
    class Resolution
      %i[which exec execute search_paths].each { |m| define_singleton_method(m) { |*args| Core::Execution.public_send(m, *args) } }
    end
    module Confine; end
  end

  class << self
    attr_reader :core, :limit
    attr_writer :limit, :result

    # A line for pupc: what runs, what it gave.
    def tell(event)
      @result.puts(JSON.generate(event))
    end

    def log(level, text)
      LOG << [level, text.to_s]
      nil
    end

    # External facts and facts of FACTER_… variables compete with custom facts as resolutions of these weights.
    EXTERNAL_WEIGHT = 10_000
    ENVIRONMENT_WEIGHT = 1_000_000

    def start(core, external, environment)
      @core = core
      @outside = external.transform_values { |v| [v, EXTERNAL_WEIGHT] }.merge(environment.transform_values { |v| [v, ENVIRONMENT_WEIGHT] })
      @facts = {}
      @asked = {} # values of facts that other facts asked for, nil if they failed
    end

    # [value, weight] of an external fact or a FACTER_… variable; nil when there is none of that name.
    def outside(name)
      @outside[name]
    end

    # The value of a fact, leaving custom facts out.
    def core_value(name)
      name = name.to_s
      return @outside[name][0] if @outside.key?(name)
      return @core[name] if @core.key?(name)

      root, rest = name.split('.', 2)
      return rest.split('.').inject(@outside[root][0]) { |v, k| v.is_a?(Hash) ? v[k] : v.is_a?(Array) && k =~ /\A\d+\z/ ? v[k.to_i] : nil } if rest && @outside.key?(root)

      name.split('.').inject(@core) { |v, k| v.is_a?(Hash) ? v[k] : v.is_a?(Array) && k =~ /\A\d+\z/ ? v[k.to_i] : nil }
    end

    def add(name, options = {}, &block)
      name = name.to_s.downcase
      options = options.dup
      @facts[name] ||= Fact.new(name)
      @facts[name].define_resolution(options.delete(:name), options, &block)
      @facts[name]
    end

    def define_fact(name, _options = {}, &block)
      fact = @facts[name.to_s.downcase] ||= Fact.new(name.to_s.downcase)
      fact.instance_eval(&block) if block
      fact
    end

    def fact(name)
      name = name.to_s.downcase
      @facts[name] || (core_value(name).nil? ? nil : Struct.new(:name, :value).new(name, core_value(name)))
    end
    alias [] fact

    def value(name)
      name = name.to_s.downcase
      return @asked[name] if @asked.key?(name)
      return @asked[name] = @facts[name].value if @facts.key?(name)

      root, rest = name.split('.', 2)
      return core_value(name) unless rest && @facts.key?(root)

      rest.split('.').inject(@facts[root].value) { |v, k| v.is_a?(Hash) ? v[k] : nil }
    end

    def to_hash
      @core.merge(@outside.transform_values(&:first), values)
    end

    def values
      @facts.transform_values { |fact| begin fact.value rescue (log('error', $!.message)) end } # rubocop:disable Style/RescueModifier
    end

    def list
      (@core.keys + @facts.keys + @outside.keys).uniq
    end

    def each(&block)
      to_hash.each(&block)
    end

    def debug(_text) end
    alias debugonce debug
    alias info debug

    def warn(text)
      log('warning', text)
    end

    def warnonce(text)
      @warned ||= Set.new
      warn(text) if @warned.add?(text)
    end

    def error(text)
      log('error', text)
    end

    def log_exception(exception, message = nil)
      error(message || exception.message)
    end

    def version
      '4.9.0'
    end

    def debugging?
      false
    end

    def clear; end
    alias flush clear
    alias reset clear
    alias loadfacts clear
    def search(*) end
    def search_external(*) end
    def on_message; end
  end
end

module PupcRequire
  def require(name)
    # Never load an installed Facter or Puppet: it would replace this facade. Files that modules have below these names are loaded.
    if name.to_s.match?(%r{\A(?:facter|puppet)(?:/|\z)})
      own = PUPC_LIBRARIES.map { |d| File.join(d, "#{name.to_s.delete_suffix('.rb')}.rb") }.find { |f| File.exist?(f) }
      return own ? super(own) : false
    end

    super
  rescue LoadError
    raise if defined?(Gem)

    super('rubygems')
    super
  end
end
Object.prepend(PupcRequire)

result = $stdout.dup
$stdout.reopen($stderr)
given = JSON.parse($stdin.read)
PUPC_LIBRARIES = given['libraries'].freeze
$stdin.reopen(File::NULL)
Facter.limit = given['limit']
Facter.result = result
result.sync = true
Facter.start(given['facts'], given['external'], given['environment'])
given['libraries'].reverse_each { |d| $LOAD_PATH.unshift(d) }
given['directories'].each do |directory|
  Dir.glob(File.join(directory, '*.rb')).sort.each do |file|
    load file
  rescue StandardError, ScriptError => e
    Facter.log('error', "Error loading fact #{file}: #{e.message}")
  end
end
Facter.tell('facts' => Facter.values.compact.keys, 'log' => Facter::LOG)
result.close
exit!(0)
