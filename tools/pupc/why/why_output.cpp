// Prints the result of `pupc why` as text and as JSON.
#include "catalog/json/json_writer.h"
#include "tools/pupc/why/why.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// The text without control characters, cut to one line. Values are JSON, so only odd titles contain control characters.
std::string shown(std::string_view text, size_t most = 100) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  // Do not cut in the middle of a UTF-8 character.
  if (text.size() > most) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    out += "…";
  }
  return out;
}

void sources_text(const std::vector<WhySource>& sources, const std::string& indent, std::string& out) {
  for (const WhySource& s : sources) {
    out += fmt::format("{}{}\n", indent, shown(source_text(s), 400));
    sources_text(s.variable_sources, indent + "  ", out);
  }
}

/// Which attribute of which resource creates the relation: "require of File[/x]".
std::string relation_words(Why& why, const WhyRelation& r) {
  if (r.attribute == "contains") return "contains";
  return fmt::format("{} of {}", r.attribute, why.name(r.holder));
}

void relations_text(Why& why, std::string_view head, const std::vector<WhyRelation>& relations, bool waits, std::string& out) {
  if (relations.empty()) return;
  out += fmt::format("  {}\n", head);
  for (const WhyRelation& r : relations) {
    out += fmt::format("    {}", shown(why.name(waits ? r.first : r.then)));
    out += fmt::format("  ({}", shown(relation_words(why, r)));
    if (r.through != no_resource) out += fmt::format(", through {}", shown(why.name(r.through)));
    out += ")\n";
    sources_text(r.sources, "      ", out);
  }
}

void write_place(JsonWriter& json, const WhyPlace& place) {
  if (place.file.empty()) return;
  json.member("file", place.file);
  if (place.line == 0) return;
  json.key("line");
  json.integer(place.line);
}

void write_sources(JsonWriter& json, const char* name, const std::vector<WhySource>& sources) {
  json.key(name);
  json.begin_array();
  for (const WhySource& s : sources) {
    json.begin_object();
    json.member("by", s.by);
    json.member("text", source_text(s));
    write_place(json, s.place);
    if (!s.key.empty()) json.member("key", s.key);
    if (s.data.size() > 1) {
      json.key("data");
      json.begin_array();
      for (const WhyPlace& p : s.data) {
        json.begin_object();
        write_place(json, p);
        json.end_object();
      }
      json.end_array();
    }
    if (!s.from.empty()) json.member("from", s.from);
    if (!s.variable.empty()) json.member("variable", s.variable);
    if (!s.variable_sources.empty()) write_sources(json, "sources", s.variable_sources);
    json.end_object();
  }
  json.end_array();
}

void write_declaration(JsonWriter& json, const WhyDeclaration& d) {
  json.begin_object();
  json.member("reference", d.reference);
  json.member("how", d.how);
  write_place(json, d.place);
  if (!d.in.empty()) json.member("in", d.in);
  json.end_object();
}

