# modules: dns concat
# again: 2, the module's exec of rndc-confgen or its like
class { 'dns': forwarders => ['8.8.8.8'], recursion => 'yes' }
dns::zone { 'example.com': }
dns::zone { '10.in-addr.arpa': reverse => true }
dns::key { 'update': }
