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
require 'json'
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

        # A fork shares the pipe but not the conversation.
        def mine?
          @owner == Process.pid
        end

        def ask(request)
          @pipe.puts(JSON.generate(request))
          @pipe.flush
          line = @pipe.gets
          raise "pupc ended while it compiled #{request['node']}" if line.nil?

          JSON.parse(line)
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
            'code' => ::Puppet[:code].to_s, 'node' => @node.name, 'facts' => plain(facts), 'parameters' => parameters(facts),
            'trusted' => plain(::Puppet.lookup(:trusted_information).to_h), 'server_facts' => server_facts,
            'environment' => @environment.name.to_s, 'modulepath' => @environment.modulepath.map(&:to_s), 'hiera_config' => hiera_config,
            'strict' => ::Puppet[:strict].to_s, 'strict_variables' => ::Puppet[:strict_variables] ? true : false, 'exported' => @exported ? true : nil
          }.compact
        end

        private

        # Top-scope variables that are no facts, or not the fact's value.
        def parameters(facts)
          plain(@node.parameters.reject { |name, value| facts.key?(name.to_s) && facts[name.to_s] == value })
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

      # The answer's catalog as the object that matchers look into.
      class Answer
        REFERENCE = /\A[A-Z][a-z0-9_]*(?:::[A-Z][a-z0-9_]*)*\[.*\]\z/m
        RELATIONS = %w[before notify require subscribe].freeze

        def initialize(document, environment)
          @document = document
          @environment = environment
        end

        def catalog
          catalog = ::Puppet::Resource::Catalog.new(@document['name'], @environment)
          catalog.version = @document['version']
          catalog.tag(*@document['tags'])
          resources = {}
          @document['resources'].each do |data|
            resource = resource(data, catalog)
            resources["#{data['type']}[#{data['title']}]"] = resource
            catalog.add_resource(resource)
          end
          @document['edges'].each { |edge| catalog.add_edge(resources.fetch(edge['source']), resources.fetch(edge['target'])) }
          catalog.add_class(*@document['classes'])
          catalog
        end

        private

        def resource(data, catalog)
          resource = ::Puppet::Resource.allocate
          resource.instance_variable_set(:@type, data['type'])
          resource.instance_variable_set(:@title, data['title'])
          parameters = {}
          resource.instance_variable_set(:@parameters, parameters)
          (data['parameters'] || {}).each do |name, value|
            next if value.nil? # a parameter without a value is none

            parameters[name.to_sym] = RELATIONS.include?(name) ? relation(value) : value(value)
          end
          resource.instance_variable_set(:@sensitive_parameters, (data['sensitive_parameters'] || []).map(&:to_sym))
          resource.instance_variable_set(:@tags, ::Puppet::Util::TagSet.new(data['tags'] || []))
          resource.file = data['file']
          resource.line = data['line']
          resource.exported = data['exported'] || false
          resource.catalog = catalog
          resource
        end

        def relation(value)
          case value
          when Array then value.map { |v| relation(v) }
          when REFERENCE then ::Puppet::Resource.new(value)
          else value(value)
          end
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
          raise ::Puppet::PreformattedError, answer['error']['message'] unless answer['ok']

          Answer.new(answer['catalog'], ::Puppet.lookup(:current_environment)).catalog
        end

        # Functions that a spec defines, and Hiera set-ups that rspec-puppet replaces inside Puppet.
        def refuse_what_only_ruby_knows
          raise Unsupported, "a function made by the spec (#{@spec_function})" if @spec_function

          %i[disable_module_hiera use_fixture_spec_hiera].each do |setting|
            next unless RSpec.configuration.respond_to?(setting) && RSpec.configuration.send(setting)

            raise Unsupported, "#{setting} is set"
          end
        end

        def spec_function(name)
          @spec_function = name
        end

        def level(name)
          { 'error' => :err, 'emergency' => :emerg, 'critical' => :crit }.fetch(name, name.to_sym)
        end

        def report
          return unless ENV['PUPC_EXPLAIN'] && !counts.empty?

          warn "Catalogs: #{counts.map { |what, n| "#{n} #{what}" }.join(', ')}"
        end
      end

      # Stands before the adapters' own way to a catalog.
      module Adapter
        def catalog(node, exported)
          return super if Pupc.mode == 'off'

          begin
            mine = Pupc.compile(node, exported)
            Pupc.counts['by pupc'] += 1
          rescue Unsupported => e
            Pupc.counts["by Puppet: #{e.message}"] += 1
            return super
          rescue ::Puppet::Error => e
            raise unless Pupc.mode == 'compare'

            compare_errors(e) { super }
          end
          return mine unless Pupc.mode == 'compare'

          compare_catalogs(mine) { super }
        end

        private

        def compare_errors(error)
          yield
          raise "only pupc fails: #{error.message}"
        rescue ::Puppet::Error => e
          raise e if e.message == error.message

          raise "Puppet fails with: #{e.message}\npupc fails with: #{error.message}"
        end

        def compare_catalogs(mine)
          theirs = begin
            yield
          rescue ::Puppet::Error => e
            raise "only Puppet fails: #{e.message}"
          end
          lines = Comparison.new(theirs, mine).differences
          raise "pupc's catalog differs:\n  #{lines.join("\n  ")}" unless lines.empty?

          mine
        end
      end

      # Specs may define functions of their own.
      module SpecFunctions
        def newfunction(name, *rest, &block)
          Pupc.spec_function(name) if caller_locations(1, 8).any? { |place| place.path.to_s.match?(%r{/spec/(?!fixtures/)}) }
          super
        end
      end
    end
  end
end

RSpec::Puppet::Adapters::Base.prepend(RSpec::Puppet::Pupc::Adapter)
Puppet::Parser::Functions.singleton_class.prepend(RSpec::Puppet::Pupc::SpecFunctions)
at_exit { RSpec::Puppet::Pupc.report }
