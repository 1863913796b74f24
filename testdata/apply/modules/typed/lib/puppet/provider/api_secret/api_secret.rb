# The provider of api_secret.
class Puppet::Provider::ApiSecret::ApiSecret
  def get(_context)
    []
  end

  def set(context, changes)
    changes.each do |name, change|
      context.processing(name, nil, nil) { nil } if name[:kind] == 'hash'
      context.processing(name[:kind], nil, 'kept', message: 'Keeping') do
        kept = %i[secret words].map { |key| [change[:should][key].class.name.split('::').last, change[:should][key].then { |v| v.respond_to?(:unwrap) ? v.unwrap : v }] }
        File.write(File.join(name[:place], name[:kind]), kept.inspect)
      end
    end
  end
end
