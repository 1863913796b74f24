# A database whose rows are files. It says what it is told; a question about `broken` fails.
Puppet::Type.type(:postgresql_psql).provide(:ruby) do
  def run_unless_sql_command(sql)
    run_sql_command("SELECT COUNT(*) FROM (#{sql}) count")
  end

  def run_sql_command(sql)
    Puppet.notice("#{resource[:db]}: #{sql}")
    return ["#{File.write("row.#{Regexp.last_match(1)}", '')}\n", 0] if sql =~ /\AMAKE (\w+)/
    return ['ERROR: broken', 256] if sql.include?('broken')

    ["#{sql.scan(/name = '(\w+)'/).flatten.map { |name| " #{File.exist?("row.#{name}") ? 1 : 0} " }.join('|')}\n", 0]
  end
end
