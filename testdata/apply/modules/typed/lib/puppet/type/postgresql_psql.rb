# A command for a database, which asks first whether it is to run.
Puppet::Type.newtype(:postgresql_psql) do
  newparam(:name, namevar: true)
  newparam(:db)
  newparam(:unless)
  newparam(:onlyif)
  newparam(:search_path)
  newparam(:sensitive)
  newproperty(:command) do
    def retrieve
      resource.wanted? ? :notrun : should
    end

    def sync
      provider.run_sql_command(should)
    end
  end

  def wanted?
    !(self[:unless] && found?(self[:unless])) && !(self[:onlyif] && !found?(self[:onlyif]))
  end

  def found?(question)
    output, status = provider.run_unless_sql_command(question)
    raise Puppet::Error, "Error evaluating 'unless' clause: '#{output}'" unless status.to_i.zero?

    output.strip.to_i.positive?
  end
end
