# frozen_string_literal: true

# Lets rspec-puppet compile its catalogs with pupc. In spec_helper.rb, or as `rspec -r rspec-puppet-pupc`:
#
#   require 'rspec-puppet-pupc'
#
# One `pupc compile --batch` runs beside the suite and answers every catalog; matchers, facts, mocks, coverage, tests of functions and of types stay as they are.
#
#   PUPC=off          Puppet compiles, as without this file
#   PUPC=compare      both compile; an example fails where their catalogs or errors differ, and says how
#   PUPC_PROGRAM      the program (pupc)
#   PUPC_OPTIONS      more options of `pupc compile`
#   PUPC_EXPLAIN=1    says at the end how many catalogs came from whom, and why Puppet had to compile some
#   PUPC_STATISTICS   a file for the number of catalogs and the seconds of the processor that Ruby and pupc spent on them, as JSON
require 'json'
require 'facter'
require 'puppet/facter_impl'
require 'rspec-puppet'

module RSpec
  module Puppet
    # Catalogs by pupc.
    module Pupc
      # The pupc process, or what Puppet knows that pupc cannot be told.
      class Unsupported < StandardError; end

      # A running `pupc compile --batch`: one request a line, one answer a line.
      class Program
        def initialize
          words = [ENV.fetch('PUPC_PROGRAM', 'pupc'), 'compile', *ENV.fetch('PUPC_OPTIONS', '').split, '--batch', '-']
          @owner = Process.pid
          @pipe = IO.popen(words, 'r+', external_encoding: 'UTF-8')
        rescue SystemCallError => e
          raise LoadError, "pupc cannot be started: #{e.message}. Set PUPC_PROGRAM to it, or PUPC=off."
        end

        # Seconds of the processor that the program took; it has ended then.
        def close
          before = Process.times
          @pipe.close
          after = Process.times
          after.cutime + after.cstime - before.cutime - before.cstime
        end

        # A fork shares the pipe but not the conversation.
        def mine?
          @owner == Process.pid
        end

        def ask(request)
          @pipe.puts(JSON.generate(request))
          @pipe.flush
          line = @pipe.gets
          raise "pupc ended while it compiled #{request['node']}" if line.nil?

          JSON.parse(line).merge!('nothing_to_resolve' => !line.include?('"Deferred"') && !line.include?('"Binary"'))
        rescue Errno::EPIPE
          raise "pupc ended before it compiled #{request['node']}"
        end
      end

      # What rspec-puppet tells Puppet of a node, as a request.
      class Request
        def initialize(node, exported)
          @node = node
          @environment = ::Puppet.lookup(:current_environment)
          @exported = exported
        end

        def to_h
          facts = @node.facts ? @node.facts.values : {}
          {
            'code' => ::Puppet[:code].to_s, 'node' => @node.name, 'facts' => without_nil(plain(facts)), 'parameters' => parameters(facts),
            'trusted' => plain(::Puppet.lookup(:trusted_information).to_h), 'server_facts' => server_facts,
            'environment' => @environment.name.to_s, 'modulepath' => @environment.modulepath.map(&:to_s), 'hiera_config' => hiera_config,
            'strict' => ::Puppet[:strict].to_s, 'strict_variables' => ::Puppet[:strict_variables] ? true : false, 'exported' => @exported ? true : nil,
            'settings' => { 'vardir' => ::Puppet[:vardir].to_s } # each example has its own, which modules may write into
          }.compact
        end

        private

        # Top-scope variables that are no facts, or not the fact's value.
        def parameters(facts)
          plain(@node.parameters.reject { |name, value| !value.nil? && facts.key?(name.to_s) && facts[name.to_s] == value })
        end

        # Facts of a request are those of an agent, where nil is an empty text; a spec's nil is undef, as a fact is that is not there.
        def without_nil(facts)
          facts.each_with_object({}) { |(name, value), kept| kept[name] = value.is_a?(Hash) ? without_nil(value) : value unless value.nil? }
        end

        def server_facts
          given = @node.server_facts
          given.nil? || given.empty? ? nil : plain(given)
        end

        def hiera_config
          path = ::Puppet[:hiera_config].to_s
          File.file?(path) ? path : nil
        end

        def plain(value)
          case value
          when Hash then value.to_h { |k, v| [k.to_s, plain(v)] }
          when Array then value.map { |v| plain(v) }
          when Symbol then value == :undef ? nil : value.to_s
          when nil, true, false, Integer, Float, String then value
          else value.to_s
          end
        end
      end

      # A resource of an answer; what it has is made when it is asked for.
      class AnsweredResource < ::Puppet::Resource
        REFERENCE = /\A[A-Z][a-z0-9_]*(?:::[A-Z][a-z0-9_]*)*\[.*\]\z/m
        PARTS = /\A([^\[]+)\[(.*)\]\z/m
        RELATIONS = %w[before notify require subscribe].freeze

        def initialize(data, catalog) # rubocop:disable Lint/MissingSuper
          @data = data
          @type = data['type']
          @title = data['title']
          @kind = data['kind']
          @file = data['file']
          @line = data['line']
          @exported = data['exported']
          @catalog = catalog
        end

        def parameters
          @parameters ||= (@data['parameters'] || {}).each_with_object({}) do |(name, value), made|
            next if value.nil? # a parameter without a value is none

            made[name.to_sym] = RELATIONS.include?(name) ? relation(value) : value(value)
          end
        end

        # Most are asked for what they do not have, as an alias.
        def [](param)
          name = param.to_s
          return nil if @parameters.nil? && name != 'name' && !(@data['parameters'] || {}).key?(name.downcase)

          super
        end

        def sensitive_parameters
          @sensitive_parameters ||= (@data['sensitive_parameters'] || []).map(&:to_sym)
        end

        # Puppet asks for the type's class again and again; of what the language defines, any of the kind does.
        def resource_type
          @rstype ||= case @kind
                      when COMPILABLE_TYPE_STRING then ::Puppet::Type.type(@type)
                      when DEFINED_TYPE_STRING then ::Puppet::Resource::Type.new(:definition, @type)
                      else super
                      end
        end

        %i[tags tag tagged? raw_tagged? tag_if_valid].each do |name|
          define_method(name) do |*args|
            @tags ||= ::Puppet::Util::TagSet.new(@data['tags'] || [])
            super(*args)
          end
        end

        # Others make resources by their class; they get plain ones.
        def dup
          ::Puppet::Resource.new(self)
        end

        private

        def relation(value)
          case value
          when Array then value.map { |v| relation(v) }
          when REFERENCE then reference(value)
          else value(value)
          end
        end

        # Another resource's type and title; its own parameters stay with it.
        def reference(text)
          type, title = text.match(PARTS).captures
          other = @catalog&.resource_of(text)
          AnsweredResource.new({ 'type' => type, 'title' => title, 'kind' => other&.kind, 'exported' => false }, nil)
        end

        # Rich data (Sensitive, Deferred, times, …) becomes the objects that Puppet has there.
        def value(value)
          case value
          when Hash
            return ::Puppet::Pops::Serialization::FromDataConverter.convert(value) if value.key?('__ptype')

            value.transform_values { |v| value(v) }
          when Array then value.map { |v| value(v) }
          else value
          end
        end
      end

      # A catalog of such resources.
      class AnsweredCatalog < ::Puppet::Resource::Catalog
        # The resource of a reference as it stands in answers, or nil.
        def resource_of(reference)
          @resource_table[title_key_for_ref(reference)]
        end
      end

      # The answer's catalog as the object that matchers look into.
      class Answer
        def initialize(document, environment)
          @document = document
          @environment = environment
        end

        def catalog
          catalog = AnsweredCatalog.new(@document['name'], @environment)
          catalog.version = @document['version']
          resources = {}
          @document['resources'].each do |data|
            resource = AnsweredResource.new(data, catalog)
            resources["#{data['type']}[#{data['title']}]"] = resource
            catalog.add_resource(resource)
          end
          @document['edges'].each { |edge| catalog.add_edge(resources.fetch(edge['source']), resources.fetch(edge['target'])) }
          catalog.add_class(*@document['classes'])
          catalog.tag(*@document['tags'])
          catalog
        end
      end

      # What differs between Puppet's and pupc's catalog, a line each.
      class Comparison
        def initialize(puppet, pupc)
          @sides = [puppet, pupc]
        end

        def differences
          left, right = @sides.map { |catalog| resources(catalog) }
          lines = (left.keys - right.keys).map { |ref| "only Puppet has #{ref}" } + (right.keys - left.keys).map { |ref| "only pupc has #{ref}" }
          (left.keys & right.keys).each do |ref|
            (left[ref].keys | right[ref].keys).each do |name|
              next if left[ref][name] == right[ref][name]

              lines << "#{ref} #{name}: Puppet #{left[ref][name].inspect}, pupc #{right[ref][name].inspect}"
            end
          end
          left, right = @sides.map { |catalog| catalog.edges.map(&:to_s).uniq.sort }
          lines + (left - right).map { |edge| "only Puppet has the edge #{edge}" } + (right - left).map { |edge| "only pupc has the edge #{edge}" }
        end

        private

        def resources(catalog)
          catalog.resources.to_h do |resource|
            [resource.ref, resource.to_hash.to_h { |name, value| [name, plain(value)] }.merge(sensitive: resource.sensitive_parameters.map(&:to_s).sort)]
          end
        end

        def plain(value)
          case value
          when Array then value.size == 1 ? plain(value[0]) : value.map { |v| plain(v) }
          when Hash then value.to_h { |k, v| [k.to_s, plain(v)] }
          when ::Puppet::Resource then value.ref
          when Symbol then value.to_s
          when ::Puppet::Pops::Types::PSensitiveType::Sensitive then [:sensitive, plain(value.unwrap)]
          when nil, true, false, Numeric, String then value
          else value.to_s
          end
        end
      end

      @counts = Hash.new(0)
      class << self
        attr_reader :counts

        def mode
          ENV.fetch('PUPC', 'on')
        end

        # The catalog of a node; raises Puppet's error. Unsupported: Puppet has to compile it.
        def compile(node, exported)
          refuse_what_only_ruby_knows
          @program = Program.new unless @program&.mine?
          answer = @program.ask(Request.new(node, exported).to_h)
          answer['logs'].each { |log| ::Puppet::Util::Log.create(level: level(log['level']), message: log['message']) }
          raise error_class(answer['error']), answer['error']['message'] unless answer['ok']

          catalog = Answer.new(answer['catalog'], ::Puppet.lookup(:current_environment)).catalog
          catalog.instance_variable_set(:@nothing_to_resolve, answer['nothing_to_resolve'])
          catalog
        end

        # What a spec puts into Puppet itself: functions, types, methods that it replaces, Hiera set-ups.
        def refuse_what_only_ruby_knows
          raise Unsupported, "the spec defines #{@made_by_spec}" if @made_by_spec

          replaced = Replaced.methods
          raise Unsupported, "the spec replaces #{replaced.first}" unless replaced.empty?

          %i[disable_module_hiera use_fixture_spec_hiera].each do |setting|
            next unless RSpec.configuration.respond_to?(setting) && RSpec.configuration.send(setting)

            raise Unsupported, "#{setting} is set"
          end
        end

        # nil: nothing any more, as Puppet's test helper forgets functions before each example.
        attr_writer :made_by_spec

        # What the evaluator and the checks raise knows its column; what is found wrong with the whole catalog has none.
        def error_class(error)
          error['column'] || error['message'].start_with?('Evaluation Error:') ? ::Puppet::PreformattedError : ::Puppet::Error
        end

        def level(name)
          { 'error' => :err, 'emergency' => :emerg, 'critical' => :crit }.fetch(name, name.to_sym)
        end

        # One adapter does all since rspec-puppet 4; before there was one for each range of Puppet's versions, above each other.
        def whole_adapter?
          !RSpec::Puppet::Adapters.const_defined?(:Adapter40)
        end

        # Counts the seconds of this process that the block takes.
        def measure
          before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
          yield
        ensure
          @seconds = (@seconds || 0.0) + Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
          @catalogs = (@catalogs || 0) + 1
        end

        # At the end of the suite.
        def finish
          seconds = @program&.mine? ? @program.close : 0.0
          warn "Catalogs: #{counts.map { |what, n| "#{n} #{what}" }.join(', ')}" if ENV['PUPC_EXPLAIN'] && !counts.empty?
          return unless ENV['PUPC_STATISTICS'] && @catalogs

          File.write(ENV['PUPC_STATISTICS'], JSON.generate('catalogs' => @catalogs, 'ruby' => @seconds, 'pupc' => seconds, 'by' => counts))
        end
      end

      # Stands before the adapters' own way to a catalog.
      module Adapter
        def catalog(node, exported)
          return Pupc.measure { super } if Pupc.mode == 'off'

          Pupc.measure { chosen_catalog(node, exported) { super } }
        end

        private

        def chosen_catalog(node, exported)
          begin
            mine = Pupc.compile(node, exported)
            # Before version 4 this is the work of an adapter above, and stays it.
            ::Puppet::Pops::Evaluator::DeferredResolver.resolve_and_replace(node.facts, mine) if Pupc.whole_adapter?
            Pupc.counts['by pupc'] += 1
          rescue Unsupported => e
            Pupc.counts["by Puppet: #{e.message}"] += 1
            return yield
          rescue ::Puppet::Error => e
            raise unless Pupc.mode == 'compare'

            compare_errors(e) { yield }
          end
          return mine unless Pupc.mode == 'compare'

          compare_catalogs(mine) { yield }
        end

        # Ends the example; RSpec shortens what does not match an expected error, so all of it is also told at once.
        def tell(difference)
          warn "PUPC=compare: #{difference}"
          raise difference
        end

        def compare_errors(error)
          yield
          tell("only pupc fails: #{error.message}")
        rescue ::Puppet::Error => e
          raise e if e.message == error.message && e.instance_of?(error.class)

          tell("Puppet fails with #{e.class}: #{e.message}\npupc fails with #{error.class}: #{error.message}")
        end

        def compare_catalogs(mine)
          theirs = begin
            yield
          rescue ::Puppet::Error => e
            tell("only Puppet fails: #{e.message}")
          end
          lines = Comparison.new(theirs, mine).differences
          tell("pupc's catalog differs:\n  #{lines.join("\n  ")}") unless lines.empty?

          mine
        end
      end

      # Methods that the running example replaces, as "Facter.value".
      module Replaced
        # rspec-puppet and puppetlabs_spec_helper replace these in every example.
        USUAL = /\A(Puppet::Util::Feature(Collection)?|Selinux)\./.freeze

        class << self
          def methods
            (by_rspec + by_mocha).grep_v(USUAL)
          end

          private

          def by_rspec
            return [] unless defined?(::RSpec::Mocks.space) && ::RSpec::Mocks.space.respond_to?(:proxies)

            partial = ::RSpec::Mocks.space.proxies.values.grep(::RSpec::Mocks::PartialDoubleProxy)
            partial.flat_map do |proxy|
              object = proxy.object
              doubles = (proxy.instance_variable_get(:@method_doubles) || {}).reject { |_name, double| double.expectations.empty? && double.stubs.empty? }
              doubles.keys.map { |name| named(object, name) }
            end
          end

          def by_mocha
            return [] unless defined?(::Mocha::Mockery)
            # Loaded, but another library mocks.
            return [] if ::Mocha::Mockery.respond_to?(:setup) && ::Mocha::Mockery.instance_variable_get(:@instances).nil?

            ::Mocha::Mockery.instance.stubba.stubba_methods.map { |method| named(method.stubbee, method.method_name) }
          end

          def named(object, method)
            "#{object.is_a?(Module) ? object.name : object.class.name}.#{method}"
          end
        end
      end

      # Specs may define functions and types of their own.
      module MadeBySpecs
        # Asked by the spec itself, or by a helper of its; a module's file that a spec makes Puppet load is further away.
        def self.note(kind, name)
          Pupc.made_by_spec = "the #{kind} #{name}" if caller_locations(2, 2).any? { |place| place.path.to_s.match?(%r{/spec/(?!fixtures/)}) }
        end

        # Functions of both APIs, types.
        module Functions
          def newfunction(name, *rest, &block)
            MadeBySpecs.note('function', name)
            super
          end

          def reset
            Pupc.made_by_spec = nil
            super
          end
        end

        # Functions of the 4.x API.
        module NewFunctions
          def create_function(name, *rest, &block)
            MadeBySpecs.note('function', name)
            super
          end
        end

        # Types.
        module Types
          def newtype(name, *rest, &block)
            MadeBySpecs.note('type', name)
            super
          end
        end
      end

      # Work that each example does beside compiling and that its result does not need.
      module Cheaper
        # The loaders of Puppet's own compiler are made when something asks for them.
        module Adapter
          def setup_puppet(*args)
            Cheaper.lazy_loaders = Pupc.mode != 'off'
            super
          ensure
            Cheaper.lazy_loaders = false
          end
        end

        # What is bound to a Proc in Puppet's context is made at the first use.
        module Loaders
          def new(environment, *rest)
            return super unless Cheaper.lazy_loaders

            proc { ::Puppet::Pops::Loaders.new(environment, *rest) }
          end
        end

        # Puppet resolves deferred values, and makes bytes of each Binary: other catalogs stay as they are.
        module Resolver
          def resolve_and_replace(facts, catalog, *rest)
            super unless catalog.instance_variable_get(:@nothing_to_resolve)
          end
        end

        # Finds a catalog by the bytes of what it was made from, which is the same as by comparing all facts, and cheaper.
        module Cache
          def get(*args, &block)
            key = Pupc.mode == 'off' ? nil : bytes(args)
            return super if key.nil?

            made = (@made_from ||= {})
            if made.key?(key)
              made[key] = made.delete(key) # the newest is last
            else
              made.shift if made.size >= self.class::MAX_ENTRIES
              made[key] = (block || @default_proc).call(*args)
            end
          end

          private

          def bytes(args)
            Marshal.dump(args)
          rescue TypeError # an object that has none
            nil
          end
        end

        # The example's facts, which rspec-puppet gives to Facter, come back without Facter's search through all that it knows.
        module Facts
          # Where rspec-puppet sets them.
          module Given
            def stub_facts!(facts)
              super
              Cheaper.facts = Pupc.mode == 'off' ? nil : facts
            end
          end

          # What changes them.
          module Changed
            %i[clear reset add define_fact flush].each do |name|
              define_method(name) do |*args, **options, &block|
                Cheaper.facts = nil
                super(*args, **options, &block)
              end
            end
          end

          def value(fact_name)
            found = Cheaper.facts
            return super if found.nil?

            fact_name.to_s.downcase.split('.').each do |part|
              return super unless found.is_a?(Hash) && found.key?(part)

              found = found[part]
            end
            found
          end
        end

        # Optional libraries that are missing are no news; Ruby looks for similar names in every directory when their error is printed.
        module NoSpelling
          def corrections
            Pupc.mode == 'off' ? super : []
          end
        end

        class << self
          attr_accessor :lazy_loaders, :facts
        end
      end
    end
  end
end

RSpec::Puppet::Adapters::Base.prepend(RSpec::Puppet::Pupc::Adapter)
Puppet::Parser::Functions.singleton_class.prepend(RSpec::Puppet::Pupc::MadeBySpecs::Functions)
Puppet::Functions.singleton_class.prepend(RSpec::Puppet::Pupc::MadeBySpecs::NewFunctions)
Puppet::Type.singleton_class.prepend(RSpec::Puppet::Pupc::MadeBySpecs::Types)
(RSpec::Puppet::Pupc.whole_adapter? ? RSpec::Puppet::Adapters::Base : RSpec::Puppet::Adapters::Adapter40).prepend(RSpec::Puppet::Pupc::Cheaper::Adapter)
Puppet::Pops::Loaders.singleton_class.prepend(RSpec::Puppet::Pupc::Cheaper::Loaders)
Puppet::Pops::Evaluator::DeferredResolver.singleton_class.prepend(RSpec::Puppet::Pupc::Cheaper::Resolver)
RSpec::Puppet::Cache.prepend(RSpec::Puppet::Pupc::Cheaper::Cache)
RSpec::Puppet::Support.prepend(RSpec::Puppet::Pupc::Cheaper::Facts::Given)
Facter.singleton_class.prepend(RSpec::Puppet::Pupc::Cheaper::Facts::Changed)
Puppet::FacterImpl.prepend(RSpec::Puppet::Pupc::Cheaper::Facts)
DidYouMean::RequirePathChecker.prepend(RSpec::Puppet::Pupc::Cheaper::NoSpelling) if defined?(DidYouMean::RequirePathChecker)
at_exit { RSpec::Puppet::Pupc.finish }
