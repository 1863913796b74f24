require 'yaml'

Facter.add(:sites, type: :aggregate) do
  chunk(:enabled) { { 'enabled' => Dir.glob('/etc/apache2/sites-enabled/*.conf').map { |f| File.basename(f, '.conf') }.sort } }
  chunk(:kept) { { 'kept' => File.directory?('/srv/sites') } }
end

Facter.add('package_count_known') do
  confine { Facter.value(:os)['family'] == 'Debian' }
  setcode { Facter::Core::Execution.which('dpkg-query') ? true : false }
end

Facter.add(:shell_of_root) do
  has_weight 10
  setcode "getent passwd root | cut -d: -f7"
end

Facter.add(:shell_of_root) do
  has_weight 5
  setcode { 'unknown' }
end
