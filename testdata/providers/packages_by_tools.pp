# needs: mount modules
package { 'y-here': provider => yum }
package { 'y-new': provider => yum, install_options => ['--enablerepo', { '--opt' => 'v' }] }
package { 'y-latest': provider => yum, ensure => latest }
package { 'y-latest-new': provider => yum, ensure => latest }
package { 'y-current': provider => yum, ensure => latest }
package { 'y-up': provider => yum, ensure => '2.0-1' }
package { 'y-down': provider => yum, ensure => '0.5-1' }
package { 'y-exact': provider => yum, ensure => '1.0-1' }
package { 'y-only': provider => yum, ensure => '2.0-1', install_only => true }
package { 'y-gone': provider => yum, ensure => absent }
package { 'y-purge': provider => yum, ensure => purged }
package { 'y-fails': provider => yum }
package { 'd-new': provider => dnf }
package { 'd-latest': provider => dnf, ensure => latest }
package { 'd-up': provider => dnf, ensure => '2.0-1' }
package { 'd-down': provider => dnf, ensure => '0.5-1' }
package { 'd-gone': provider => dnf, ensure => absent }
package { 'd-purge': provider => dnf, ensure => purged }
package { 'r-new': provider => rpm, source => '/srv/t/r-new.rpm' }
package { 'r-up': provider => rpm, ensure => latest, source => '/srv/t/r-up.rpm', install_options => '--nodeps' }
package { 'r-gone': provider => rpm, ensure => absent, uninstall_options => ['--nodeps'] }
package { 'r-none': provider => rpm }
package { 'pip-here': provider => pip }
package { 'Pip-New': provider => pip, install_options => ['--index-url=x'] }
package { 'pip-latest': provider => pip, ensure => latest }
package { 'pip-exact': provider => pip, ensure => '2.0' }
package { 'pip-gone': provider => pip, ensure => absent }
package { 'pip-vcs': provider => pip, source => 'git+https://example.org/x' }
package { 'gem-here': provider => gem }
package { 'gem-new': provider => gem, install_options => ['--x'] }
package { 'gem-latest': provider => gem, ensure => latest }
package { 'gem-exact': provider => gem, ensure => '2.0' }
package { 'gem-gone': provider => gem, ensure => absent, uninstall_options => ['--y'] }
package { 'gem-file': provider => gem, source => '/srv/t/x.gem' }
