# Keeps data.
class role::db {
  include profile::base
  include profile::mysql
  include profile::postgresql
}
