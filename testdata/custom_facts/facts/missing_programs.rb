# Programs that are not there: nil, whatever else is on the line.
Facter.add(:piped_missing) { setcode { Facter::Util::Resolution.exec('nosuchprogram -V 2>&1').inspect } }
Facter.add(:piped_there) { setcode { Facter::Core::Execution.exec('echo a b | tr a c') } }
Facter.add(:quoted_there) { setcode { Facter::Core::Execution.exec("'echo' 'x  y'") } }
Facter.add(:assigned) { setcode { Facter::Core::Execution.exec('A=1 env').inspect } }
Facter.add(:highlighted) do
  setcode do
    nothing = nil
    nothing.strip
  end
end
