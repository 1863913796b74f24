require 'etc'

Facter.add(:base_owner) do
  confine kernel: 'Linux'

  setcode do
    folder = Facter.value(:base_token_dir)
    if folder && File.directory?(folder)
      begin
        Etc.getpwuid(File.stat(folder).uid).name
      rescue ArgumentError => e
        Facter.debug("no owner: #{e.message}")
        nil
      end
    elsif Facter::Core::Execution.which('id')
      Facter::Core::Execution.execute('id -un')
    end
  end
end
