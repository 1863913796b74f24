Puppet::Type.type(:trouble).provide(:ruby) do
  def step(name)
    case resource[:at]
    when name then raise Puppet::Error, "failed at #{name}"
    when "plain-#{name}" then raise "plain failure at #{name}"
    when "command-#{name}" then execute(['/bin/sh', '-c', 'echo out; echo err >&2; exit 3'], failonfail: true, combine: true)
    when "missing-#{name}" then execute(['/no/such/command'], failonfail: true, combine: true)
    when "print-#{name}" then $stdout.write("printed\n\0\0\0\0").tap { $stdout.flush }
    when "exit-#{name}" then exit(3)
    when "leave-#{name}" then exit!(4)
    when "kill-#{name}" then Process.kill(:KILL, Process.pid)
    when "loop-#{name}" then loop { nil }
    when "child-#{name}" then execute(['/bin/sh', '-c', 'tail -f /dev/null'])
    when "fork-#{name}" then Process.wait(fork { raise 'in a child' })
    when "syntax-#{name}" then eval('def (') # rubocop:disable Style/EvalWithLocation
    when "no-method-#{name}" then nil.no_such_method
    end
  end

  def exists?
    step('exists')
    File.exist?(resource[:name])
  end

  def create
    step('create')
    File.write(resource[:name], '')
  end

  def destroy
    File.unlink(resource[:name])
  end

  def state
    step('state')
    'is'
  end

  def state=(_value)
    step('set')
  end

  def last
    'is'
  end

  def last=(_value); end

  def flush
    step('flush')
  end
end
