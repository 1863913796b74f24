# Providers of services that pupc has natively, for providers of modules that have one of them as their parent (native_packages.rb).
module Puppet
  module NativeTypes
    # What Debian's and systemd's providers share: whether invoke-rc.d, or the links in /etc/rc?.d, start a service.
    module RcLinks
      def pupc_started_by_rc?
        status = execute(['/usr/sbin/invoke-rc.d', '--quiet', '--query', @resource[:name], 'start'], failonfail: false).exitstatus
        return :true if [104, 106].include?(status)

        # invoke-rc.d does not know: count the links.
        [101, 105].include?(status) && get_start_link_count >= 4 ? :true : :false
      end
    end

    native(:service, :service, {}) do
      def self.instances
        []
      end

      def restartcmd; end

      def restart
        return (service_command(:restart) && nil) if @resource[:restart] || restartcmd

        stop
        start
      end

      def service_execute(type, command, fof = true, squelch = false, combine = true)
        execute(command, failonfail: fof, override_locale: false, squelch: squelch, combine: combine)
      rescue Puppet::ExecutionFailure => e
        @resource.fail(Puppet::Error, "Could not #{type} #{@resource.ref}: #{e}", e)
      end

      # Runs the resource's own command, else the provider's.
      def service_command(type, fof = true)
        own = @resource[type]
        service_execute(type, own ? [own] : [send("#{type}cmd")].flatten, fof)
      end

      def texecute(type, command, fof = true, squelch = false, combine = true)
        service_execute(type, command, fof, squelch, combine)
        nil
      end

      def ucommand(type, fof = true)
        service_command(type, fof)
        nil
      end
    end

    native(:service, :base, parent: :service) do
      commands kill: 'kill'

      def startcmd
        @resource[:binary] || raise(Puppet::Error, 'Services must specify a start command or a binary')
      end

      def stopcmd; end

      def statuscmd; end

      def start
        service_command(:start)
        nil
      end

      def stop
        return (service_command(:stop) && nil) if @resource[:stop] || stopcmd

        pid = getpid
        return info("#{name} is not running") && false unless pid

        begin
          kill(pid)
        rescue Puppet::ExecutionFailure => e
          @resource.fail(Puppet::Error, "Could not kill #{name}, PID #{pid}: ", e)
        end
        true
      end

      def status
        running = @resource[:status] || statuscmd ? service_command(:status, false).exitstatus.zero? : getpid
        running ? :running : :stopped
      end

      private

      # The number of the first process whose line in the table of processes matches the pattern.
      def getpid
        @resource.fail('Either stop/status commands or a pattern must be specified') unless @resource[:pattern]
        pattern = Regexp.new(@resource[:pattern])
        debug("Executing 'ps -ef'")
        table = Util::Execution.execute('ps -ef').dup.force_encoding(Encoding::UTF_8).scrub
        table.each_line.find { |line| pattern.match(line) }&.split&.at(1)
      end
    end

    native(:service, :init, parent: :base) do
      confine false: %w[Debian Ubuntu].include?(Facter.value('os.name'))
      confine false: Facter.value('os.family') == 'RedHat'

      def self.defpath
        Facter.value('os.name') == 'Archlinux' ? '/etc/rc.d' : '/etc/init.d'
      end

      # Scripts in init's folder that are no services, or that must not be run.
      def self.excludes
        %w[functions.sh reboot.sh shutdown.sh functions halt killall single linuxconf reboot boot wait-for-state portmap-wait rcS
           module-init-tools plymouth-ready idmapd-mounting startpar-bridge cryptdisks-udev statd-mounting gssd-mounting]
      end

      def self.instances
        get_services(defpath)
      end

      def self.get_services(folders, exclude = excludes)
        Array(folders).select { |folder| FileSystem.directory?(folder) }.flat_map do |folder|
          names = Dir.entries(folder).reject { |name| name.start_with?('.') || exclude.include?(name) }
          scripts = names.select { |name| pupc_script?(::File.join(folder, name)) }
          scripts.map { |name| new(name: name, path: folder, hasstatus: true) }
        end
      end

      def self.pupc_script?(path)
        return false if ::File.directory?(path) || !::File.executable?(path)

        !::File.symlink?(path) || ::File.readlink(path) != '/lib/init/upstart-job'
      end

      def initscript
        @initscript ||= search(@resource[:name])
      end

      def paths
        @paths ||= @resource[:path].select { |path| FileSystem.directory?(path) }
      end

      def search(name)
        [name, "#{name}.sh"].each do |file|
          found = paths.map { |path| ::File.join(path, file) }.find { |path| FileSystem.exist?(path) }
          return found if found
        end
        raise Puppet::Error, "Could not find init script for '#{name}'"
      end

      def startcmd
        [initscript, :start]
      end

      def stopcmd
        [initscript, :stop]
      end

      def restartcmd
        @resource[:hasrestart] == :true && [initscript, :restart]
      end

      def statuscmd
        @resource[:hasstatus] == :true && [initscript, :status]
      end
    end

    native(:service, :debian, parent: :init) do
      include RcLinks
      commands update_rc: '/usr/sbin/update-rc.d', invoke_rc: '/usr/sbin/invoke-rc.d', service: '/usr/sbin/service'
      confine false: FileSystem.exist?('/proc/1/comm') && FileSystem.read('/proc/1/comm').include?('systemd')
      defaultfor 'os.name' => :cumuluslinux, 'os.release.major' => %w[1 2]
      defaultfor 'os.name' => :debian, 'os.release.major' => %w[5 6 7]
      defaultfor 'os.name' => :devuan

      def enabled?
        pupc_started_by_rc?
      end

      def get_start_link_count
        Dir.glob("/etc/rc*.d/S??#{@resource[:name]}").length
      end

      def enable
        update_rc('-f', @resource[:name], 'remove')
        update_rc(@resource[:name], 'defaults')
      end

      def disable
        update_rc(@resource[:name], 'disable')
      end

      def statuscmd
        @resource[:hasstatus] == :true && [command(:service), @resource[:name], 'status']
      end
    end

    native(:service, :redhat, parent: :init, source: :init) do
      commands chkconfig: '/sbin/chkconfig', service: '/sbin/service'
      defaultfor 'os.name' => :amazon, 'os.release.major' => %w[2017 2018]
      defaultfor 'os.name' => :redhat, 'os.release.major' => (4..6).to_a
      defaultfor 'os.family' => :suse, 'os.release.major' => %w[10 11]

      def enabled?
        output = chkconfig(@resource[:name])
        return :true if Facter.value('os.family') != 'Suse'

        output.match?(/^#{@resource[:name]}\s+(on|B)$/) ? :true : :false
      rescue Puppet::ExecutionFailure
        :false
      end

      def enable
        chkconfig('--add', @resource[:name])
        chkconfig(@resource[:name], :on)
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, "Could not enable #{name}: #{e}", e.backtrace
      end

      def disable
        chkconfig('--level', '0123456', @resource[:name], :off)
      rescue Puppet::ExecutionFailure => e
        raise Puppet::Error, "Could not disable #{name}: #{e}", e.backtrace
      end

      def initscript
        raise Puppet::Error, "Do not directly call the init script for '#{@resource[:name]}'; use 'service' instead"
      end

      def statuscmd
        (@resource.provider.get(:hasstatus) == true || @resource[:hasstatus] == :true) && [command(:service), @resource[:name], 'status']
      end

      def restartcmd
        @resource[:hasrestart] == :true && [command(:service), @resource[:name], 'restart']
      end

      def startcmd
        [command(:service), @resource[:name], 'start']
      end

      def stopcmd
        [command(:service), @resource[:name], 'stop']
      end
    end

    native(:service, :systemd, parent: :base) do
      include RcLinks
      commands systemctl: 'systemctl'
      confine true: FileSystem.exist?('/proc/1/comm') && FileSystem.read('/proc/1/comm').include?('systemd')
      defaultfor 'os.family' => %i[archlinux redhat suse coreos gentoo]
      defaultfor 'os.family' => :redhat, 'os.name' => :fedora
      defaultfor 'os.name' => %i[debian linuxmint ubuntu]
      defaultfor 'os.name' => :amazon, 'os.release.major' => %w[2 2023]
      defaultfor 'os.name' => :cumuluslinux, 'os.release.major' => %w[3 4]
      defaultfor 'os.name' => :raspbian, 'os.release.major' => %w[12]
      notdefaultfor 'os.name' => :redhat, 'os.release.major' => (4..6).to_a
      notdefaultfor 'os.name' => :amazon, 'os.release.major' => %w[2017 2018]
      notdefaultfor 'os.name' => :debian, 'os.release.major' => %w[5 6 7]
      notdefaultfor 'os.name' => :linuxmint, 'os.release.major' => ('10'..'17').to_a
      notdefaultfor 'os.name' => :ubuntu, 'os.release.major' => %w[10.04 12.04 14.04 14.10]

      def self.instances
        output = systemctl('list-unit-files', '--type', 'service', '--full', '--all', '--no-pager')
        output.scan(/^(\S+)\s+(?:disabled|enabled|masked|indirect|bad|static)\s*(?:[^-]\S+)?\s*$/i).map { |found| new(name: found[0]) }
      rescue Puppet::ExecutionFailure
        []
      end

      def enabled_insync?(current)
        case cached_enabled?[:output]
        when 'static' then @resource[:enable] == :mask ? current == :mask : true # only masking changes such a unit
        when 'indirect' then true
        else current == @resource[:enable]
        end
      end

      def cached_enabled?
        @cached_enabled ||= begin
          result = execute([command(:systemctl), 'is-enabled', '--', @resource[:name]], failonfail: false)
          { output: result.chomp, exitcode: result.exitstatus }
        end
      end

      def enabled?
        output, code = cached_enabled?.values_at(:output, :exitcode)
        return :mask if @resource[:enable] == :mask && output == 'masked'
        return :false if output == 'indirect'
        return :true if code.zero?

        output.empty? && Facter.value('os.family').to_s.casecmp?('debian') ? pupc_started_by_rc? : :false
      end

      def get_start_link_count
        Dir.glob("/etc/rc*.d/S??#{@resource[:name][/\A[^.]*(?=.*\.service)|.*/]}").length
      end

      def systemctl_change_enable(action)
        systemctl(action, '--', @resource[:name])
      rescue StandardError => e
        raise Puppet::Error, "Could not #{action} #{name}: ", e.backtrace
      ensure
        @cached_enabled = nil
      end

      def enable
        unmask
        systemctl_change_enable(:enable)
      end

      def disable
        systemctl_change_enable(:disable)
      end

      def mask
        disable if exist?
        systemctl_change_enable(:mask)
      end

      def unmask
        systemctl_change_enable(:unmask)
      end

      def exist?
        execute([command(:systemctl), 'cat', '--', @resource[:name]], failonfail: false).exitstatus.zero?
      end

      # Makes systemd read its units again when this one has changed.
      def daemon_reload?
        output = execute([command(:systemctl), 'show', '--property=NeedDaemonReload', '--', @resource[:name]], failonfail: false)
        execute([command(:systemctl), 'daemon-reload'], failonfail: false) if output.strip.split('=').last == 'yes'
      end

      def startcmd
        unmask
        pupc_systemctl('start')
      end

      def stopcmd
        pupc_systemctl('stop')
      end

      def restartcmd
        pupc_systemctl('restart')
      end

      def statuscmd
        pupc_systemctl('is-active')
      end

      def pupc_systemctl(verb)
        [command(:systemctl), verb, '--', @resource[:name]]
      end

      def start
        daemon_reload?
        super
      rescue Puppet::Error => e
        raise Puppet::Error, prepare_error_message(@resource[:name], 'start', e)
      end

      def restart
        daemon_reload?
        super
      rescue Puppet::Error => e
        raise Puppet::Error, prepare_error_message(@resource[:name], 'restart', e)
      end

      def stop
        super
      rescue Puppet::Error => e
        raise Puppet::Error, prepare_error_message(@resource[:name], 'stop', e)
      end

      def prepare_error_message(name, action, _exception)
        journal = execute("journalctl -n 50 --since '5 minutes ago' -u #{name} --no-pager")
        "Systemd #{action} for #{name} failed!\njournalctl log for #{name}:\n#{journal}"
      end
    end
  end
end
