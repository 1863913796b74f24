#include "tools/pupc/why/origins.h"

#include <algorithm>

namespace pupc::cli {

void DataPlaces::enter(Node node, std::string_view name, std::string_view) { stack_.push_back({node, std::string(name)}); }

void DataPlaces::found(std::string_view key, const Value&) {
  DataPlace place;
  bool in_provider = false;
  for (const Step& step : stack_) {
    if (step.node == Node::Meta) return; // lookup_options control the lookup, they are not the value
    if (step.node == Node::Interpolation) place.interpolated = true;
    if (step.node == Node::Scope && place.interpolated) return;             // an interpolated variable, not data
    if (step.node == Node::Segment || step.node == Node::SubLookup) return; // the event of the root key covers it
    if (step.node == Node::DataProvider) {
      in_provider = true;
      place.entry = step.name;
      place.file.clear();
    }
    if (step.node == Node::Location || step.node == Node::Uri) place.file = step.name;
  }
  if (!in_provider) return;
  place.key = key;
  found_.push_back(std::move(place));
}

std::vector<const SettingOrigin*> ResourceOrigins::effective(Symbol name) const {
  std::vector<const SettingOrigin*> out;
  for (const SettingOrigin& s : settings) {
    if (s.name != name) continue;
    if (!s.appended) out.clear();
    out.push_back(&s);
  }
  return out;
}

std::vector<const SettingOrigin*> ResourceOrigins::replaced(Symbol name) const {
  std::vector<const SettingOrigin*> out, now;
  for (const SettingOrigin& s : settings) {
    if (s.name != name) continue;
    if (!s.appended) {
      out.insert(out.end(), now.begin(), now.end());
      now.clear();
    }
    now.push_back(&s);
  }
  return out;
}

ResourceOrigins& OriginRecorder::at(ResourceId id) {
  if (id >= resources_.size()) resources_.resize(id + 1);
  return resources_[id];
}

const ResourceOrigins& OriginRecorder::of(ResourceId id) const {
  static const ResourceOrigins none;
  return id < resources_.size() ? resources_[id] : none;
}

void OriginRecorder::declared(ResourceId id, DeclaredBy how, const OriginPlace& place, ResourceId container, std::string_view detail) {
  at(id).declared = {how, place, container, std::string(detail)};
}

void OriginRecorder::included_again(ResourceId id, const OriginPlace& place, ResourceId container) {
  at(id).again.push_back({DeclaredBy::Call, place, container, {}});
}

void OriginRecorder::parameter_set(ResourceId id, const Param& param, ParamSource source, const OriginPlace& place, bool appended,
                                   ResourceId from) {
  SettingOrigin s{param.name, param.value, source, place, appended, from, {}, {}};
  if (source == ParamSource::Data) {
    s.key = key_;
    s.data = data_.take();
    // Events of lookups inside of a value arrive before that of the value: put the value's own place first.
    std::stable_partition(s.data.begin(), s.data.end(), [](const DataPlace& p) { return !p.interpolated; });
  }
  at(id).settings.push_back(std::move(s));
}

Explainer* OriginRecorder::data_lookup(ResourceId, std::string_view key) {
  key_ = key;
  data_.start();
  return &data_;
}

} // namespace pupc::cli
