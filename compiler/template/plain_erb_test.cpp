#include "compiler/template/plain_erb.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pupc::compiler {
namespace {

constexpr std::string_view plain[] = {
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
    "<%=\f(10.round(5)).min\f\vmax(1).inspect\r%>", // all blanks of Ruby
};

// What is no Ruby, and what only the parser knows, because its meaning depends on more than the characters.
constexpr std::string_view others[] = {
    "<% if @a %>",
    "<% end %>",
    "<% else %>",
    "<% if @a %><% else %><% else %><% end %>",
    "<% unless @a %><% elsif @b %><% end %>",
    "<% @a.each do |x| %><% else %><% end %>",
    "<% @a.each do |x, x| %><% end %>",
    "<% @a do |x| %><% end %>",
    "<% if @a @b %><% end %>",
    "<%= %>",
    "<%= ) %>",
    "<%= 'a %>",
    "<%= \"#{a \" %>",
    "<%= \"\\u12\" %>",
    "<%= @a == 1 == 2 %>",
    "<%= @a ? 1 %>",
    "<%= @a 1 %>",
    "<%= a [1] %>",
    "<%= a -1 %>",
    "<%= a /1 %>",
    "<%= a <<b %>",
    "<%= [1, 'a' => 2, 3] %>",
    "<%= @1 %>",
    "<%= 08 %>",
    "<%= /a(b/ %>",
    "<%= /+/ %>",
    "<%= @a(&:b) { } %>",
    "<%= not.a %>",
    "<%= @a && b.c? 'd' %>",
    "<%= !@a = 1 %>",
    "<% @a.b = 1 %>",
    "<% A = 1 %>",
    "<% x = a, b %>",
    "<% 1 = 2 %>",
    "<% next %>",
    "<% # a comment %> text <% if @a %>",
    "<%= @a # a comment %>\n",
    "<%# -*- coding: latin-1 -*- %>",
    "<%= '%%>' %>",
    "<% case @a %><% end %>",
    "<%= self %>",
    "<%= `a` %>",
    "<%= defined?(a).b %>",
    "<%= %w(a (b)) %>",
    "<%= %(a (b)) %>",
    "<%= %w(a %>",
    "<% require = 'a' %>",
    "<% a 'b' %>",
    "<% @a.each do |(x, (y, z))| %><% end %>",
};

TEST(PlainErb, KnowsTheUsualForms) {
  RegexCache regexes;
  for (std::string_view text : plain) {
    EXPECT_TRUE(plain_erb(text)) << text;
    EXPECT_TRUE(erb_parses(text, regexes)) << text;
  }
}

TEST(PlainErb, LeavesTheOthers) {
  for (std::string_view text : others) EXPECT_FALSE(plain_erb(text)) << text;
  for (std::string_view opener : {"(", "[", "!", "{ 1 => ", "not ", "\"#{"}) {
    std::string text = "<%= ";
    for (int i = 0; i < 100'000; ++i) text += opener;
    EXPECT_FALSE(plain_erb(text + "1 %>")) << opener;
  }
}

/// Changes known templates at random places: whatever comes out, the parser accepts what the quick look accepts.
TEST(PlainErb, AcceptsNothingThatTheParserRefuses) {
  constexpr std::string_view bits[] = {
      " ",   "\n",   "?",        ":",     "!",   "=",    "==",    "!=",    "&&",   "and",   "or",        "not",
      "(",   ")",    "[",        "]",     "{",   "}",    "|",     "x",     "@x",   "'s'",   "\"s\"",     ".",
      "::",  "A",    "1",        "-",     "+",   "*",    "/",     "%",     "&",    "&:a",   "<",         "<<",
      ">",   "=>",   ",",        ";",     "#",   "if",   "do",    "end",   "else", "elsif", "unless",    "then",
      "nil", "x.y?", "=~",       "+=",    "||=", " - ",  " ? ",   " : ",   "\\",   "$1",    "~",         "^",
      "\f",  "case", "defined?", "\"#{x", "}\"", "self", "yield", "{ |x|", "/a/",  "next",  "<% end %>", "<% if x %>"};
  RegexCache regexes;
  std::mt19937 random(1); // NOLINT: always the same
  auto below = [&](size_t limit) { return random() % limit; };
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(plain[below(std::size(plain))]);
    for (size_t changes = 1 + below(3); changes > 0; --changes) {
      const size_t at = below(text.size() + 1);
      if (below(3) != 0) text.erase(at, 1 + below(3));
      if (below(3) != 0) text.insert(std::min(at, text.size()), bits[below(std::size(bits))]);
    }
    if (!plain_erb(text)) continue;
    ++accepted;
    EXPECT_TRUE(erb_parses(text, regexes)) << text;
  }
  EXPECT_GT(accepted, 1000);
}

} // namespace
} // namespace pupc::compiler
