# A database server.
class roles::database {
  contain profiles::base
  contain profiles::database

  Class['profiles::base'] -> Class['profiles::database']
}
