# -- file
# URI.parse and what it gives, for URIs of a scheme, a host and a path; escapes.
class URI
  class Error < StandardError
  end

  class InvalidURIError < Error
  end

  class RFC2396_Parser
    def escape(text, unsafe = %r{[^\-_.!~*'()a-zA-Z\d;/?:@&=+$,\[\]]})
      PupcCore.ruby unless text.is_a?(String) && unsafe.is_a?(Regexp)
      text.gsub(unsafe) { |part| part.bytes.map { |byte| format('%%%02X', byte) }.join }
    end

    def method_missing(*)
      PupcCore.ruby
    end
  end

  DEFAULT_PARSER = RFC2396_Parser.new

  class Generic
    def initialize(parts)
      @parts = parts
    end

    def __parts
      @parts
    end

    def scheme
      @parts[:scheme]
    end

    def userinfo
      @parts[:userinfo]
    end

    def user
      userinfo&.split(':', 2)&.first
    end

    def password
      userinfo&.split(':', 2)&.at(1)
    end

    def host
      @parts[:host]
    end

    def hostname
      host&.delete_prefix('[')&.delete_suffix(']')
    end

    def port
      @parts[:port] || default_port
    end

    def default_port
      URI::PORTS[scheme]
    end

    def path
      @parts[:path]
    end

    def query
      @parts[:query]
    end

    def fragment
      @parts[:fragment]
    end

    def opaque
      nil
    end

    def userinfo=(value)
      return if value.nil?

      @parts[:userinfo] = value.is_a?(Array) ? value.join(':') : value
    end

    def user=(value)
      @parts[:userinfo] = value.nil? ? nil : [value, password].compact.join(':')
    end

    def password=(value)
      @parts[:userinfo] = user.nil? ? nil : [user, value].compact.join(':')
    end

    def scheme=(value)
      @parts[:scheme] = value&.downcase
    end

    def host=(value)
      @parts[:host] = value
    end

    def port=(value)
      @parts[:port] = value.nil? ? nil : value.to_i
    end

    def path=(value)
      @parts[:path] = value
    end

    def query=(value)
      @parts[:query] = value
    end

    def fragment=(value)
      @parts[:fragment] = value
    end

    def absolute?
      !scheme.nil?
    end

    def absolute
      absolute?
    end

    def relative?
      scheme.nil?
    end

    def request_uri
      PupcCore.ruby unless %w[http https].include?(scheme)
      (path == '' ? '/' : path) + (query.nil? ? '' : "?#{query}")
    end

    def to_s
      out = +''
      out << scheme << ':' unless scheme.nil?
      unless host.nil?
        out << '//'
        out << userinfo << '@' unless userinfo.nil?
        out << host
        out << ":#{@parts[:port]}" unless @parts[:port].nil? || @parts[:port] == default_port
      end
      out << path
      out << '?' << query unless query.nil?
      out << '#' << fragment unless fragment.nil?
      out
    end

    def inspect
      "#<#{self.class} #{self}>"
    end

    def ==(other)
      other.is_a?(URI::Generic) && to_s == other.to_s
    end
  end

  class HTTP < Generic
  end

  class HTTPS < HTTP
  end

  PORTS = { 'http' => 80, 'https' => 443 }.freeze

  def self.parse(text)
    return text if text.is_a?(URI::Generic)

    PupcCore.ruby unless text.is_a?(String)
    found = %r{\A(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:(?<userinfo>[\w.~%!$&'()*+,;=:-]*)@)?(?<host>[\w.~-]+|\[[\h:.]+\])(?::(?<port>\d+))?(?<path>(?:/[\w.~%!$&'()*+,;=:@-]*)*)(?:\?(?<query>[\w.~%!$&'()*+,;=:@/?-]*))?(?:#(?<fragment>[\w.~%!$&'()*+,;=:@/?-]*))?\z}.match(text)
    raise URI::InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if found.nil? && text =~ /[ "<>^`{|}]/ && text.ascii_only?

    PupcCore.ruby if found.nil? || text =~ /%(?!\h\h)/ || found[:host].include?('_')
    scheme = found[:scheme].downcase
    kind = { 'http' => URI::HTTP, 'https' => URI::HTTPS }[scheme]
    PupcCore.ruby if kind.nil? && %w[ftp file ldap ldaps mailto ws wss].include?(scheme)
    kind ||= URI::Generic
    kind.new({ scheme: scheme, userinfo: found[:userinfo], host: found[:host], port: found[:port]&.to_i, path: found[:path], query: found[:query], fragment: found[:fragment] })
  end

  def self.join(base, *others)
    others.inject(parse(base)) do |uri, other|
      next parse(other) if other =~ %r{\A[A-Za-z][A-Za-z0-9+.-]*://}

      PupcCore.ruby unless other =~ %r{\A[\w.~/%-]+(?:\?[\w.~%&=-]*)?\z} && !other.start_with?('//')
      path, query = other.split('?', 2)
      path = uri.path.sub(%r{[^/]*\z}, '') + path unless path.start_with?('/')
      path = "/#{path}" unless path.start_with?('/')
      kept = []
      parts = path.split('/', -1).drop(1)
      parts.each_with_index do |part, i|
        last = i == parts.size - 1
        kept.pop if part == '..'
        kept << part unless part == '..' || part == '.'
        kept << '' if last && (part == '..' || part == '.')
      end
      uri.class.new(uri.__parts.merge(path: "/#{kept.join('/')}", query: query, fragment: nil))
    end
  end

  def self.encode_www_form_component(text, encoding = nil)
    text.to_s.gsub(/[^*\-.0-9A-Z_a-z]/) { |c| c == ' ' ? '+' : c.bytes.map { |b| format('%%%02X', b) }.join }
  end

  def self.encode_uri_component(text, encoding = nil)
    encode_www_form_component(text).gsub('+', '%20')
  end

  def self.decode_www_form_component(text, encoding = nil)
    PupcCore.ruby if text =~ /%(?!\h\h)/
    CGI.unescape(text)
  end

  def self.encode_www_form(pairs)
    pairs.map do |name, value|
      case value
      when nil then encode_www_form_component(name)
      when Array then value.map { |one| one.nil? ? encode_www_form_component(name) : "#{encode_www_form_component(name)}=#{encode_www_form_component(one)}" }.join('&')
      else "#{encode_www_form_component(name)}=#{encode_www_form_component(value)}"
      end
    end.join('&')
  end

  def self.decode_www_form(text)
    text.split('&').map { |pair| pair.split('=', 2).map { |part| decode_www_form_component(part) } }
  end
end
