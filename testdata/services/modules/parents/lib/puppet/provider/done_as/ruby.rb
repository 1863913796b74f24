Puppet::Type.type(:done_as).provide(:ruby) do
  def exists?
    File.exist?(resource[:path])
  end

  def options
    { failonfail: true, combine: true, uid: resource[:user], gid: resource[:group] }.compact
  end

  def create
    script = "id -u; id -g; id -G; umask; touch #{resource[:path]}"
    if resource[:way] == 'block'
      Puppet::Util::SUIDManager.asuser(resource[:user], resource[:group]) { File.write(resource[:path], Process.euid.to_s) }
    else
      notice(execute(['/bin/sh', '-c', script], options).split("\n").join(' '))
    end
  end

  def destroy
    execute(['/bin/rm', resource[:path]], options)
  end
end
