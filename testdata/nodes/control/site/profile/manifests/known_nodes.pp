# Each node tells the others who it is, and has what they told.
class profile::known_nodes {
  @@host { "told-${facts['networking']['hostname']}": ip => $facts['networking']['ip'], tag => 'known' }
  @@concat::fragment { "known ${facts['networking']['hostname']}":
    target => '/etc/known_nodes', content => "${facts['networking']['hostname']}\n", tag => 'known',
  }
  concat { '/etc/known_nodes': }
  concat::fragment { 'known head': target => '/etc/known_nodes', order => '00', content => "# known\n" }
  Host <<| tag == 'known' |>>
  Concat::Fragment <<| tag == 'known' |>>
}
