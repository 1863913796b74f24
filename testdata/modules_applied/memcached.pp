class { 'memcached': max_memory => 256, listen_ip => '0.0.0.0', max_connections => 2048, extended_opts => ['lru_crawler'] }
