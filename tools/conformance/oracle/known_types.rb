# frozen_string_literal: true
# What Puppet knows of native and module resource types: the data that catalog/schema and the scan of lib/puppet/type
# must agree with.
#   ruby known_types.rb [--modulepath A:B] [--generated DIR] [--titles FILE.json] [TYPE…]      JSON lines on stdout, one type each
# Without names: all types of Puppet itself and of every module on the path, or with --generated those of that folder of files
# written by `puppet generate types`. Each type is loaded in a fork, with only the modules of the path. A line is
#   {"name","file","attributes":[[name,"property"|"param"]…],"namevars":[…],"isomorphic","allowed":{attribute:[value…]},
#    "title_patterns":[[source, options, [[attribute, procedure?]…]]…]|null, "titles":{title: [[attribute,value|null]…]|{"error"}}}
# or {"name","error"}. The first line is {"metaparams":[…]}.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'
require 'puppet/parser'

work = Dir.mktmpdir('pupc-types')
owner = Process.pid
at_exit { FileUtils.rm_rf(work) if Process.pid == owner }
ENV['HOME'] = work
Puppet.initialize_settings(['--confdir', "#{work}/c", '--vardir', "#{work}/v", '--codedir', "#{work}/k", '--rundir', "#{work}/r", '--logdir', "#{work}/l"], false)
Puppet[:disable_i18n] = true
Puppet[:vendormoduledir] = '' if Puppet.settings.include?(:vendormoduledir)
Puppet::Util::Log.close_all

modulepath = []
titles = []
names = []
generated = nil
until ARGV.empty?
  case (a = ARGV.shift)
  when '--modulepath' then modulepath = ARGV.shift.split(':').map { |p| File.expand_path(p) }
  when '--generated' then generated = File.expand_path(ARGV.shift)
  when '--titles' then titles = JSON.parse(File.read(ARGV.shift))
  else names << a
  end
end

env = Puppet::Node::Environment.create(:production, modulepath)
env.each_plugin_directory { |d| $LOAD_PATH << d unless $LOAD_PATH.include?(d) }

# Name of a type -> the file that defines it; a module's file wins over Puppet's own.
files = {}
own = $LOAD_PATH.map { |d| File.join(d, 'puppet/type.rb') }.find { |f| File.file?(f) }
Dir.glob("#{generated}/*.pp").sort.each { |f| files[File.basename(f, '.pp')] = f } if generated
(generated ? [] : env.modules.map { |m| File.join(m.plugins, 'puppet/type') } + [own.delete_suffix('.rb')]).each do |dir|
  next if generated
  Dir.glob("#{dir}/*.rb").sort.each { |f| files[File.basename(f, '.rb')] ||= f }
end

def generated_type(path)
  name = Puppet::Pops::Loader::TypedName.new(:resource_type_pp, File.basename(path, '.pp'))
  Puppet::Pops::Loader::PuppetResourceTypeImplInstantiator.create(Puppet.lookup(:loaders).puppet_system_loader, name, path, File.read(path, encoding: 'UTF-8'))
end

# The values that an attribute allows, as catalog/schema/native_types.def writes them.
def allowed_values(attribute)
  collection = attribute.value_collection
  names = (collection.instance_variable_get(:@strings) || []).map { |value| [value.name, *value.aliases].join('=') }
  names + (collection.instance_variable_get(:@regexes) || []).map { |value| "/#{value.name.source}/" }
end

def describe(type, titles)
  attributes = type.properties.map { |p| [p.name.to_s, 'property'] } + type.parameters.map { |p| [p.to_s, 'param'] }
  result = { 'attributes' => attributes, 'namevars' => type.key_attributes.map(&:to_s), 'isomorphic' => type.isomorphic? ? true : false }
  result['allowed'] = attributes.to_h { |name, _| [name, allowed_values(type.attrclass(name.to_sym))] } if type.is_a?(Class)
  begin
    patterns = type.title_patterns
    result['title_patterns'] = patterns&.map { |re, parts| [re.source, re.options, parts.map { |name, proc| [name.to_s, !proc.nil?] }] }
  rescue StandardError => e
    result['title_patterns'] = nil
    result['title_error'] = e.message
  end
  result['titles'] = titles.to_h do |title|
    resource = Puppet::Resource.new(type, title)
    [title, resource.send(:parse_title).map { |k, v| [k.to_s, v.nil? || v.is_a?(String) ? v : { v.class.name => v.to_s }] }]
  rescue StandardError => e
    [title, { 'error' => e.message }]
  end
  result
end

# What any catalog loads first: files of modules count on it.
%i[file user package service exec].each { |name| Puppet::Type.type(name) }

loaders = Puppet::Pops::Loaders.new(env)
Puppet.override(current_environment: env, root_environment: env, environments: Puppet::Environments::Static.new(env), loaders: loaders) do
  puts JSON.generate('metaparams' => Puppet::Type.metaparams.map(&:to_s))
  names = files.keys.sort if names.empty?
  names.each do |name|
    if generated # reading them leaves nothing behind
      answer = begin
        describe(generated_type(files[name]), titles)
      rescue StandardError => e
        { 'error' => "#{e.class}: #{e.message}" }
      end
      puts JSON.generate({ 'name' => name, 'file' => files[name] }.merge(answer))
      next
    end
    r, w = IO.pipe
    pid = fork do
      r.close
      $stdout.reopen(File::NULL)
      $stderr.reopen(File::NULL)
      answer = begin
        type = Puppet::Type.type(name.to_sym)
        type ? describe(type, titles) : { 'error' => 'no such type' }
      rescue Exception => e # rubocop:disable Lint/RescueException
        { 'error' => "#{e.class}: #{e.message}" }
      end
      w.write(JSON.generate({ 'name' => name, 'file' => files[name] }.merge(answer)))
      w.close
      exit!(0)
    end
    w.close
    answer = r.read
    r.close
    Process.wait(pid)
    puts(answer.empty? ? JSON.generate('name' => name, 'file' => files[name], 'error' => 'no answer') : answer)
  end
end
