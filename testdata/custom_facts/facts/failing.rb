Facter.add(:boom) { setcode { raise 'it broke' } }
Facter.add(:cmd) { setcode 'echo hi' }
Facter.add(:slow, timeout: 0.2) { setcode { sleep 5 } }
Facter.add(:loud) { setcode { puts 'on stdout'; 'quiet' } }
