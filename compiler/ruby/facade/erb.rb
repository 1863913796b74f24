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
        template = PupcWorker.compiled_template(string, @__file__)
        # Methods that other templates have defined may read any variable.
        values = PupcWorker.callback(:variables, scope.pupc_frame, self.class.pupc_defined.empty? ? template.variables : nil)
        own = scope.own_variables
        values.merge!(own) if own
        values.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) unless value.nil? }
        PupcWorker.giving_back_changed(template, values, scope) { template.entry ? send(template.entry, string) : pupc_evaluate(template, string) }
      end

      def pupc_evaluate(template, string) # rubocop:disable Lint/UnusedMethodArgument
        eval(template.source, binding, @__file__ || '(erb)', 0) # rubocop:disable Security/Eval,Style/EvalWithLocation
      end

      # Makes a method from a template's code, so that Ruby parses it only once. Nil when a method cannot hold the code: it may define a
      # class.
      def self.pupc_define(name, source, file)
        head, code = source.split("\n", 2) # the first line names the encoding
        class_eval("#{head}\ndef #{name}(string); #{code}\nend\n", file || '(erb)', 0) # rubocop:disable Style/EvalWithLocation
      rescue SyntaxError
        nil
      end

      def to_s
        "template[#{@__file__ || 'inline'}]"
      end

      include Puppet::Util
      include Puppet::Util::Logging

      PUPC_OWN = instance_methods(false).to_h { |name| [name, instance_method(name)] }.freeze
      @pupc_defined = []
      class << self
        # The methods that templates of this compile have defined, in order. They are methods of all later templates.
        attr_reader :pupc_defined

        def method_added(name)
          @pupc_defined << name if PupcWorker.rendering && !name.start_with?('pupc_')
        end

        def pupc_forget_methods
          @pupc_defined.uniq.each { |name| PUPC_OWN.key?(name) ? define_method(name, PUPC_OWN[name]) : remove_method(name) }
          @pupc_defined = []
        end
      end
    end
  end
end

module PupcWorker
  class << self
    attr_reader :rendering # whether a template runs now: what defines a method otherwise is a library

    # The Ruby code of an ERB text. From its second rendering on, the template is also a method.
    def compiled_template(text, file)
      by_text = (@templates ||= {})[file] ||= {}
      if (found = by_text[text])
        if found.entry.nil?
          @template_number = (@template_number || 0) + 1
          found.entry = Puppet::Parser::TemplateWrapper.pupc_define("pupc_template_#{@template_number}", found.source, file) || false
        end
        return found
      end
      by_text.delete(by_text.first[0])&.forget if by_text.size >= (file ? 4 : 1000) # old texts of a file that changes, or too many inline templates
      code = text.scan(/<%(?!%)(.*?)(?:%>|\z)/m).join("\n")
      by_text[text] = Template.new(ERB.new(text, trim_mode: '-').src, template_variables(code), code.match?(MUTATING))
    end

    # A compiled template: its code, the variables that it may read (nil: any, because it computes their names), whether it may change a
    # value in place, and the name of its method (false when it cannot be one, nil before the second rendering).
    Template = Struct.new(:source, :variables, :mutating, :entry) do
      def forget
        Puppet::Parser::TemplateWrapper.send(:remove_method, entry) if entry
      end
    end

    def template_variables(code)
      return nil if code.match?(/instance_variable|binding|eval|instance_exec|\bERB\b|\bself\b|TemplateWrapper/)

      code.scan(/@([a-zA-Z_]\w*)/).flatten.uniq
    end

    MUTATING = /<<|!|\]\s*=[^=~>]|\.(?:push|append|concat|unshift|prepend|insert|pop|shift|delete|clear|replace|store|update|fill|keep_if|default)/.freeze

    # What a function's file has when the function may change a value in place: itself, or with code of other files.
    MAY_CHANGE = /#{MUTATING}|\brequire|Puppet_?X/.freeze

    # Stores values that the template changed in place back into their variables: in Puppet, both are the same object. What scope['x'] gives
    # is the object of @x.
    def giving_back_changed(template, values, scope)
      return yield unless template.mutating

      own = scope.own_variables
      with_reads(true) do
        values.each { |name, value| note_read([scope.pupc_frame, name], value, scope.pupc_frame, name) unless own&.key?(name) }
        yield
      end
    end

    # Renders a template for another template that has set variables. This must happen in this process, which has their values.
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

    # Whether a template that runs here renders others that define methods. It may call them, so they must run here as well.
    def defines_methods?(function, names)
      return false unless rendering && %w[template inline_template].include?(function) && !names.empty? && names.all?(String)

      names.any? do |name|
        path = Puppet::Parser::Files.find_template(name) if function == 'template'
        text = path ? File.read(path, encoding: 'UTF-8') : name
        text.valid_encoding? && text.match?(/<%[^>]*\bdef\s/)
      end
    end

    def render_here(scope, function, names)
      names.map { |name| function == 'template' ? render_file(name, scope) : render(name, '', scope) }.join
    end

    def render(text, path, scope = current_scope)
      wrapper = Puppet::Parser::TemplateWrapper.new(scope)
      wrapper.instance_variable_set(:@__file__, path.empty? ? nil : path)
      outer = @rendering
      @rendering = true
      wrapper.result(text)
    ensure
      @rendering = outer
    end
  end
end
