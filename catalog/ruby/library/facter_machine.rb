# Facter: what facts in Ruby get from pupc: the facts of the machine, external ones, and what a run knows already.
module Facter
  class ResolveCustomFactError < StandardError; end

  EXTERNAL_WEIGHT = 10_000
  ENVIRONMENT_WEIGHT = 1_000_000

  # What the process gets from pupc: the machine's facts, external ones, where facts in Ruby are, and the values that the run knows.
  module Machine
    class << self
      attr_accessor :directories, :limit, :events

      def set(core: nil, external: {}, environment: {}, directories: [], limit: 60)
        @core = core
        @external = external
        @environment = environment
        @directories = directories
        @limit = limit
        @known = {}
      end

      def outside
        (@external || {}).to_a.map { |name, value| [name, value, EXTERNAL_WEIGHT] } + (@environment || {}).to_a.map { |name, value| [name, value, ENVIRONMENT_WEIGHT] }
      end

      # The values of the machine's own facts; nil where pupc is asked for each.
      def core
        @core || PupcWorker.ask('facts') || {}
      end

      # The value of a fact of the machine. One without a value is looked for anew, as its program or file may be there now.
      def value(name)
        found = @core ? dig(@core, name) : known(name)
        found.nil? && MAY_APPEAR.include?(name[/\A\w+/]) && running? ? dig(fresh, name) : found
      end

      def known(name)
        (@known ||= {}).fetch(name) { @known[name] = PupcWorker.ask('fact', name) }
      end

      # Whether pupc knows the value of a fact in Ruby, from before this process began.
      def kept(name)
        @core.nil? ? known(name) : nil
      end

      # Forgets all values: the machine is looked at anew. What Puppet itself has added is gone until the next collection.
      def forget
        @core = fresh.reject { |name, _| name == 'puppetversion' }
        @known = {}
      end

      def fresh
        running? ? PupcWorker.ask('core_facts') || {} : @core || {}
      end

      def running?
        @events.nil?
      end

      # A line for pupc: what is resolved, and what it gave.
      def tell(*event)
        PupcWorker.write(['event', *event]) if @events
      end

      def dig(hash, name)
        hash.fetch(name) { name.split('.').inject(hash) { |at, key| Facter.member(at, key) } }
      end
    end
    # Facts of the machine that a run may bring: packages, host keys, devices, labels.
    MAY_APPEAR = %w[augeas augeasversion ruby rubyversion rubysitedir rubyplatform ssh sshecdsakey sshed25519key sshrsakey sshdsakey selinux os networking
                    disks mountpoints partitions zfs_version zpool_version hypervisors dmi lsbdistcodename lsbdistid xendomains].freeze
  end
end
