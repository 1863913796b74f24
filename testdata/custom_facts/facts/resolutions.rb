Facter.add(:light) { setcode { 'light' } }
Facter.add(:light) { has_weight 10; setcode { 'heavy' } }
Facter.add(:light) { confine kernel: 'Linux'; setcode { 'one confine' } }
Facter.add(:wrong_os) { confine 'os.family' => 'RedHat'; setcode { 'x' } }
Facter.add(:right_os) { confine 'os.family' => %w[RedHat debian]; setcode { Facter.value('os.family') + Facter[:kernel].value } }
Facter.add(:blocky) { confine(:kernel) { |k| k == 'linux' }; confine { true }; setcode { Facter.value(:right_os) } }
Facter.add(:agg, type: :aggregate) { chunk(:a) { { 'x' => { 'p' => 1 } } }; chunk(:b, require: [:a]) { |a| { 'x' => { 'q' => a['x']['p'] + 1 }, 'l' => [1] } }; chunk(:c) { { 'l' => [2] } } }
Facter.add(:sum, type: :aggregate) { chunk(:a) { 1 }; chunk(:b) { 2 }; aggregate { |c| c.values.sum } }
Facter.add(:kernel) { setcode { 'mine' } }
Facter.add(:kernelversion) { has_weight 5; setcode { 'mine' } }
Facter.add(:static, value: 'v', weight: 3)
Facter.add(:structured) { setcode { { a: [:sym, 1.5, nil, true], 'é' => "ü" } } }
Facter.add(:nilly) { setcode { nil } }
Facter.add(:exec) { setcode { Facter::Core::Execution.execute('echo a | tr a b') } }
Facter.add(:gone) { setcode { Facter::Core::Execution.execute('no_such_command', on_fail: 'failed') } }
