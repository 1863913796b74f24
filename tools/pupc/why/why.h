#pragma once
// Explains why a resource is in a catalog, why its attributes have their values, and what it waits for.
#include "catalog/graph/catalog.h"
#include "tools/pupc/why/origins.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// A place in a file, for display.
struct WhyPlace {
  std::string file; // relative to the working directory if below it; empty: unknown
  uint32_t line = 0;
  std::string text() const; // "site.pp:3", "" when unknown
};

/// The source of a value.
struct WhySource {
  std::string by;   // its name in the JSON output: body, default_body, splat, resource_default, override, …
  std::string text; // "resource default"
  WhyPlace place;
  std::string key;            // the data key
  std::vector<WhyPlace> data; // places of the key in data files, or names of hierarchy entries without a file
  std::string from;           // the resource that passed the value, or the node that exported it
  std::string variable;       // the value is this variable, a parameter of `from`
  std::vector<WhySource> variable_sources;
};

struct WhyAttribute {
  std::string name;
  std::string value; // JSON, or "(sensitive)"
  bool sensitive = false;
  std::vector<WhySource> sources;  // several where values were appended
  std::vector<WhySource> replaced; // earlier sources that these replaced
};

struct WhyDeclaration {
  std::string reference;
  std::string how; // "resource expression", "include", "node definition"
  WhyPlace place;
  std::string in; // the container whose body declares it
};

/// A relation: `first` is done before `then`.
struct WhyRelation {
  ResourceId first = no_resource, then = no_resource;
  ResourceId holder = no_resource; // the resource whose attribute says so
  std::string attribute; // require, before, notify, subscribe; "contains" for containment; "autorequire" for a relation that the type adds
  std::vector<WhySource> sources;
  ResourceId through = no_resource; // the container whose relation applies
};

struct WhyAnswer {
  ResourceId id = no_resource;
  std::string reference;
  bool is_virtual = false;
  std::vector<WhyDeclaration> declared; // the resource, its container, and so on
  std::vector<WhyDeclaration> again;    // further includes of a class
  std::vector<WhyPlace> realized;
  std::vector<WhyAttribute> attributes;
  std::vector<std::string> contained_in;                     // the nearest first, the stage last
  std::vector<std::pair<std::string, std::string>> contains; // pairs of container and member among the resource and its containers
  std::vector<WhyRelation> waits_for, waited_for;
};

/// Answers questions about one compiled catalog.
class Why {
public:
  /// Both arguments must outlive this object.
  Why(Catalog& catalog, const OriginRecorder& origins);

  /// Finds the resource "Type[title]". The type may be in any letter case, the title with or without quotes. On failure it returns
  /// no_resource and `problem` gets the reason.
  ResourceId find(std::string_view reference, std::string& problem) const;
  WhyAnswer answer(ResourceId id);
  /// The shortest chain that makes `first` be done before `then`; empty when there is none.
  std::vector<WhyRelation> chain(ResourceId first, ResourceId then);
  std::string name(ResourceId id) const { return catalog_.reference(id); }

private:
  WhyPlace place(const OriginPlace& at) const;
  std::string shown_path(const std::string& path) const;
  WhyDeclaration declaration(ResourceId id, const DeclarationOrigin& declared) const;
  WhySource source(ResourceId id, const SettingOrigin& setting, int depth);
  std::vector<WhySource> sources(ResourceId id, const std::vector<const SettingOrigin*>& settings, int depth);
  void follow_variable(ResourceId id, const SettingOrigin& setting, WhySource& out, int depth);
  uint32_t key_line(const std::string& file, const std::string& key);
  std::string value_text(const Value& v, bool sensitive);
  ResourceId resolve(const Value& reference) const;
  void collect_relations();
  std::vector<WhySource> relation_sources(const WhyRelation& relation);
  std::vector<ResourceId> containers(ResourceId id) const; // the nearest first, the stage last

  Catalog& catalog_;
  const OriginRecorder& origins_;
  std::string here_; // the working directory
  std::map<std::pair<std::string, std::string>, uint32_t> key_lines_;
  std::vector<std::vector<ResourceId>> parents_, children_;
  std::vector<WhyRelation> relations_; // without sources
};

/// A source as one line of text.
std::string source_text(const WhySource& source);

std::string why_text(Why& why, const WhyAnswer& answer);
std::string why_json(Why& why, const WhyAnswer& answer);
std::string why_dot(Why& why, const WhyAnswer& answer);
std::string why_html(Why& why, const WhyAnswer& answer);
/// Prints a chain between two resources. `reversed`: the second one is done first.
std::string chain_text(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed);
std::string chain_json(Why& why, const std::vector<WhyRelation>& chain, bool reversed);
std::string chain_dot(Why& why, const std::vector<WhyRelation>& chain);
std::string chain_html(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed);

} // namespace pupc::cli
