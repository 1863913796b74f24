#include "compiler/ruby/syntax/erb_source.h"

#include <gtest/gtest.h>

#include <string>

namespace pupc::compiler {
namespace {

constexpr std::string_view right[] = {
    "",
    "only text, with <%% and %%>",
    "<%# a comment, with \" %>",
    "<%= @a %> <%= a -%>\n<%- @a = 1 -%>\n",
    "<% if @a and not @b.nil? then %>x<% elsif a[0]['b'] != nil %>y<% else %>z<% end %>",
    "<% unless [nil, :undef, ''].include?(scope['a']) or defined?(@b) -%>\n<% end -%>\n",
    "<% @a.sort_by { |k, v| k }.each do |k, v| %><%= k %>=<%= v %><% end %>",
    "<%= @a.map { |x| \"#{x[:b]}: #{x.c('d')}\" }.join(\"\\n\") %>",
    "<% x ||= {'a' => 1, 'b' => [1.5, -2]} if @c && !@d %>",
    "<% if a then b = 1 else b = 2 end %><%= b + 1 %>",
    "<% x = if @a =~ /^(a|b.*)\\/c$/i then 'a' else 'b' end %><%= $1 %>",
    "<% @a.each do |a|\n  next if a.empty?\n  b = a # a comment\n  b << 'x'; c = b ? 1 : 2\nend -%>\n",
    "<% # a comment -%>\n<% # and another %>\n",
    "<% if @a.include? 'b' %><%= Array(@c).collect(&:to_s).join(',') %><% end; x = 1 if Foo::Bar.baz?(1, 'a' => @b) %>",
    "<% require 'yaml' -%>\n<%= @a.inject(0) { |l, (k, v)| k > l ? k : l } %><% if b %>c<% end if d %>",
    "<% %w(a b-c).each do |x| %><%= %Q{\"#{x}\"} + %q(a) + %([x]) %><% end %>",
    "<% @a.each do |_, _, x| %><% end %>",
    "<% x = @a and b.c 'd' %><% x = (@a && (b.c 'd')) %>",
    "<% while @a do break end %><% case @a when 1 then 2 end %>",
    "<% begin; a; rescue A then b; rescue; c; end %>",
    "<%=\f(10.round(5)).min\f\vmax(1).inspect\r%>", // all blanks of Ruby
};

// What is no Ruby.
constexpr std::string_view wrong[] = {
    "<% if @a %>",
    "<% end %>",
    "<% else %>",
    "<% if @a %><% else %><% else %><% end %>",
    "<% unless @a %><% elsif @b %><% end %>",
    "<% @a.each do |x| %><% else %><% end %>",
    "<% @a.each do |x, x| %><% end %>",
    "<% @a.each do |x; x| %><% end %>",
    "<% @a do |x| %><% end %>",
    "<% if @a @b %><% end %>",
    "<% while @a b %><% end %>",
    "<% case @a when 1 2 end %>",
    "<% begin %><% rescue A b %><% end %>",
    "<%= ) %>",
    "<%= 'a %>",
    "<%= \"#{a \" %>",
    "<%= \"\\u12\" %>",
    "<%= @a == 1 == 2 %>",
    "<%= @a ? 1 %>",
    "<%= @a 1 %>",
    "<%= @1 %>",
    "<%= 08 %>",
    "<%= /a(b/ %>",
    "<%= /+/ %>",
    "<%= not.a %>",
    "<%= @a && b.c? 'd' %>",
    "<%= @a + b 1 %>",
    "<%= @a == b.c [1] %>",
    "<% 1 = 2 %>",
    "<% # a comment %> text <% if @a %>",
    "<% case @a %><% end %>",
    "<%= %w(a %>",
};

TEST(ErbSyntax, KnowsTheUsualForms) {
  RegexCache regexes;
  for (std::string_view text : right) EXPECT_TRUE(erb_parses(text, regexes)) << text;
}

TEST(ErbSyntax, RefusesTheOthers) {
  RegexCache regexes;
  for (std::string_view text : wrong) EXPECT_FALSE(erb_parses(text, regexes)) << text;
  for (std::string_view opener : {"(", "[", "!", "{ 1 => ", "not ", "\"#{"}) {
    std::string text = "<%= ";
    for (int i = 0; i < 100'000; ++i) text += opener;
    EXPECT_FALSE(erb_parses(text + "1 %>", regexes)) << opener;
  }
}

} // namespace
} // namespace pupc::compiler
