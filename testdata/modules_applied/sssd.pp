# modules: sssd
class { 'sssd': }
