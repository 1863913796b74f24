# postgresql_psql asks its database for each resource, in a session of its own, whether the resource's command is to run. While the run
# changes nothing the answers cannot change, so one session answers for all resources that ask the same database in the same way.
module PupcWorker
  module AskedOnce
    # What a question may call: only what reads. Anything else is asked at its resource's turn, alone.
    CALLS = /\A(?:select|from|join|on|where|and|or|not|in|exists|any|all|array|values|as|over|union|except|intersect|count|min|max|coalesce|nullif|lower|upper|
      format|unnest|aclexplode|acldefault|string_agg|array_agg|array_to_string|(?:pg_)?has_\w+|pg_char_to_encoding|pg_encoding_to_char|
      pg_get_userbyid|quote_ident|quote_literal|current_database|current_schema|to_regclass)\z/ix.freeze
    MOST = 100

    class << self
      # Goes before a provider's own method.
      def take(provider)
        provider.prepend(Psql) if %i[run_unless_sql_command run_sql_command].all? { |name| provider.method_defined?(name) }
      end

      # The answer to a resource's question, as its provider returns it; nil when the provider has to ask itself.
      def psql(resource, sql, &ask)
        return nil if PupcWorker.changes.nil? || PupcWorker.wanted?(:debug) || !question?(sql) || !alike?(resource)

        @answers = {} unless @since == PupcWorker.changes
        @since = PupcWorker.changes
        key = connection(resource)
        @answers[key] ||= read(key, sql, &ask)
        @answers[key][sql]
      end

      private

      def read(key, sql)
        others = Operations.of_type(:postgresql_psql).select { |r| alike?(r) && connection(r) == key }
        questions = [sql, *others.flat_map { |r| [told(r, :unless), told(r, :onlyif)] }.select { |q| question?(q) }].uniq
        questions.size < 2 ? {} : questions.each_slice(MOST).reduce({}) { |all, some| all.merge(together(some) { |text| yield text }) }
      end

      # One row with a count for each question. Where that fails, each is asked alone.
      def together(questions)
        output, status = yield("SELECT #{questions.map { |q| "(SELECT COUNT(*) FROM (#{q}) count)" }.join(', ')}")
        counts = output.strip.split('|').map(&:strip)
        return {} unless status.to_i.zero? && counts.size == questions.size && counts.all?(/\A\d+\z/)

        questions.zip(counts.map { |count| ["#{count}\n", status] }).to_h
      end

      def alike?(resource)
        told(resource, :search_path).nil?
      end

      # A parameter's value; nil where the module's release has no such parameter.
      def told(resource, name)
        resource[name] if resource.class.validattr?(name)
      end

      # All that decides whom the provider asks and how, and whether that is a secret.
      def connection(resource)
        (resource.class.parameters - %i[name unless onlyif refreshonly]).map { |name| resource[name] }
      end

      # Whether a text is one query that only reads, in parentheses that are its own.
      def question?(sql)
        return false unless sql.is_a?(String) && sql.match?(/\A\s*select\b/i) && !sql.match?(/;|--|\/\*|\\|\b(?:into|for)\b/i)

        depth = sql.scan(/[()]/).inject(0) { |open, c| open.negative? ? open : open + (c == '(' ? 1 : -1) }
        depth.zero? && sql.count("'").even? && sql.count('"').even? && sql.scan(/([\w.]+)\s*\(/).flatten.all?(CALLS)
      end
    end

    module Psql
      def run_unless_sql_command(sql)
        AskedOnce.psql(resource, sql) { |text| run_sql_command(text) } || super
      end
    end
  end
end
