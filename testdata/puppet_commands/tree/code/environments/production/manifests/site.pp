node 'fails.example.com' { fail('no way') }
node 'web.example.com' { include m notify { "role ${facts['role']}": } }
node default { notify { "node ${trusted['certname']} ${settings::environment}": } }
