# needs: mount modules http
archive { '/srv/t/a.bin': source => 'http://127.0.0.1:HTTPPORT/sha', username => 'u', password => 'p', proxy_type => none, allow_insecure => false, cookie => 'a=b' }
archive { '/srv/t/b.bin': source => 'http://127.0.0.1:HTTPPORT/sha', provider => ruby, checksum_type => sha256, checksum => 'edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb', allow_insecure => true }
archive { '/srv/t/c.bin': source => 'http://127.0.0.1:HTTPPORT/sha', proxy_server => 'http://127.0.0.1:HTTPPORT', proxy_type => http }
archive { '/srv/t/d.bin': source => 'http://127.0.0.1:HTTPPORT/missing' }
archive { '/srv/t/e.bin': source => 'http://127.0.0.1:HTTPPORT/sha', checksum_url => 'http://127.0.0.1:HTTPPORT/sum', checksum_type => sha256 }
archive { '/srv/t/f.bin': source => 'http://127.0.0.1:HTTPPORT/redirect', download_options => ['--max-time', '20'], digest_url => 'http://127.0.0.1:HTTPPORT/sum', digest_type => none }
archive { '/srv/t/g.bin': source => 'http://127.0.0.1:HTTPPORT/sha', proxy_type => https }
archive { '/srv/t/h.bin': source => 'http://127.0.0.1:HTTPPORT/sha', proxy_type => ftp }
