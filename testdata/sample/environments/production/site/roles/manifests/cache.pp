# A cache between workers and databases.
class roles::cache inherits profiles::base {
  include profiles::cache

  # Caches have no swap to speak of: other limits than everybody.
  File['/etc/security/limits.d/site.conf'] {
    content => profiles::limits('nofile' => 1048576, 'memlock' => 'unlimited'),
  }
}
