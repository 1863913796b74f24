# Facter: the collection of facts, and what code of modules asks of it. The facts of the machine come from pupc (facter_machine.rb); those in Ruby
# (facter_resolutions.rb) are resolved here, by Facter's rules: a value that is known stays, a fact that had none is tried again.
module Facter
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
