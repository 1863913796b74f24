# What facts use of Puppet's library.
require 'puppet'
require 'puppet/util/package'
Facter.add(:versions) do
  setcode do
    [%w[1.2 1.10], %w[1.0 1.0.0], %w[1.2-1 1.2.1], %w[2.0a 2.0b], %w[unstable 8.0], %w[9.13 8.0], %w[1.01 1.1], %w[1 1], %w[1.a 1.1]].map { |a, b| Puppet::Util::Package.versioncmp(a, b) }
  end
end
Facter.add(:features) { setcode { [Puppet.features.posix?, Puppet.features.microsoft_windows?, Puppet.features.no_such_library?, Puppet.features.json?] } }
Facter.add(:which) { setcode { [Puppet::Util.which('sh').nil?, Puppet::Util.which('no_such_program'), Puppet::Util.absolute_path?('/a'), Puppet::Util.absolute_path?('a')] } }
Facter.add(:run) { setcode { r = Puppet::Util::Execution.execute(['echo', 'a b']); "#{r}#{r.exitstatus} #{Puppet::Util::Execution.execute('exit 3', failonfail: false).exitstatus}" } }
Facter.add(:run_fails) do
  setcode do
    Puppet::Util::Execution.execute(%w[sh -c echo\ no;exit\ 4])
  rescue Puppet::ExecutionFailure => e
    e.message
  end
end
Facter.add(:package_provider) { setcode { Puppet::Type.type(:package).newpackage(name: 'dummy', allow_virtual: 'true')[:provider].to_s } }
Facter.add(:settings) { setcode { [Puppet[:server], Puppet[:environment], Puppet[:masterport].to_s, Puppet.settings[:server]] } }
