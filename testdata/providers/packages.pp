# needs: mount modules apt
package { 'here': ensure => installed }
package { 'new': ensure => present, install_options => ['-t', { 'a' => 'b' }] }
package { 'gone': ensure => absent }
package { 'notthere': ensure => absent }
package { 'purge': ensure => purged }
package { 'removed': ensure => purged }
package { 'old': ensure => latest }
package { 'newest': ensure => latest }
package { 'exact': ensure => '2.0-1' }
package { 'exact2': ensure => '1.0-1' }
package { 'range': ensure => '>=1.5 <3' }
package { 'rangeok': ensure => '>=0.5 <3' }
package { 'hold': ensure => installed, mark => hold }
package { 'unhold': mark => none }
package { 'held': ensure => latest }
package { 'conf': ensure => present, configfiles => replace }
package { 'fails': ensure => present }
package { 'error': ensure => present }
package { 'fromfile': ensure => present, source => '/srv/t/x.deb' }
package { 'answers': ensure => present, responsefile => '/srv/t/answers' }
package { 'mail-agent': ensure => present, allow_virtual => true }
package { 'deb1': provider => dpkg, ensure => present, source => '/srv/t/x.deb' }
package { 'deb2': provider => dpkg, ensure => present }
package { 'deb3': provider => dpkg, ensure => purged }
package { 'deb4': provider => dpkg, ensure => absent }
