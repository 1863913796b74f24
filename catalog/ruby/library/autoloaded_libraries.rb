# A Puppet process has always loaded these libraries, so module code uses them without `require`. Load each one at its first use, so that
# unused libraries cost nothing.
{
  JSON: 'json', YAML: 'yaml', Psych: 'yaml', ERB: 'erb', Set: 'set', SortedSet: 'set', Digest: 'digest', OpenSSL: 'openssl', Base64: 'base64',
  SecureRandom: 'securerandom', IPAddr: 'ipaddr', URI: 'uri', Date: 'date', DateTime: 'date', OpenStruct: 'ostruct', Pathname: 'pathname',
  Tempfile: 'tempfile', FileUtils: 'fileutils', Find: 'find', StringIO: 'stringio', StringScanner: 'strscan', Timeout: 'timeout',
  Shellwords: 'shellwords', Etc: 'etc', Open3: 'open3', Benchmark: 'benchmark', Singleton: 'singleton', Forwardable: 'forwardable',
  PP: 'pp', Resolv: 'resolv', Socket: 'socket', Zlib: 'zlib', Logger: 'logger', CGI: 'cgi', Net: 'net/http',
  Gem: 'rubygems', OptionParser: 'optparse', GetoptLong: 'getoptlong', Delegator: 'delegate', SimpleDelegator: 'delegate', Syslog: 'syslog',
  Monitor: 'monitor', MonitorMixin: 'monitor', Ripper: 'ripper', TSort: 'tsort', BigDecimal: 'bigdecimal', RbConfig: 'rbconfig'
}.each { |name, library| Object.autoload(name, library) unless Object.const_defined?(name) }

# Methods that libraries add to core classes. The first call loads the library, which replaces these methods with its own.
{
  Object => { to_yaml: 'yaml', to_json: 'json' },
  Time => { iso8601: 'time', xmlschema: 'time', rfc2822: 'time', rfc822: 'time', httpdate: 'time', to_date: 'date', to_datetime: 'date', to_time: 'date' },
  Time.singleton_class => { parse: 'time', strptime: 'time', iso8601: 'time', xmlschema: 'time', rfc2822: 'time', rfc822: 'time', httpdate: 'time' },
  Dir.singleton_class => { tmpdir: 'tmpdir', mktmpdir: 'tmpdir' },
  String => { shellescape: 'shellwords', shellsplit: 'shellwords' },
  Array => { shelljoin: 'shellwords' },
  Enumerable => { to_set: 'set' },
  Kernel => { Pathname: 'pathname', URI: 'uri', DelegateClass: 'delegate' }
}.each do |owner, methods|
  methods.each do |method, library|
    next if owner.method_defined?(method) || owner.private_method_defined?(method)

    stub = owner.define_method(method) do |*args, **options, &block|
      own = owner.instance_method(method)
      owner.send(:remove_method, method) if own.owner == owner && own.source_location&.first == __FILE__
      require library
      send(method, *args, **options, &block)
    end
    owner.send(:private, stub) if owner == Kernel
  end
end

# English names of the special variables ($ERROR_INFO, …). Ruby resolves them when it parses code, so this library cannot wait for its first
# use.
require 'English'
