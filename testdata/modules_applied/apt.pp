# again: 2
class { 'apt': update => { 'frequency' => 'always' }, purge => { 'sources.list.d' => true, 'preferences.d' => true } }
apt::source { 'example': location => 'http://deb.example.com/debian', repos => 'main contrib', release => 'bookworm', include => { 'src' => true }, pin => 500 }
apt::pin { 'stable': release => 'stable', priority => 700 }
apt::conf { 'norecommends': priority => '20', content => 'APT::Install-Recommends "0";' }
apt::setting { 'conf-late': priority => 99, content => "// late\n" }
