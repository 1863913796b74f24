# Builds on systemd's provider: another suffix.
Puppet::Type.type(:service).provide(:unit, parent: :systemd) do
  commands systemctl: 'systemctl'

  def restart
    info('restarting')
    super
  end

  def startcmd
    super + ['--no-block']
  end
end
