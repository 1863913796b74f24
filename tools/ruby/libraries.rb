# What a Puppet process has always loaded and module code therefore uses without asking for it: loaded here at its first use, so that
# what isn't used costs nothing.
{
  JSON: 'json', YAML: 'yaml', Psych: 'yaml', ERB: 'erb', Set: 'set', SortedSet: 'set', Digest: 'digest', OpenSSL: 'openssl', Base64: 'base64',
  SecureRandom: 'securerandom', IPAddr: 'ipaddr', URI: 'uri', Date: 'date', DateTime: 'date', OpenStruct: 'ostruct', Pathname: 'pathname',
  Tempfile: 'tempfile', FileUtils: 'fileutils', Find: 'find', StringIO: 'stringio', StringScanner: 'strscan', Timeout: 'timeout',
  Shellwords: 'shellwords', Etc: 'etc', Open3: 'open3', Benchmark: 'benchmark', Singleton: 'singleton', Forwardable: 'forwardable',
  PP: 'pp', Tmpdir: 'tmpdir', Resolv: 'resolv', Socket: 'socket', Zlib: 'zlib', Logger: 'logger', CGI: 'cgi', Net: 'net/http'
}.each { |name, library| Object.autoload(name, library) unless Object.const_defined?(name) }

class Object
  # Replaced by what the library defines when it is called first.
  { to_yaml: 'yaml', to_json: 'json' }.each do |method, library|
    next if method_defined?(method)

    define_method(method) do |*args, **options|
      Object.send(:remove_method, method) if Object.method_defined?(method, false) && Object.instance_method(method).source_location&.first == __FILE__
      require library
      public_send(method, *args, **options)
    end
  end
end

class Time
  # Time.parse and its like are the library's.
  def self.method_missing(name, *args)
    return super unless %i[parse iso8601 rfc2822 httpdate strptime xmlschema].include?(name) && require('time')

    public_send(name, *args)
  end

  def self.respond_to_missing?(name, all = false)
    %i[parse iso8601 rfc2822 httpdate strptime xmlschema].include?(name) || super
  end
end
