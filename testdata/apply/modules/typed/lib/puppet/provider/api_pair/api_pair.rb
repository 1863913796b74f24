require 'json'

class Puppet::Provider::ApiPair::ApiPair
  def file
    "#{Dir.pwd}/pairs.json"
  end

  def get(_context)
    all = File.exist?(file) ? JSON.parse(File.read(file), symbolize_names: true) : []
    all.map { |pair| pair.merge(title: "#{pair[:package]}-#{pair[:manager]}") }
  end

  def set(context, changes, noop: false)
    changes.each do |name, change|
      context.notice("#{noop ? 'would set' : 'sets'} #{name[:package]} of #{name[:manager]}")
      next if noop

      rest = get(context).reject { |pair| pair[:package] == name[:package] && pair[:manager] == name[:manager] }.map { |pair| pair.reject { |k, _| k == :title } }
      rest << change[:should].slice(:ensure, :package, :manager, :text) if change[:should][:ensure] == 'present'
      File.write(file, JSON.generate(rest))
    end
  end
end
