Puppet::Type.newtype(:style_text) do
  newparam(:name) do
    desc(%q{newparam(:in_text) { nested } end})
    desc %Q(a #{"b #{'c' + %w[d e].join(')')}"} do)
    desc "a" \
         'b'
    desc [<<~ONE, <<-'TWO'].join
      text #{1 + 1} if end
    ONE
      newparam(:in_heredoc) #{
      TWO
    isnamevar
  end
=begin
  newparam(:in_comment)
=end
  newproperty(:regex) { newvalues(/\/#{'x'}["']/, %r{a/b}, /[\]]/) }
  newproperty(:char) { newvalues(?a, ?:, ?\s) }
  newproperty(:division) { munge { |v| v.to_i / 2 } } # not a / regex
  newproperty(:ternary) { munge { |v| v ? :yes : :no } }
end
__END__
newparam(:after_the_end)
