#pragma once
// Records where resources and parameters come from during a compile, for `pupc why`.
#include "compiler/hiera/explain.h"
#include "compiler/resources/origin_observer.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc::cli {

/// A place in a data file where a value was found.
struct DataPlace {
  std::string file;  // path or URI; empty for a data function without a file
  std::string entry; // name of the hierarchy entry
  std::string key;
  bool interpolated = false; // found by a `%{lookup(…)}` inside of the value
};

/// Records the places where a lookup found values.
class DataPlaces final : public Explainer {
public:
  /// Forgets what was recorded, before the next lookup.
  void start() {
    stack_.clear();
    found_.clear();
  }
  /// The places of the lookup that has ended, in the order in which they were read.
  std::vector<DataPlace> take() { return std::move(found_); }

  void enter(Node node, std::string_view name, std::string_view detail) override;
  void leave() override {
    if (!stack_.empty()) stack_.pop_back();
  }
  void found(std::string_view key, const Value& value) override;

private:
  struct Step {
    Node node;
    std::string name;
  };
  std::vector<Step> stack_;
  std::vector<DataPlace> found_;
};

struct DeclarationOrigin {
  DeclaredBy how = DeclaredBy::Expression;
  OriginPlace place;
  ResourceId container = no_resource;
  std::string detail;
};

/// One time that a parameter got a value.
struct SettingOrigin {
  Symbol name;
  Value value;
  ParamSource source = ParamSource::Unknown;
  OriginPlace place;
  bool appended = false;
  ResourceId from = no_resource; // the container that passed the value
  std::string key;               // the data key
  std::vector<DataPlace> data;
};

struct ResourceOrigins {
  std::optional<DeclarationOrigin> declared;
  std::vector<DeclarationOrigin> again; // further includes of a class
  std::vector<OriginPlace> realized;
  std::vector<SettingOrigin> settings;

  /// The settings that make up a parameter's value: the last that replaced it and what was appended since.
  std::vector<const SettingOrigin*> effective(Symbol name) const;
  /// Those before that.
  std::vector<const SettingOrigin*> replaced(Symbol name) const;
};

class OriginRecorder final : public OriginObserver {
public:
  /// What is known of a resource of the catalog; without a declaration for one that the compiler itself made.
  const ResourceOrigins& of(ResourceId id) const;

  void declared(ResourceId id, DeclaredBy how, const OriginPlace& place, ResourceId container, std::string_view detail) override;
  void included_again(ResourceId id, const OriginPlace& place, ResourceId container) override;
  void realized(ResourceId id, const OriginPlace& place) override { at(id).realized.push_back(place); }
  void parameter_set(ResourceId id, const Param& param, ParamSource source, const OriginPlace& place, bool appended,
                     ResourceId from) override;
  Explainer* data_lookup(ResourceId id, std::string_view key) override;

private:
  ResourceOrigins& at(ResourceId id);
  std::vector<ResourceOrigins> resources_;
  DataPlaces data_;
  std::string key_;
};

} // namespace pupc::cli
