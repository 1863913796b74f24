Puppet::Type.type(:pair).provide(:ruby) do
  def path
    "#{resource[:directory]}/#{resource[:file]}"
  end

  def exists?
    File.exist?(path)
  end

  def create
    File.write(path, resource[:text].to_s)
  end

  def destroy
    File.unlink(path)
  end

  def text
    File.read(path)
  end

  def text=(value)
    File.write(path, value)
  end
end
