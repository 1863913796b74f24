# Rendering of ERB templates with a scope's variables as instance variables.
module Puppet
  module Parser
    class TemplateWrapper
      def initialize(scope)
        @__scope__ = scope
      end

      def file
        @__file__
      end

      def scope
        @__scope__
      end

      def has_variable?(name) # rubocop:disable Naming/PredicateName
        scope.include?(name.to_s)
      end

      def classes
        scope.catalog.classes
      end

      def tags
        raise NotImplementedError, "Call 'all_tags' instead."
      end

      def all_tags
        scope.catalog.tags
      end

      def file=(filename)
        @__file__ = Puppet::Parser::Files.find_template(filename, nil)
        raise Puppet::ParseError, "Could not find template '#{filename}'" unless @__file__
      end

      def result(string = nil)
        string ||= File.read(@__file__, encoding: 'UTF-8')
        names = PupcWorker.template_variables(string)
        values = PupcWorker.callback(:variables, scope.pupc_frame, names)
        own = scope.own_variables
        values.merge!(own) if own
        values.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) unless value.nil? }
        PupcWorker.giving_back_changed(string, values, scope) { pupc_evaluate(string) }
      end

      def pupc_evaluate(string)
        eval(PupcWorker.compiled_template(string), binding, @__file__ || '(erb)', 0) # rubocop:disable Security/Eval,Style/EvalWithLocation
      end

      def to_s
        "template[#{@__file__ || 'inline'}]"
      end

      include Puppet::Util
      include Puppet::Util::Logging

      def pupc_log_source
        to_s
      end
    end
  end
end

module PupcWorker
  class << self
    # Ruby code of an ERB text, compiled once.
    def compiled_template(text)
      require 'erb'
      @templates ||= {}
      @templates[text] ||= begin
        @templates.clear if @templates.size > 2000
        ERB.new(text, trim_mode: '-').src
      end
    end

    # The instance variables that a template may read; nil = all of them, where it reads them by name.
    def template_variables(text)
      return nil if text.match?(/instance_variable|binding|eval|template|scope\.to_hash|ERB|render|require|load\b/)

      text.scan(/@([a-zA-Z_]\w*)/).flatten.uniq
    end

    MUTATING = /<<|!|\]\s*=[^=~>]|\.(?:push|append|concat|unshift|prepend|insert|pop|shift|delete|clear|replace|store|update|fill|keep_if|default)/.freeze

    # What a template changes in place is the variables' value from then on: they are one object in Puppet.
    def giving_back_changed(text, values, scope)
      return yield unless text.match?(MUTATING)

      before = values.select { |_, v| v.is_a?(Array) || v.is_a?(Hash) }.transform_values(&:hash)
      result = yield
      before.each { |name, hash| callback(:change_variable, scope.pupc_frame, name, values[name]) if values[name].hash != hash && !scope.own_variables&.key?(name) }
      result
    end

    # A template of a template that set variables: rendered in this process, where their values are.
    def render_file(name, scope)
      path = Puppet::Parser::Files.find_template(name)
      raise Puppet::ParseError, "Could not find template '#{name}'" unless path

      begin
        render(File.read(path, encoding: 'UTF-8').delete_prefix("\uFEFF"), path, scope)
      rescue StandardError => e
        raise if e.is_a?(Jump) && e.pupc_jump

        place = first_place(e) || [path, 0]
        raise Puppet::ParseError, "Failed to parse template #{name}:\n  Filepath: #{place[0]}\n  Line: #{place[1]}\n  Detail: #{e.message}\n"
      end
    end

    def render(text, path, scope = current_scope)
      wrapper = Puppet::Parser::TemplateWrapper.new(scope)
      wrapper.instance_variable_set(:@__file__, path.empty? ? nil : path)
      wrapper.result(text)
    end
  end
end
