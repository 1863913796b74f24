Puppet::Type.type(:late).provide(:tool) do
  commands tool: "#{Dir.pwd}/tool"
  def done?
    File.exist?("#{Dir.pwd}/done")
  end

  def act
    tool('x', 'y')
  end
end
