// What comes from anybody: paths, queries, forms, rules, mounts.
#include "tools/server/auth.h"
#include "tools/server/mounts.h"
#include "tools/server/request_text.h"

#include <gtest/gtest.h>

namespace pupc::server {
namespace {

std::string target(std::string_view text) {
  Target out;
  switch (read_target(text, out)) {
  case TargetProblem::Malformed: return "malformed";
  case TargetProblem::LeavesRoot: return "leaves";
  case TargetProblem::None: break;
  }
  std::string shown = out.path;
  for (const auto& [name, value] : out.query.entries()) shown += "|" + name + "=" + value;
  return shown;
}

TEST(RequestText, Targets) {
  EXPECT_EQ(target("/a/b%20c?d=e+f&g=%26&h&d=2"), "/a/b c|d=e f|g=&|h=|d=2");
  EXPECT_EQ(target("/a//b"), "/a//b");
  EXPECT_EQ(target("/a+b"), "/a+b");
  for (const char* text : {"", "a", "http://x/", "*", "/a%0", "/a%zz", "/%00", "/a%0ab", "/a?b=%f", "/%7f"})
    EXPECT_EQ(target(text), "malformed") << text;
  for (const char* text : {"/..", "/a/../b", "/a/%2e%2e/b", "/a/.%2E", "/%2e/a", "/a%2f..%2fb", "/."})
    EXPECT_EQ(target(text), "leaves") << text;
  EXPECT_EQ(target("/a/%252e%252e/..."), "/a/%2e%2e/...");
}

TEST(RequestText, Parameters) {
  Parameters p;
  EXPECT_TRUE(p.add("a=1&a=2&b[]=x&b[]=y&c"));
  EXPECT_EQ(p.get("a"), "2");
  EXPECT_EQ(p.all("b"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(p.find("d"), nullptr);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "a=1&";
  EXPECT_FALSE(p.add(many));
  EXPECT_EQ(percent_encoded("a/b c~\xff"), "a%2Fb%20c~%FF");
  EXPECT_EQ(percent_decoded(percent_encoded("\n%+ &="), false), "\n%+ &=");
  EXPECT_EQ(percent_decoded("a+%41%5a%7F%fF%00b", true), std::string("a AZ\x7f\xff\0b", 8));
  for (const char* broken : {"%", "a%4", "%4g", "%g4", "%-1", "%%41", "%+1"}) EXPECT_FALSE(percent_decoded(broken, true)) << broken;
}

TEST(RequestText, Names) {
  EXPECT_TRUE(valid_node_name("web-1.example.com"));
  for (const char* name : {"", ".", "..", "a/b", "A", "a\nb"}) EXPECT_FALSE(valid_node_name(name)) << name;
  EXPECT_TRUE(valid_environment_name("Prod_2"));
  EXPECT_FALSE(valid_environment_name("a-b"));
}

/// Texts near those that agents send: whatever comes, what is accepted has no way out and no control characters.
TEST(RequestText, ChangedTexts) {
  const std::vector<std::string> seeds{"/puppet/v3/catalog/web1.example.com?environment=production&facts=%257B%2522a%2522%253A1%257D",
                                       "/puppet/v3/file_content/modules/a/b%20c?environment=x", "/a/..%2f%2e%2e/%2E./b?x[]=1&x[]=%26+%3D",
                                       "/%25%32%65/....//.?&&=&a=%"};
  static constexpr char alphabet[] = "/.%2eEfF05?&=+[]\0\n\x7f\xff a";
  uint64_t state = 88172645463325252u;
  const auto random = [&](size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>(state % below);
  };
  size_t accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text = seeds[random(seeds.size())];
    for (size_t n = random(6); n-- > 0;) {
      const size_t at = random(text.size());
      if (random(3) == 0)
        text.erase(at, 1 + random(3));
      else
        text.insert(at, 1, alphabet[random(sizeof alphabet - 1)]);
      if (text.empty()) text = "/";
    }
    Target out;
    if (read_target(text, out) != TargetProblem::None) continue;
    ++accepted;
    ASSERT_TRUE(out.path.starts_with('/'));
    for (const std::string_view part : path_parts(out.path)) ASSERT_TRUE(part != "." && part != "..") << text;
    for (const char c : out.path) ASSERT_GE(static_cast<unsigned char>(c), 0x20) << text;
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_LT(accepted, 199000u);
}

bool may(const AuthRules& rules, std::string_view method, std::string_view path, const Caller& caller) {
  Target t;
  EXPECT_EQ(read_target(path, t), TargetProblem::None) << path;
  return rules.verdict(method, t, caller).allowed;
}

TEST(Auth, UsualRules) {
  const AuthRules rules(usual_auth_rules(), "usual");
  const Caller web{"web1.example.com", {}}, nobody;
  EXPECT_TRUE(may(rules, "POST", "/puppet/v3/catalog/web1.example.com?environment=a", web));
  EXPECT_TRUE(may(rules, "GET", "/puppet/v3/catalog/WEB1.example.com", web)); // names of certificates have no case
  EXPECT_FALSE(may(rules, "GET", "/puppet/v3/catalog/web2.example.com", web));
  EXPECT_FALSE(may(rules, "GET", "/puppet/v3/catalog/web1.example.com/x", web));
  EXPECT_FALSE(may(rules, "PUT", "/puppet/v3/catalog/web1.example.com", web));
  EXPECT_FALSE(may(rules, "GET", "/puppet/v3/catalog/web1xexample.com", web));
  EXPECT_FALSE(may(rules, "POST", "/puppet/v3/catalog/web1.example.com", nobody));
  EXPECT_TRUE(may(rules, "GET", "/puppet/v3/file_content/modules/a/b", web));
  EXPECT_FALSE(may(rules, "GET", "/puppet/v3/file_content/modules/a/b", nobody));
  EXPECT_TRUE(may(rules, "GET", "/status/v1/simple", nobody));
  EXPECT_FALSE(may(rules, "GET", "/status/v1/metrics", nobody));
  EXPECT_FALSE(may(rules, "GET", "/x/puppet/v3/catalog/web1.example.com", web));
  EXPECT_FALSE(may(rules, "DELETE", "/puppet/v3/file_bucket_file/sha256/x", web));
}

std::string rule(const std::string& words) {
  return "authorization: { version: 1, rules: [ { name: r, sort-order: 10, match-request: { path: \"/x\", type: path }, " + words +
         " } ] }";
}

TEST(Auth, Entries) {
  const Caller a{"a.example.com", {{"pp_role", "db"}}}, b{"b.other.com", {}};
  const auto allowed = [&](const std::string& words, const Caller& caller) {
    return may(AuthRules(rule(words), "f"), "GET", "/x/y", caller);
  };
  EXPECT_TRUE(allowed("allow: \"*\"", b));
  EXPECT_FALSE(allowed("allow: \"*\"", Caller{}));
  EXPECT_TRUE(allowed("allow-unauthenticated: true", Caller{}));
  EXPECT_TRUE(allowed("allow: \"*.example.com\"", a));
  EXPECT_FALSE(allowed("allow: \"*.example.com\"", b));
  EXPECT_TRUE(allowed("allow: \"/^a\\\\./\"", a));
  EXPECT_TRUE(allowed("allow: { extensions: { pp_role: [web, db] } }", a));
  EXPECT_FALSE(allowed("allow: { extensions: { pp_role: web } }", a));
  EXPECT_FALSE(allowed("allow: { certname: \"*\", extensions: { pp_role: db } }", b));
  EXPECT_FALSE(allowed("allow: \"*\", deny: \"a.example.com\"", a));
  EXPECT_TRUE(allowed("allow: [\"a.example.com\", \"b.other.com\"]", b));
  EXPECT_FALSE(may(AuthRules(rule("allow: \"*\""), "f"), "GET", "/y", a));
}

std::string problem(const std::string& text) {
  try {
    AuthRules(text, "f");
    return "none";
  } catch (const AuthError& e) { return e.what(); }
}

TEST(Auth, WhatIsNotKnownIsRefused) {
  EXPECT_EQ(problem("a: 1"), "f has no section 'authorization'");
  EXPECT_EQ(problem(rule("alow: b")),
            "f: rule 1 ('r'): 'alow' is not known (match-request, sort-order, allow, deny, allow-unauthenticated, name)");
  EXPECT_EQ(problem(rule("allow: \"a*b\"")), "f: rule 1 ('r'): 'a*b': a * stands alone or before a domain");
  EXPECT_EQ(problem(rule("name: r")), "f: rule 1 ('r') has neither allow, deny nor allow-unauthenticated");
  EXPECT_EQ(problem(rule("allow-unauthenticated: true, allow: a")),
            "f: rule 1 ('r'): allow-unauthenticated goes with neither allow nor deny");
  EXPECT_NE(problem("authorization: {"), "none");
}

TEST(Mounts, FileserverConf) {
  const FileMounts mounts = read_file_mounts("# c\n[extra]\n path /srv/%h\n allow *\n[modules]\n allow *\n", "f");
  EXPECT_EQ(mounts, (FileMounts{{"extra", "/srv/%h"}}));
  const auto wrong = [](std::string_view text) {
    try {
      read_file_mounts(text, "f");
      return std::string("none");
    } catch (const MountError& e) { return std::string(e.what()); }
  };
  EXPECT_EQ(wrong("path /x"), "f: there is no [mount] before this line (line: 1)");
  EXPECT_EQ(wrong("[a]\npath x"), "f: a mount's path is absolute (line: 2)");
  EXPECT_EQ(wrong("[a]\nallow 10.0.0.0/8"),
            "f: 'allow 10.0.0.0/8' is not supported: it is path, or allow *; all else is told by auth.conf (line: 2)");
  EXPECT_EQ(wrong("[a]"), "f: the mount a has no path");
  EXPECT_EQ(wrong("[a]\npath /x\n[a]"), "f: the mount a is there twice (line: 3)");
}

} // namespace
} // namespace pupc::server
