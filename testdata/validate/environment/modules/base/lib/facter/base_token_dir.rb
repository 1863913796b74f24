Facter.add(:base_token_dir) do
  setcode { '/etc/tokens' }
end
