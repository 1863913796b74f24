#pragma once
// Why a resource is in a catalog, why its attributes have their values, what it waits for.
#include "catalog/graph/catalog.h"
#include "tools/pupc/origins.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// A place as people read it.
struct WhyPlace {
  std::string file; // relative to the working directory where it is below; empty: unknown
  uint32_t line = 0;
  std::string text() const; // "site.pp:3", "" when unknown
};

/// Who gave a value.
struct WhySource {
  std::string by;   // what the JSON output calls it: body, default_body, splat, resource_default, override, …
  std::string text; // "resource default"
  WhyPlace place;
  std::string key;            // of data
  std::vector<WhyPlace> data; // its places in data files, or names of hierarchy entries without one
  std::string from;           // the resource that passed it, or the node that exported it
  std::string variable;       // the value is this variable, a parameter of `from`
  std::vector<WhySource> variable_sources;
};

struct WhyAttribute {
  std::string name;
  std::string value; // JSON, or "(sensitive)"
  bool sensitive = false;
  std::vector<WhySource> sources;  // several where values were appended
  std::vector<WhySource> replaced; // what they took the place of
};

struct WhyDeclaration {
  std::string reference;
  std::string how; // "resource expression", "include", "node definition"
  WhyPlace place;
  std::string in; // the container whose body declares it
};

/// That one resource is done before another.
struct WhyRelation {
  ResourceId first = no_resource, then = no_resource;
  ResourceId holder = no_resource; // whose attribute says so
  std::string attribute; // require, before, notify, subscribe; "contains" of what holds a resource; "autorequire": what its type adds
  std::vector<WhySource> sources;
  ResourceId through = no_resource; // the container that has the relation
};

struct WhyAnswer {
  ResourceId id = no_resource;
  std::string reference;
  bool is_virtual = false;
  std::vector<WhyDeclaration> declared; // it, its container, and so on
  std::vector<WhyDeclaration> again;    // further includes
  std::vector<WhyPlace> realized;
  std::vector<WhyAttribute> attributes;
  std::vector<std::string> contained_in;                     // the nearest first, the stage last
  std::vector<std::pair<std::string, std::string>> contains; // of it and these: which contains which
  std::vector<WhyRelation> waits_for, waited_for;
};

/// Answers questions about one compiled catalog.
class Why {
public:
  /// Both outlive this.
  Why(Catalog& catalog, const OriginRecorder& origins);

  /// The resource of "Type[title]", in any case of the type and with or without quotes; no_resource with what is wrong in `problem`.
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

/// How sources and resources are told in one line.
std::string source_text(const WhySource& source);

std::string why_text(Why& why, const WhyAnswer& answer);
std::string why_json(Why& why, const WhyAnswer& answer);
std::string why_dot(Why& why, const WhyAnswer& answer);
std::string why_html(Why& why, const WhyAnswer& answer);
/// A chain between two resources; `reversed`: the second one is done first.
std::string chain_text(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed);
std::string chain_json(Why& why, const std::vector<WhyRelation>& chain, bool reversed);
std::string chain_dot(Why& why, const std::vector<WhyRelation>& chain);
std::string chain_html(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed);

} // namespace pupc
