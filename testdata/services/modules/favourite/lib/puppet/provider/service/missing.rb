# Would be the default one if its command were there.
Puppet::Type.type(:service).provide(:missing, parent: :systemd) do
  commands runner: '/srv/t/not-there'
  defaultfor 'os.name' => :debian, 'kernel' => 'Linux'
end
