# Puppet::FileServing: what a source of a file names, for code that reads files as `file { source => … }` does. pupc finds them: in modules,
# on this machine, at a web server, or at the run's Puppet server.
module Puppet
  module FileServing
    class Base
      attr_reader :path, :relative_path
      attr_accessor :source, :links

      def initialize(path, options = {})
        @path = path
        options.each { |name, value| public_send("#{name}=", value) if respond_to?("#{name}=") }
      end

      def full_path
        relative_path.to_s.empty? ? path : ::File.join(path, relative_path)
      end

      def exist?
        FileSystem.exist?(full_path)
      end

      # What `Class.indirection` gives: finds by URI or path; nil where nothing is.
      class Indirection
        def initialize(kind)
          @kind = kind
        end

        def find(uri, *)
          found = PupcWorker.ask('file_source', uri.to_s, @kind.content?)
          raise Puppet::Error, found if found.is_a?(String)

          found && @kind.pupc_made(found)
        end
      end

      def self.indirection
        @indirection ||= Indirection.new(self)
      end

      def self.pupc_made(found)
        made = new(found['path'])
        made.source = found['uri']
        made.pupc_take(found)
        made
      end
    end

    class Content < Base
      attr_writer :content

      def self.content?
        true
      end

      def content
        @content ||= FileSystem.binread(full_path)
      end

      def pupc_take(found)
        @content = found['content']
      end
    end

    class Metadata < Base
      attr_reader :owner, :group, :mode, :checksum, :ftype, :destination, :checksum_type

      def self.content?
        false
      end

      def pupc_take(found)
        @owner, @group, @mode, @checksum, @ftype, @destination = found.values_at('owner', 'group', 'mode', 'checksum', 'ftype', 'destination')
        @checksum_type = @checksum && @checksum[/\A\{(\w+)\}/, 1]
      end
    end
  end
end
