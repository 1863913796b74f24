Puppet::Type.type(:base_token).provide(:file) do
  def exists?
    File.exist?(@resource[:target])
  end

  def create
    File.write(resource[:target], 'x' * resource.value(:bits).to_i)
  end

  def destroy
    File.delete(resource[:target])
  end
end
