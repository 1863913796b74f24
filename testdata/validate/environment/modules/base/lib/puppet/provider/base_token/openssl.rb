Puppet::Type.type(:base_token).provide(:openssl, parent: :file) do
  commands openssl: 'openssl'

  def create
    openssl('rand', '-out', resource[:target], resource[:bits])
  end
end