void write_relations(Why& why, JsonWriter& json, const char* name, const std::vector<WhyRelation>& relations) {
  json.key(name);
  json.begin_array();
  for (const WhyRelation& r : relations) {
    json.begin_object();
    json.member("first", why.name(r.first));
    json.member("then", why.name(r.then));
    json.member("attribute", r.attribute);
    json.member("holder", why.name(r.holder));
    if (r.through != no_resource) json.member("through", why.name(r.through));
    write_sources(json, "sources", r.sources);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string source_text(const WhySource& s) {
  std::string out = s.text;
  if (s.by == "data") out += fmt::format(" of the key '{}'", s.key);
  if (s.data.size() > 1) {
    for (size_t i = 0; i < s.data.size(); ++i) out += (i == 0 ? ": " : ", ") + s.data[i].text();
  } else if (const std::string at = s.place.text(); !at.empty()) {
    out += ", " + at;
  }
  if (!s.variable.empty())
    out += fmt::format(": ${} is a parameter of {}", s.variable, s.from);
  else if (!s.from.empty())
    out += fmt::format(", from {}", s.from);
  return out;
}

std::string why_text(Why& why, const WhyAnswer& answer) {
  std::string out = fmt::format("{}{}\n", shown(answer.reference), answer.is_virtual ? "  (virtual, nothing realizes it)" : "");
  if (!answer.declared.empty()) {
    out += "  declared by\n";
    for (const WhyDeclaration& d : answer.declared) {
      out += fmt::format("    {}: {}", shown(d.reference), shown(d.how));
      if (const std::string at = d.place.text(); !at.empty()) out += ", " + shown(at, 400);
      if (!d.in.empty()) out += fmt::format(", in {}", shown(d.in));
      out += '\n';
    }
  }
  if (!answer.again.empty()) {
    out += "  also declared by\n";
    // Group equal places: one line of a define declares the resource for each of its instances.
    for (size_t i = 0; i < answer.again.size();) {
      const WhyDeclaration& d = answer.again[i];
      size_t same = i;
      while (same < answer.again.size() && answer.again[same].place.text() == d.place.text()) ++same;
      out += fmt::format("    {}, {}, in {}", shown(d.how), shown(d.place.text(), 400), shown(d.in));
      out += same - i > 1 ? fmt::format(" and {} more\n", same - i - 1) : "\n";
      i = same;
    }
  }
  for (const WhyPlace& p : answer.realized) out += fmt::format("  realized by {}\n", shown(p.text(), 400));
  if (!answer.attributes.empty()) out += "  attributes\n";
  for (const WhyAttribute& a : answer.attributes) {
    out += fmt::format("    {} = {}\n", shown(a.name), shown(a.value));
    sources_text(a.sources, "      ", out);
    if (a.replaced.empty()) continue;
    out += "      instead of\n";
    sources_text(a.replaced, "        ", out);
  }
  if (!answer.contained_in.empty()) {
    out += "  contained in\n";
    for (const auto& c : answer.contained_in) out += fmt::format("    {}\n", shown(c));
  }
  relations_text(why, "waits for", answer.waits_for, true, out);
  relations_text(why, "waited for by", answer.waited_for, false, out);
  return out;
}

std::string why_json(Why& why, const WhyAnswer& answer) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("reference", answer.reference);
  json.key("virtual");
  json.boolean(answer.is_virtual);
  for (const auto& [name, list] : {std::pair("declared", &answer.declared), std::pair("also_declared", &answer.again)}) {
    json.key(name);
    json.begin_array();
    for (const WhyDeclaration& d : *list) write_declaration(json, d);
    json.end_array();
  }
  json.key("realized");
  json.begin_array();
  for (const WhyPlace& p : answer.realized) {
    json.begin_object();
    write_place(json, p);
    json.end_object();
  }
  json.end_array();
  json.key("attributes");
  json.begin_object();
  for (const WhyAttribute& a : answer.attributes) {
    json.key(a.name);
    json.begin_object();
    if (a.sensitive) {
      json.key("sensitive");
      json.boolean(true);
    } else {
      json.key("value");
      json.raw([&](std::string& to) { to += a.value; });
    }
    write_sources(json, "sources", a.sources);
    write_sources(json, "replaced", a.replaced);
    json.end_object();
  }
  json.end_object();
  json.key("contained_in");
  json.begin_array();
  for (const auto& c : answer.contained_in) json.string(c);
  json.end_array();
  write_relations(why, json, "waits_for", answer.waits_for);
  write_relations(why, json, "waited_for_by", answer.waited_for);
  json.end_object();
  return out + "\n";
}

std::string chain_text(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed) {
  if (chain.empty()) return fmt::format("No chain of relationships leads from {} to {} or back.\n", shown(why.name(a)), shown(why.name(b)));
  std::string out = fmt::format("{} is done before {}\n", shown(why.name(reversed ? b : a)), shown(why.name(reversed ? a : b)));
  out += fmt::format("  {}\n", shown(why.name(chain.front().first)));
  for (const WhyRelation& r : chain) {
    const bool inside = r.attribute == "contains";
    out += inside ? fmt::format("    {} {}\n", r.holder == r.first ? "contains" : "is in", shown(why.name(r.then)))
                  : fmt::format("    before {}: {}\n", shown(why.name(r.then)), shown(relation_words(why, r)));
    sources_text(r.sources, "      ", out);
  }
  return out;
}

std::string chain_json(Why& why, const std::vector<WhyRelation>& chain, bool reversed) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("reversed");
  json.boolean(reversed);
  write_relations(why, json, "chain", chain);
  json.end_object();
  return out + "\n";
}

} // namespace pupc::cli
