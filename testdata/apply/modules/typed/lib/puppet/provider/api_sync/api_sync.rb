class Puppet::Provider::ApiSync::ApiSync
  def get(_context)
    [{ name: 'known', ensure: 'present', least: 5, text: 'is', mood: 'well' }]
  end

  def set(context, changes)
    changes.each_key { |name| context.updating(name) { nil } }
  end

  def insync?(_context, _name, property, is, should)
    case property
    when :least then is[:least] >= should[:least]
    when :mood then [is[:mood] == should[:mood], "the mood is #{is[:mood]}"]
    end
  end
end
