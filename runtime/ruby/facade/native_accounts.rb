# The providers useradd and groupadd, for providers of modules that have one of them as their parent (native_packages.rb).
module Puppet
  module Util
    # Commands of libuser change only local accounts; with this environment they read no other configuration.
    module Libuser
      def self.getenv
        { 'LIBUSER_CONF' => '/dev/null' }
      end
    end
  end

  module NativeTypes
    # What both providers share: an entry of a file of accounts, for resources with `forcelocal`.
    module LocalAccounts
      def pupc_local(file, fields)
        (@pupc_local ||= {})[file] ||= begin
          raise Puppet::Error, "Forcelocal set for #{resource.class.name} resource '#{resource[:name]}', but #{file} does not exist" unless FileSystem.exist?(file)

          ::File.readlines(file, chomp: true).map { |line| fields.zip(line.split(':')).to_h }
        end
      end

      # The command of that name, or the one for local accounts.
      def pupc_account_command(name, local)
        return [command(name)] unless local

        @custom_environment = Util::Libuser.getenv
        [command("local#{name}")]
      end

      # The option that lets several accounts have one number. libuser permits that without an option, so it is refused here.
      def pupc_duplicates(what, number, found)
        return @resource.allowdupe? ? ['-o'] : [] unless @resource.forcelocal?
        raise Puppet::Error, "#{what} #{number} already exists, use allowdupe to force #{@resource.class.name} creation" if !@resource.allowdupe? && number && found

        []
      end
    end

    native(:user, :useradd, parent: Provider::NameService::ObjectAdd) do
      include LocalAccounts
      commands add: 'useradd', delete: 'userdel', modify: 'usermod', password: 'chage', chpasswd: 'chpasswd'
      optional_commands localadd: 'luseradd', localdelete: 'luserdel', localmodify: 'lusermod', localpassword: 'lchage'
      has_features :manages_homedir, :allows_duplicates, :manages_expiry, :system_users, :manages_shell
      has_feature :manages_local_users_and_groups if Puppet.features.libuser?
      has_features :manages_passwords, :manages_password_age if Puppet.features.libshadow?
      options :home, flag: '-d', method: :dir
      options :comment, method: :gecos
      options :groups, flag: '-G'
      options :password_min_age, flag: '-m', method: :sp_min
      options :password_max_age, flag: '-M', method: :sp_max
      options :password_warn_days, flag: '-W', method: :sp_warn
      options :password, method: :sp_pwdp
      options :expiry, method: :sp_expire, munge: proc { |value| value == :absent ? '' : value },
                       unmunge: proc { |days| days == -1 ? :absent : Time.at(days * 86_400).utc.strftime('%Y-%m-%d') }
      verify(:gid, 'GID must be an integer') { |value| value.is_a?(Integer) }
      verify(:groups, 'Groups must be comma-separated') { |value| !value.match?(/\s/) }

      def finduser(key, value)
        pupc_local('/etc/passwd', %i[account password uid gid gecos directory shell]).find { |user| user[key] == value } || false
      end

      { uid: :uid, comment: :gecos, shell: :shell, home: :directory }.each do |property, field|
        local = "local#{property}"
        define_method(local) { (user = finduser(:account, resource[:name])) ? user[field] : false }
        define_method(property) { @resource.forcelocal? ? send(local) : get(property) }
      end

      def localgid
        user = finduser(:account, resource[:name])
        user ? Integer(user[:gid], exception: false) || user[:gid] : false
      end

      def gid
        @resource.forcelocal? ? localgid : get(:gid)
      end

      def localgroups
        pupc_local('/etc/group', %i[name password gid members]).select { |group| group[:members].to_s.split(',').include?(resource[:name]) }.map { |group| group[:name] }
      end

      def groups
        @resource.forcelocal? ? localgroups : super
      end

      def groups=(value)
        set(:groups, value)
      end

      def exists?
        @resource.forcelocal? ? (localuid && true) : super
      end

      def shell=(value)
        check_valid_shell
        set(:shell, value)
      end

      def check_valid_shell
        shell = @resource.should(:shell).to_s
        raise Puppet::Error, "Shell #{shell} must exist" unless ::File.exist?(shell)
        raise Puppet::Error, "Shell #{shell} must be executable" unless ::File.executable?(shell)
      end

      # The hash goes through a file, so that no list of processes shows it.
      def password=(value)
        output = Tempfile.create('puppet') do |file|
          file.write("#{@resource[:name]}:#{value}\n")
          file.flush
          execute([command(:chpasswd), '-e'], failonfail: false, combine: true, stdinfile: file.path, sensitive: has_sensitive_data?)
        end
        raise Puppet::ExecutionFailure, "chpasswd said #{output}" unless output == ''
      end

      %i[expiry password_min_age password_max_age password_warn_days password].each do |property|
        define_method(property) do
          entry = Puppet.features.libshadow? && Shadow::Passwd.getspnam(@canonical_name)
          entry ? unmunge(property, entry.public_send(self.class.option(property, :method))) : :absent
        end
      end

      def has_sensitive_data?(property = nil) # rubocop:disable Naming/PredicateName
        (property ? [property] : Type.type(:user).validproperties).any? { |name| (p = @resource.parameter(name)) && p.respond_to?(:is_sensitive) && p.is_sensitive }
      end

      def property_manages_password_age?(property)
        property.to_s.match?(/password_.+_age|password_warn_days/)
      end

      def check_allow_dup
        number = @resource.should(:uid)
        pupc_duplicates('UID', number, number && @resource.forcelocal? && finduser(:uid, number.to_s))
      end

      def check_manage_home
        return ['-M'] unless @resource.managehome?

        @resource.forcelocal? ? [] : ['-m']
      end

      def check_system_users
        self.class.system_users? && resource.system? ? ['-r'] : []
      end

      # The words for all properties but passwords, which other users could see in the list of processes.
      def add_properties
        Type.type(:user).validproperties.sort.flat_map do |property|
          value = get_value_for_property(property)
          value.nil? || property == :password ? [] : [flag(property), munge(property, value)]
        end
      end

      def get_value_for_property(property)
        return if property == :ensure || property_manages_password_age?(property)
        return if %i[groups expiry].include?(property) && @resource.forcelocal?

        value = @resource.should(property)
        value unless !value || value == ''
      end

      def addcmd
        words = pupc_account_command(:add, @resource.forcelocal?)
        words.push('-g', @resource[:name]) if !@resource.should(:gid) && Util.gid(@resource[:name])
        words + add_properties + check_allow_dup + check_manage_home + check_system_users + [@resource[:name]]
      end

      def modifycmd(property, value)
        name = property_manages_password_age?(property) ? :password : :modify
        words = pupc_account_command(name, @resource.forcelocal? && !%i[groups expiry].include?(property))
        words.push(flag(property), value)
        words += check_allow_dup if property == :uid
        words << @resource[:name]
      end

      def deletecmd
        pupc_account_command(:delete, @resource.forcelocal?) + (@resource.managehome? ? ['-r'] : []) + [@resource[:name]]
      end

      def passcmd
        limits = %i[password_min_age password_max_age password_warn_days].select { |property| @resource.should(property) }
        words = pupc_account_command(:password, @resource.forcelocal?)
        words + limits.flat_map { |property| [flag(property), @resource.should(property)] } + [@resource[:name]] unless limits.empty?
      end

      def create
        check_valid_shell if @resource[:shell]
        super
        if @resource.forcelocal?
          set(:groups, @resource[:groups]) if @resource[:groups]
          set(:expiry, @resource[:expiry]) if @resource[:expiry]
        end
        set(:password, @resource[:password]) if @resource[:password]
      end
    end

    native(:group, :groupadd, parent: Provider::NameService::ObjectAdd) do
      include LocalAccounts
      commands add: 'groupadd', delete: 'groupdel', modify: 'groupmod'
      optional_commands localadd: 'lgroupadd', localdelete: 'lgroupdel', localmodify: 'lgroupmod', purgemember: 'usermod'
      has_feature :system_groups
      has_features :manages_local_users_and_groups, :manages_members if Puppet.features.libuser?
      verify(:gid, 'GID must be an integer') { |value| value.is_a?(Integer) }
      options :members, flag: Puppet.features.libuser? ? '-M' : '-aU', method: :mem

      def findgroup(key, value)
        pupc_local('/etc/group', %i[group_name password gid user_list]).find { |group| group[key] == value } || false
      end

      def localgid
        group = findgroup(:group_name, resource[:name])
        group && group[:gid]
      end

      def gid
        @resource.forcelocal? ? localgid : get(:gid)
      end

      def exists?
        @resource.forcelocal? ? (localgid && true) : super
      end

      def check_allow_dup
        number = @resource.should(:gid)
        pupc_duplicates('GID', number, number && @resource.forcelocal? && findgroup(:gid, number.to_s))
      end

      def create
        super
        set(:members, @resource[:members]) if @resource[:members]
      end

      def addcmd
        number = @resource.should(:gid)
        words = pupc_account_command(:add, Puppet.features.libuser? && @resource.forcelocal?)
        words.push(flag(:gid), number) if number && number != :absent
        words += check_allow_dup
        words << '-r' if @resource.system? && self.class.system_groups?
        words << @resource[:name]
      end

      def modifycmd(property, value)
        words = pupc_account_command(:modify, Puppet.features.libuser? && (@resource.forcelocal? || @resource[:members]))
        if property == :members
          validate_members(value)
          value = members_to_s(value)
          purge_members if @resource[:auth_membership] && !members.empty?
        end
        words.push(flag(property), value)
        words += check_allow_dup if property == :gid
        words << @resource[:name]
      end

      def deletecmd
        pupc_account_command(:delete, Puppet.features.libuser? && @resource.forcelocal?) + [@resource[:name]]
      end

      def validate_members(members)
        members.flat_map { |member| member.split(',') }.each { |user| ::Etc.getpwnam(user.strip) }
      end

      def members_insync?(current, should)
        current.uniq.sort == @resource.parameter(:members).actual_should(current, should)
      end

      def members_to_s(members)
        members.is_a?(Array) ? members.join(',') : ''
      end

      def purge_members
        return localmodify('-m', members_to_s(members), @resource.name) if Puppet.features.libuser?

        members.each { |member| purgemember('-rG', @resource.name, member) }
      end
    end
  end
end
