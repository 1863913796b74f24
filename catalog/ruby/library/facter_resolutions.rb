# Facter: how one fact gets its value: its resolutions, their weights and conditions, the time that they may take, and facts of several chunks.
module Facter
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
  end
end
