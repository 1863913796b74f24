class { 'chrony': servers => ['ntp1.example.com', 'ntp2.example.com'], queryhosts => ['10.0.0.0/8'], port => 123 }
