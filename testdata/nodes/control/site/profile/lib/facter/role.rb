# What the machine is for, as its image says.
Facter.add(:role) do
  confine kernel: 'Linux'
  setcode do
    path = '/etc/node_role'
    File.exist?(path) ? File.read(path).strip : 'none'
  end
end
