class { 'ntp': servers => ['ntp1.example.com', 'ntp2.example.com iburst'], restrict => ['127.0.0.1'], keys_enable => true, keys_trusted => [1, 2] }
