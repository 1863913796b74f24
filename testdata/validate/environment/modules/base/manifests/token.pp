# What services know this machine by.
class base::token {
  $label = base_label($facts['networking']['hostname'])
  $folder = $facts['base_token_dir']
  $other = $facts.get('base_token_dir')

  base_token { $label:
    ensure   => present,
    target   => base_path($folder, $label),
    provider => 'openssl',
  }
  base_token { 'shared':
    ensure   => present,
    target   => base_path($other, 'all', 'shared'),
    provider => file,
  }
}
