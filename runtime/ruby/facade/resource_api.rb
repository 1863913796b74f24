# The Resource API: types are descriptions, providers have `get` and `set`. pupc checks the values, since it knows Puppet's data types.
module Puppet
  module ResourceApi
    # A data type of the Puppet language, given as text.
    class DataType
      attr_reader :text

      def initialize(attribute, text)
        @text = text.to_s
        problem = PupcWorker.ask('type_problem', @text)
        raise Puppet::DevError, "The type of the `#{attribute}` attribute `#{text}` is not recognised: #{problem}" if problem
      end

      def optional?
        @text.match?(/\AOptional\b/)
      end

      # The type's name without Optional: String, Boolean, Integer, Float, Numeric, Enum, ….
      def base
        inner[/\A\w+/]
      end

      def inner
        optional? ? @text[/\AOptional\[(.*)\]\z/m, 1].to_s.strip : @text
      end

      # Puppet's message when a value does not match the type; nil when it does.
      def mismatch(value, prefix)
        (@checked ||= {}).fetch([value, prefix]) { |key| @checked[key] = PupcWorker.ask('type_mismatch', text, PupcWorker.encode(value), prefix) }
      end

      # Returns a value in the type's form and raises when it does not match. With of_texts, converts texts from a command line.
      def accept(value, prefix, of_texts: false)
        value = { true: true, false: false }.fetch(value, value) if value.is_a?(Symbol)
        value = of_text(value) if of_texts
        plain = value.is_a?(Pops::Types::PSensitiveType::Sensitive) && !text.include?('Sensitive') ? value.unwrap : value
        problem = mismatch(plain, prefix)
        raise Puppet::ResourceError, problem if problem

        value
      end

      private

      def of_text(value)
        return value unless value.is_a?(String) || value.is_a?(Symbol)
        return { 'true' => true, 'false' => false }.fetch(value.to_s, value) if base == 'Boolean'
        return value.to_s unless %w[Integer Float Numeric].include?(base)

        Integer(value.to_s, exception: false) || Float(value.to_s, exception: false) || value
      end
    end

    # The description that a type's author wrote, after validation.
    class TypeDefinition
      RESERVED = %i[title provider alias audit before consume export loglevel noop notify require schedule stage subscribe tag].freeze
      FEATURES = %w[supports_noop canonicalize custom_insync remote_resource simple_get_filter].freeze
      attr_reader :definition, :attributes, :types

      def initialize(definition)
        @definition = definition
        check
        @types = attributes.to_h { |name, options| [name, DataType.new(name, options[:type])] }
      end

      def name
        definition[:name]
      end

      def ensurable?
        attributes.key?(:ensure)
      end

      def feature?(feature)
        definition[:features].include?(feature)
      end

      def title_patterns
        definition[:title_patterns] || []
      end

      def namevars
        attributes.select { |_, options| options[:behaviour] == :namevar }.keys
      end

      def insyncable_attributes
        attributes.reject { |_, options| options.key?(:behaviour) }.keys
      end

      # Raises when a resource from the provider does not match the description.
      def check_schema(resource, prefix = nil)
        namevars.each do |namevar|
          next unless resource[namevar].nil?

          raise Puppet::ResourceError, "`#{name}.get` did not return a value for the `#{namevar}` namevar attribute"
        end
        unknown = check_schema_keys(resource)
        bad = check_schema_values(resource)
        return if unknown.empty? && bad.empty?

        message = "#{prefix || 'Provider returned data that does not match the Type Schema'} for `#{name}[#{resource[namevars.first]}]`"
        message += "\n Unknown attribute:\n#{unknown.map { |k| "    * #{k}\n" }.join}" unless unknown.empty?
        message += "\n Value type mismatch:\n#{bad.map { |k, text| "    * #{k}: #{text}\n" }.join}" unless bad.empty?
        raise Puppet::DevError, message
      end

      def check_schema_keys(resource)
        resource.keys.reject { |key| key == :title || attributes.key?(key) }
      end

      def check_schema_values(resource)
        resource.each_with_object({}) do |(key, value), bad|
          problem = types[key]&.mismatch(value, '')
          bad[key] = attributes[key][:sensitive] ? "<< redacted value >> #{problem}" : "#{value} (#{problem})" if problem
        end
      end

      private

      def check
        raise Puppet::DevError, "#{self.class} must be a Hash, not `#{definition.class}`" unless definition.is_a?(Hash)
        raise Puppet::DevError, "#{self.class} must have a name" unless definition.key?(:name)

        @attributes = definition[:attributes]
        unless attributes.is_a?(Hash)
          raise Puppet::DevError, "`#{name}.attributes` must be a hash, not `#{attributes.class}`"
        end
        definition[:features] ||= []
        definition[:desc] ||= definition.delete(:docs)
        attributes.each { |key, options| check_attribute(key, options) }
      end

      def check_attribute(key, options)
        raise Puppet::DevError, "must not define an attribute called `#{key.inspect}`" if RESERVED.include?(key)
        raise Puppet::DevError, "`#{name}.#{key}` must be a Hash, not a #{options.class}" unless options.is_a?(Hash)
        raise Puppet::DevError, "`#{name}.#{key}` has no type" unless options.key?(:type)

        options[:behaviour] = options.delete(:behavior) if options.key?(:behavior)
        return if [nil, :read_only, :namevar, :parameter, :init_only].include?(options[:behaviour])

        raise Puppet::ResourceError, "`#{options[:behaviour]}` is not a valid behaviour value"
      end
    end
    BaseTypeDefinition = TypeDefinition

    # The context object that providers receive: gives them the type and log methods.
    class BaseContext
      attr_reader :type

      def initialize(definition)
        @type = definition.is_a?(Hash) ? TypeDefinition.new(definition) : definition
      end

      def device
        raise 'no device configured'
      end
      alias transport device

      def failed?
        @failed
      end

      def reset_failed
        @failed = false
      end

      def feature_support?(feature)
        type.feature?(feature)
      end

      %i[debug info notice warning err].each do |level|
        define_method(level) do |*args|
          text = case args.size
                 when 1 then "#{@context || type.name}: #{args[0]}"
                 when 2 then "#{format_titles(args[0])}: #{args[1]}"
                 else args.join(', ')
                 end
          PupcWorker.log(level, 'Puppet', text)
        end
      end

      %i[creating updating deleting].each do |method|
        define_method(method) { |titles, message: method.to_s.capitalize, &block| within(titles, message, :notice, 'Finished in', 'Failed after', &block) }
      end

      def failing(titles, message: 'Failing', &block)
        within(titles, message, :warning, 'Finished failing in', 'Failed after', &block)
      end

      def processing(title, is, should, message: 'Processing')
        single(title, __method__)
        start = Time.now
        setup(title, message)
        begin
          debug("Starting processing of #{title} from #{is} to #{should}")
          yield
          notice("Finished processing #{title} in #{seconds(start)} seconds: #{should}")
        rescue StandardError => e
          log_exception(e, message: "Failed processing #{title} after #{seconds(start)} seconds")
          @failed = true
        ensure
          @context = nil
        end
      end

      %i[created updated deleted].each do |method|
        define_method(method) { |titles, message: method.to_s.capitalize| notice("#{message}: #{titles}") }
      end

      def processed(title, is, should)
        single(title, __method__)
        notice("Processed #{title} from #{is} to #{should}")
      end

      def attribute_changed(title, attribute, is, should, message: nil)
        single(title, __method__)
        shown = [is, should].map { |v| v ? (v.is_a?(Numeric) ? v : "'#{v}'") : 'nil' }
        notice("#{title}: attribute '#{attribute}' changed from #{shown[0]} to #{shown[1]}#{": #{message}" if message}")
      end

      def failed(titles, message: 'Updating has failed')
        setup(titles)
        err(message)
      ensure
        @context = nil
      end

      def log_exception(exception, message: 'Error encountered', trace: false)
        err(["#{message}: #{exception}", *(exception.backtrace if trace)].join("\n"))
      end

      private

      def within(titles, message, level, finished, failed)
        start = Time.now
        setup(titles, message)
        debug('Start')
        yield
        public_send(level, "#{finished} #{seconds(start)} seconds")
      rescue StandardError => e
        log_exception(e, message: "#{failed} #{seconds(start)} seconds")
        @failed = true
      ensure
        @context = nil
      end

      def single(title, method)
        raise "#{method} only accepts a single resource title" if title.respond_to?(:each)
      end

      def setup(titles, message = nil)
        @context = message ? "#{format_titles(titles)}: #{message}" : format_titles(titles)
      end

      def format_titles(titles)
        !titles.is_a?(String) && titles.empty? ? type.name.to_s : "#{type.name}[#{[titles].flatten.compact.join(', ')}]"
      end

      def seconds(start)
        passed = Time.now - start
        format(passed < 1 ? '%.6f' : '%.2f', passed)
      end
    end
    PuppetContext = BaseContext

    # A parameter: an attribute without a state on the machine.
    class Parameter < Puppet::Parameter
      class << self
        attr_accessor :data_type, :of_type
      end
      attr_reader :value
      alias rs_value value

      def value=(value)
        @value = self.class.data_type.accept(value, "#{self.class.of_type}.#{name}", of_texts: PupcWorker.values_are_texts)
      end
    end

    class ReadOnlyParameter < Parameter
      def value=(value)
        raise Puppet::ResourceError, "Attempting to set `#{name}` read_only attribute value to `#{value}`"
      end
    end

    class Property < Puppet::Property
      class << self
        attr_accessor :data_type, :of_type
      end

      def should=(value)
        @shouldorig = value
        value = value.to_s if name == :ensure
        @should = [self.class.data_type.accept(value, "#{self.class.of_type}.#{name}", of_texts: PupcWorker.values_are_texts)]
      end

      def should
        value = rs_value
        return value.to_sym if name == :ensure && value.is_a?(String)

        { true => :true, false => :false }.fetch(value, value)
      end

      def rs_value
        @should&.first
      end

      def insync?(is)
        if resource.type_definition.feature?('custom_insync')
          answer = asked
          return answer unless answer.nil?
        end
        name == :ensure ? rs_value.to_s == is.to_s : super
      end

      def change_to_s(current, wanted)
        @told || super
      end

      # Does nothing: `flush` makes all changes of a resource at once.
      def call_provider(_value); end

      private

      def asked
        type = resource.class
        raise Puppet::DevError, 'No insync? method defined in the provider; an insync? method must be defined if the custom_insync feature is defined for the type' unless type.my_provider.respond_to?(:insync?)

        @told = 'Custom insync logic determined that this resource is out of sync' if name == :rsapi_custom_insync_trigger
        answer, message = type.my_provider.insync?(type.context, resource.rsapi_title, name, resource.rsapi_current_state, resource.rsapi_canonicalized_target_state)
        @told = message unless answer.nil? || message.to_s.empty?
        return answer if [nil, true, false].include?(answer)

        raise Puppet::DevError, "Custom insync for #{name} returned a #{answer.class} with a value of #{answer.inspect} instead of true/false; insync? MUST return nil or the boolean true or false"
      end
    end

    # A title with several parts that can be sorted.
    class MonkeyHash < Hash
      def <=>(other)
        [self.class.name, keys.sort, values_at(*keys.sort)] <=> [other.class.name, other.keys.sort, other.values_at(*other.keys.sort)]
      end
    end

    # The base class of providers for types with `ensure`: the author writes only create, update and delete.
    class SimpleProvider
      def set(context, changes)
        raise 'SimpleProvider cannot be used with a Type that is not ensurable' unless changes.empty? || context.type.ensurable?

        changes.each { |name, change| pupc_set(context, name, change) }
      end

      %i[create update].each { |method| define_method(method) { |_context, _name, _should| raise "#{self.class} has not implemented `#{method}`" } }

      def delete(_context, _name)
        raise "#{self.class} has not implemented `delete`"
      end

      def self.create_absent(namevar, title)
        (title.is_a?(Hash) ? title.dup : { namevar => title }).update(ensure: 'absent')
      end

      private

      def pupc_set(context, name, change)
        is = change.key?(:is) ? change[:is] : pupc_find(context, name)
        context.type.check_schema(is) if is && !change.key?(:is)
        is ||= SimpleProvider.create_absent(:name, name)
        should = change[:should] || SimpleProvider.create_absent(:name, name)
        namevars = context.type.namevars
        who = namevars.size > 1 ? namevars.to_h { |n| [n, should[n]] } : name
        case [is[:ensure].to_s, should[:ensure].to_s]
        when %w[absent present] then context.creating(name) { create(context, who, should) }
        when %w[present absent] then context.deleting(name) { delete(context, who) }
        when %w[present present] then context.updating(name) { update(context, who, should) }
        end
      end

      def pupc_find(context, name)
        found = context.type.feature?('simple_get_filter') ? get(context, [name]) : get(context)
        (found || []).find { |r| r[:name] == name }
      end
    end

    # The methods of a described type's resources.
    module Instance
      def initialize(attributes)
        sensitive = []
        title = nil
        if attributes.is_a?(Puppet::Resource)
          title = @title = attributes.title
          @catalog = attributes.catalog
          sensitive = attributes.sensitive_parameters
          place = attributes
          attributes = attributes.to_hash
        else
          attributes = attributes.transform_keys(&:to_sym)
          @found = true
        end
        sensitive.each { |n| attributes[n] = Pops::Types::PSensitiveType::Sensitive.new(attributes[n]) if attributes.key?(n) && !attributes[n].is_a?(Pops::Types::PSensitiveType::Sensitive) }
        attributes = self.class.my_provider.canonicalize(context, [attributes])[0] if type_definition.feature?('canonicalize')
        attributes[:title] = attributes.delete(:name) || title if type_definition.attributes[:name].nil? && attributes[:title].nil?
        attributes[:title] ||= title if title
        super(pupc_resource(attributes, place))
      end

      def name
        title
      end

      def type_definition
        self.class.type_definition
      end

      def my_provider
        self.class.my_provider
      end

      def context
        self.class.context
      end

      def rsapi_title
        @rsapi_title ||= self.class.build_title(type_definition, self)
      end

      def rsapi_canonicalized_target_state
        @rsapi_target ||= begin
          state = @parameters.select { |n, _| type_definition.attributes.key?(n) }.transform_values(&:rs_value)
          type_definition.feature?('canonicalize') ? my_provider.canonicalize(context, [state]).first : state
        end
      end

      def rsapi_current_state
        refresh_current_state unless @rsapi_current_state
        @rsapi_current_state
      end

      def cache_current_state(found)
        @rsapi_current_state = found
        strict_check(found)
      end

      def refresh_current_state
        all = type_definition.feature?('simple_get_filter') ? my_provider.get(context, [rsapi_title]) : my_provider.get(context)
        @rsapi_current_state = all.find { |found| namevar_match?(found) }
        if @rsapi_current_state
          type_definition.check_schema(@rsapi_current_state)
          return strict_check(@rsapi_current_state)
        end
        @rsapi_current_state = rsapi_title.is_a?(Hash) ? rsapi_title.dup : { title: rsapi_title }
        @rsapi_current_state[:ensure] = :absent if type_definition.ensurable?
      end

      def namevar_match?(item)
        type_definition.namevars.all? { |n| item[n] == @parameters[n]&.value }
      end

      def retrieve
        Puppet.debug { "Current State: #{rsapi_current_state.inspect}" }
        result = Puppet::Resource.new(self.class, title, parameters: rsapi_current_state)
        result[:ensure] = result[:ensure].to_sym if type_definition.ensurable? && result[:ensure].is_a?(String)
        raise_missing_attrs
        result
      end

      def flush
        raise_missing_attrs
        wanted = rsapi_canonicalized_target_state
        current = rsapi_current_state
        return if current == wanted

        Puppet.debug { "Target State: #{wanted.inspect}" }
        check_init_only(current, wanted)
        change = { rsapi_title => { is: current, should: wanted } }
        if type_definition.feature?('supports_noop') then my_provider.set(context, change, noop: noop?)
        else my_provider.set(context, change) unless noop?
        end
        if context.failed?
          context.reset_failed
          raise 'Execution encountered an error'
        end
        @rsapi_current_state = wanted
      end

      # Raises for missing mandatory parameters; remembers missing mandatory properties.
      def validate
        @missing_attrs = []
        return if @found

        type_definition.attributes.each do |n, options|
          next if %i[read_only namevar].include?(options[:behaviour])
          next if type_definition.ensurable? && value(:ensure).to_s == 'absent' && options[:behaviour].nil?

          @missing_attrs << n if value(n).nil? && !type_definition.types[n].optional?
        end
        parameters = @missing_attrs.select { |n| type_definition.attributes[n][:behaviour] == :parameter }
        @missing_attrs -= [:ensure]
        return if parameters.empty?

        raise Puppet::ResourceError, "The following mandatory parameters were not provided:\n    *  #{parameters.join(", \n    *  ")}"
      end

      def raise_missing_attrs
        return if (@missing_attrs || []).empty? || [nil, :absent].include?(value(:ensure))

        raise Puppet::ResourceError, "The following mandatory attributes were not provided:\n    *  #{@missing_attrs.join(", \n    *  ")}"
      end

      private

      # Builds the Puppet::Resource for the provider; `place` is the resource of the catalog, if any.
      def pupc_resource(attributes, place)
        resource = Puppet::Resource.new(self.class, attributes.delete(:title) || attributes[self.class.type_definition.namevars.first])
        attributes.each { |n, value| resource[n] = value unless value.nil? }
        return resource unless place

        # As in Puppet, the resource does not get file and line.
        %i[catalog tags].each { |what| resource.public_send("#{what}=", place.public_send(what)) }
        resource.sensitive_parameters = place.sensitive_parameters
        resource
      end

      def check_init_only(current, wanted)
        return unless current[:ensure].to_s == 'present' && wanted[:ensure].to_s == 'present'

        wanted.each do |n, value|
          next unless type_definition.attributes[n][:behaviour] == :init_only && value != current[n]

          raise Puppet::ResourceError, "Attempting to change `#{n}` init_only attribute value from `#{current[n]}` to `#{value}`"
        end
      end

      def strict_check(current)
        if type_definition.feature?('canonicalize')
          canonical = my_provider.canonicalize(context, [Marshal.load(Marshal.dump(current))]).first
          if canonical && canonical != current
            raise Puppet::DevError, "#{self.class.name}[#{@title}]#get has not provided canonicalized values.\n" \
                                    "Returned values:       #{current.inspect}\nCanonicalized values:  #{canonical.inspect}"
          end
        end
        return if type_definition.namevars.size < 2 || type_definition.title_patterns.empty? || current.key?(:title)

        raise Puppet::DevError, "#{type_definition.name}[#{@title}]#get has not provided a title attribute."
      end
    end

    # The class methods of a described type.
    module OfType
      attr_reader :type_definition

      def my_provider
        @my_provider ||= ResourceApi.load_provider(type_definition.name).new
      end

      def context
        @context ||= PuppetContext.new(type_definition)
      end

      def build_title(definition, resource)
        return resource[definition.namevars[0]] if definition.namevars.size < 2

        MonkeyHash[definition.namevars.map { |n| [n, resource[n]] }]
      end

      def title_patterns
        given = type_definition.title_patterns
        return [[/(.*)/m, [[type_definition.namevars.first]]]] if given.empty?

        given.map { |item| [item[:pattern], Regexp.new(item[:pattern]).names.map { |n| [n.to_sym] }] }
      end

      def instances
        provider(type_definition.name)
        found = type_definition.feature?('simple_get_filter') ? my_provider.get(context, []) : my_provider.get(context)
        found.map do |item|
          type_definition.check_schema(item)
          title = item[:title] || build_title(type_definition, item)
          keys = type_definition.namevars.to_h { |n| [n, item[n]] }
          resource = new(keys.merge(title: title))
          type_definition.insyncable_attributes.each { |n| resource.newattr(n) }
          resource.cache_current_state(item)
          resource
        end
      end
    end

    class << self
      def register_type(definition)
        described = TypeDefinition.new(definition)
        module_name = class_name_from_type_name(definition[:name])
        Puppet::Provider.const_set(module_name, ::Module.new) unless Puppet::Provider.const_defined?(module_name, false)
        Puppet::Type.newtype(definition[:name].to_sym) do
          @type_definition = described
          @doc = definition[:desc]
          extend OfType
          prepend Instance
          apply_to_device if described.feature?('remote_resource')
          described.attributes.each { |name, options| ResourceApi.add_attribute(self, name, options, described.types[name]) }
          if described.feature?('custom_insync') && described.insyncable_attributes.empty?
            ResourceApi.add_attribute(self, :rsapi_custom_insync_trigger, { default: 'do_not_specify_in_manifest' },
                                      DataType.new(:rsapi_custom_insync_trigger, 'Enum[do_not_specify_in_manifest]'))
          end
          ResourceApi.add_relations(self, definition)
        end
      end

      def add_attribute(type, name, options, data_type)
        kind = { parameter: :newparam, namevar: :newparam, read_only: :newparam }.fetch(options[:behaviour], :newproperty)
        parent = options[:behaviour] == :read_only ? ReadOnlyParameter : kind == :newparam ? Parameter : Property
        attribute = type.public_send(kind, name.to_sym, parent: parent)
        attribute.data_type = data_type
        attribute.of_type = type.name
        attribute.isnamevar if options[:behaviour] == :namevar
        return if options[:behaviour] == :read_only || !options.key?(:default)

        value = options[:default]
        value = { true => :true, false => :false }.fetch(value, value)
        attribute.defaultto { Marshal.load(Marshal.dump(value)) }
      end

      # Adds automatic relationships to fixed titles, or to the value of an attribute ("$name").
      def add_relations(type, definition)
        %i[autorequire autobefore autosubscribe autonotify].each do |kind|
          (definition[kind] || {}).each do |other, titles|
            type.public_send(kind, other.to_s.downcase.to_sym) do
              [titles].flatten.map { |t| t.is_a?(String) && t.start_with?('$') ? self[t[1..].to_sym] : t }.flatten.compact
            end
          end
        end
      end

      def load_type(_name); end

      def load_provider(name)
        class_name = class_name_from_type_name(name)
        Puppet::Type.type(name.to_sym).provider(name.to_sym)
        Puppet::Provider.const_get(class_name, false).const_get(class_name, false)
      rescue NameError
        raise Puppet::DevError, "provider class Puppet::Provider::#{class_name}::#{class_name} not found in puppet/provider/#{name}/#{name}"
      end

      def class_name_from_type_name(name)
        name.to_s.split('_').map(&:capitalize).join
      end

      def register_transport(*); end

      def caller_is_resource_app?
        PupcWorker.values_are_texts
      end
    end
  end
end
