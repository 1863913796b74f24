Puppet::Type.newtype(:style_loops) do
  LIST = [:a, :b].freeze
  DOCS = { :c => 'doc c', 'd' => "doc d" }
  newparam(:name) { isnamevar }
  LIST.each do |n|
    newparam(n) { desc "#{n}" }
  end
  DOCS.each { |n, text| newproperty(n.to_sym) { desc text } }
  %w[e f].each { |n| newproperty("#{n}_prop") }
  (LIST.map { |n| "#{n}x" } + %w[z]).each { |n| newparam(n.to_sym) }
  %i[g h].each_with_index do |n, i|
    newparam(:"#{n}#{i}")
  end
  DOCS.keys.map(&:to_s).each { |k| newparam("key_#{k}".to_sym) }
end
