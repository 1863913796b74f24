# External facts and those of the environment, as facts in Ruby see them.
Facter.add(:over) { has_weight 100_000; setcode { 'custom' } }
Facter.add(:sees_external) { setcode { "#{Facter.value(:given)} #{Facter.value('shadowed.a')} #{Facter.fact(:given).value}" } }
Facter.add(:sees_over) { setcode { "#{Facter.value(:over)} #{Facter[:over].value}" } }
Facter.add(:from_environment) { setcode { Facter.value(:from_env) } }
