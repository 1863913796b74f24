# needs: mount modules apt
package { 'adm': ensure => present, adminfile => '/srv/t/answers', configfiles => keep, allow_virtual => false, allowcdrom => true }
package { 'adm2': ensure => present, allow_virtual => no, allowcdrom => false, configfiles => replace }
package { 'adm3': ensure => present, allow_virtual => yes }
package { 'labels': ensure => present, platform => 'x', root => '/', category => 'c', vendor => 'v', instance => 'i', status => 's', description => 'd' }
package { 'unsupported': ensure => present, install_only => yes, enable_only => true, flavor => 'x', package_settings => { 'a' => 'b' }, command => '/usr/bin/apt' }
package { 'unsupported2': ensure => present, install_only => false, enable_only => false }
package { 'unsupported3': ensure => present, install_only => no, enable_only => no }
package { 'unsupported4': ensure => present, enable_only => yes }
package { 'removed_with_options': ensure => absent, uninstall_options => ['--x', { '-o' => 'y' }] }
package { 'gone': ensure => purged, uninstall_options => ['--x', { '-o' => 'y' }] }
package { 'here': ensure => installed, reinstall_on_refresh => true, subscribe => Notify['go'] }
package { 'old': ensure => installed, reinstall_on_refresh => false, subscribe => Notify['go'] }
package { 'exact': ensure => 'held' }
package { 'renamed': name => 'exact2', ensure => latest, install_options => ['--no-install-recommends'] }
notify { 'go': }
