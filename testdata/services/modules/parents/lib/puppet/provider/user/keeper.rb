# Builds on useradd's provider: it keeps the accounts of people, and tells each command.
Puppet::Type.type(:user).provide(:keeper, parent: :useradd) do
  options :home, flag: '-d', method: :dir
  options :comment, method: :gecos
  options :groups, flag: '-G'
  options :password_min_age, flag: '-m', method: :sp_min
  options :password_max_age, flag: '-M', method: :sp_max
  options :password_warn_days, flag: '-W', method: :sp_warn
  options :password, method: :sp_pwdp
  options :expiry, method: :sp_expire, munge: proc { |value| value == :absent ? '' : value },
                   unmunge: proc { |days| days == -1 ? :absent : (Time.at(0).utc + days * 86_400).strftime('%Y-%m-%d') }
  has_features :manages_homedir, :allows_duplicates, :manages_expiry, :system_users, :manages_shell, :manages_passwords, :manages_password_age
  commands add: 'useradd', delete: 'userdel', modify: 'usermod', password: 'chage', chpasswd: 'chpasswd'

  def addcmd
    super.tap { |words| notice(words.join(' ')) }
  end

  def modifycmd(property, value)
    super.tap { |words| notice(words.join(' ')) }
  end

  def delete
    raise Puppet::Error, "#{resource[:name]} is a person" if uid.to_i >= 2000

    super
  end
end
