# modules: redis apt systemd augeas_core
class { 'redis': bind => ['127.0.0.1', '10.0.0.1'], maxmemory => '100mb', requirepass => 'secret', manage_repo => false }
