# Puppet::FileSystem::Uniquefile.
module Puppet
  module FileSystem
    # A temporary file that exists only during the block.
    class Uniquefile < DelegateClass(::Tempfile)
      def self.open_tmp(name)
        file = Tempfile.new(name)
        yield file
      ensure
        file&.close!
      end

      def initialize(name, directory = nil)
        super(directory ? Tempfile.new(name, directory) : Tempfile.new(name))
      end
    end
  end
end
