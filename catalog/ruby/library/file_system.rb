module Puppet
  # Puppet::FileSystem: file operations that take a String or a Pathname.
  module FileSystem
    class << self
      %i[exist? directory? file? executable? readlink size symlink? stat lstat ftype realpath zero? writable? readable?].each do |name|
        define_method(name) { |path| File.public_send(name, path.to_s) }
      end

      def dir_exist?(path)
        File.directory?(File.dirname(path.to_s))
      end

      def dir(path)
        Pathname.new(File.dirname(path.to_s))
      end

      def dir_string(path)
        File.dirname(path.to_s)
      end

      def basename(path)
        Pathname.new(File.basename(path.to_s))
      end

      def basename_string(path)
        File.basename(path.to_s)
      end

      def dir_mkpath(path)
        FileUtils.mkdir_p(File.dirname(path.to_s))
      end

      def mkpath(path)
        FileUtils.mkdir_p(path.to_s)
      end

      def pathname(path)
        Pathname.new(path.to_s)
      end
      alias assert_path pathname

      def path_string(path)
        path.to_s
      end

      def expand_path(path, directory = nil)
        File.expand_path(path.to_s, directory&.to_s)
      end

      def read(path, options = {})
        options[:encoding] == :bom_utf8 ? File.read(path.to_s, encoding: 'BOM|UTF-8') : File.read(path.to_s, **options)
      end

      def read_preserve_line_endings(path)
        File.binread(path.to_s).force_encoding(Encoding.default_external)
      end

      def binread(path)
        File.binread(path.to_s)
      end

      def each_line(path, &block)
        File.foreach(path.to_s, &block)
      end

      def open(path, mode, options = 'r', &block)
        mode = mode.to_i(8) if mode.is_a?(String)
        mode ? File.open(path.to_s, options, mode, &block) : File.open(path.to_s, options, &block)
      end

      def exclusive_create(path, mode, &block)
        File.open(path.to_s, File::CREAT | File::EXCL | File::WRONLY, mode || 0o666, &block)
      end

      def exclusive_open(path, mode, options = 'r', _timeout = 300)
        open(path, mode, options) do |file|
          file.flock(File::LOCK_EX)
          yield file
        end
      end

      def replace_file(path, mode = nil, &block)
        Util.replace_file(path, mode, &block)
      end

      def unlink(*paths)
        File.unlink(*paths.map(&:to_s))
      end

      def rmtree(path)
        FileUtils.rm_rf(path.to_s)
      end

      def symlink(target, link, options = {})
        FileUtils.ln_s(target.to_s, link.to_s, **options.slice(:force))
      end

      def touch(path, mtime: nil)
        FileUtils.touch(path.to_s, **(mtime ? { mtime: mtime } : {}))
      end

      def chmod(mode, path)
        File.chmod(mode, path.to_s)
      end

      def chown(user, group, path)
        File.chown(user, group, path.to_s)
      end

      def compare_stream(path, stream)
        File.binread(path.to_s) == stream.read
      end

      def children(path)
        Pathname.new(path.to_s).children
      end
    end
  end
end
