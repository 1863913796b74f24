# Puppet's HTTP client: Puppet.runtime[:http], and the older Puppet::Network::HttpPool. Redirects are followed, certificates are checked
# against the system's.
module Puppet
  module HTTP
    class HTTPError < Error; end
    class ConnectionError < HTTPError; end
    class RouteError < HTTPError; end
    class ProtocolError < HTTPError; end
    class SerializationError < HTTPError; end

    class ResponseError < HTTPError
      attr_reader :response

      def initialize(response)
        super(response.reason)
        @response = response
      end
    end

    class TooManyRedirects < HTTPError
      def initialize(address)
        super("Too many HTTP redirections for #{address}")
      end
    end

    class TooManyRetryAfters < HTTPError
      def initialize(address)
        super("Too many HTTP retries for #{address}")
      end
    end

    class Response
      attr_reader :url, :body

      def initialize(url, answer)
        @url = url
        @answer = answer
        @body = answer.body.to_s
      end

      def code
        @answer.code.to_i
      end

      def reason
        @answer.message
      end

      def read_body
        yield @body
      end

      def success?
        (200...300).cover?(code)
      end

      def [](name)
        @answer[name]
      end

      def each_header(&block)
        @answer.each_header(&block)
      end

      def drain
        self
      end
    end

    class Client
      MOVED = [301, 302, 303, 307, 308].freeze

      def initialize(redirect_limit: 10, **)
        @redirect_limit = redirect_limit
      end

      def get(url, headers: {}, params: {}, options: {}, &block)
        give(ask(Net::HTTP::Get, url, nil, headers, params, options), &block)
      end

      def head(url, headers: {}, params: {}, options: {})
        ask(Net::HTTP::Head, url, nil, headers, params, options)
      end

      def put(url, body, headers: {}, params: {}, options: {})
        ask(Net::HTTP::Put, url, body, headers, params, options)
      end

      def post(url, body, headers: {}, params: {}, options: {}, &block)
        give(ask(Net::HTTP::Post, url, body, headers, params, options), &block)
      end

      def delete(url, headers: {}, params: {}, options: {})
        ask(Net::HTTP::Delete, url, nil, headers, params, options)
      end

      def close; end

      private

      def give(response)
        yield response if block_given?
        response
      end

      def ask(kind, url, body, headers, params, options)
        raise ArgumentError, "#{kind::METHOD.capitalize} requires a string 'body' argument" if kind::REQUEST_HAS_BODY && !body.is_a?(String)

        url = URI.parse(url.to_s)
        url.query = [url.query, URI.encode_www_form(params)].compact.join('&') unless params.empty?
        (@redirect_limit + 1).times do
          answer = exchange(kind, url, body, headers, options)
          return Response.new(url, answer) unless MOVED.include?(answer.code.to_i)
          raise ProtocolError, 'Location response header is missing' unless answer['location']

          url = URI.join(url.to_s, answer['location'])
          kind, body = Net::HTTP::Get, nil if answer.code.to_i == 303
        end
        raise TooManyRedirects, url
      end

      def exchange(kind, url, body, headers, options)
        request = kind.new(url, { 'User-Agent' => "Puppet/#{Puppet.version} Ruby/#{RUBY_VERSION}" }.merge(headers.transform_keys(&:to_s)))
        request.body = body if body
        user = options[:basic_auth]
        request.basic_auth(user[:user], user[:password]) if user
        connection(url, options).start { |http| http.request(request) }
      rescue SystemCallError, SocketError, Timeout::Error, IOError, OpenSSL::SSL::SSLError => e
        raise ConnectionError.new("Request to #{url} failed: #{e.message}", e)
      end

      def connection(url, options)
        http = Net::HTTP.new(url.host, url.port)
        http.open_timeout = 120
        http.use_ssl = url.scheme == 'https'
        context = options[:ssl_context]
        http.verify_mode = OpenSSL::SSL::VERIFY_NONE if http.use_ssl? && context.respond_to?(:verify_peer) && !context.verify_peer
        http
      end
    end
  end

  module Network
    # The older form: a connection to one server.
    module HttpPool
      Connection = Struct.new(:host, :port, :ssl) do
        %i[get delete head].each { |name| define_method(name) { |path, headers = {}, options = {}| ask(name, [path], headers, options) } }
        %i[put post].each { |name| define_method(name) { |path, body, headers = {}, options = {}| ask(name, [path, body], headers, options) } }
        alias_method :address, :host

        private

        def ask(name, arguments, headers, options)
          path, *body = arguments
          Puppet.runtime[:http].public_send(name, "#{ssl ? 'https' : 'http'}://#{host}:#{port}#{path}", *body, headers: headers || {}, options: options || {})
        end
      end

      def self.http_instance(host, port, use_ssl = true, _verify_peer = true)
        Connection.new(host, port, use_ssl)
      end

      def self.connection(host, port, use_ssl: true, **)
        Connection.new(host, port, use_ssl)
      end
    end
  end
end
