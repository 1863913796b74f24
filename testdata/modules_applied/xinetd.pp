class { 'xinetd': }
xinetd::service { 'tftp': port => '69', server => '/usr/sbin/in.tftpd', server_args => '-s /srv/tftp', socket_type => 'dgram', protocol => 'udp', flags => 'IPv4' }
