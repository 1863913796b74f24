#include "catalog/graph/catalog.h"

#include "catalog/base/text_hash.h"
#include "catalog/graph/tags.h"

#include <algorithm>

namespace pupc::catalog {

std::string_view name_of(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::Unknown: return "unknown";
  case ResourceKind::CompilableType: return "compilable_type";
  case ResourceKind::CodeUnit: return "defined_type";
  case ResourceKind::Class: return "class";
  }
  return "unknown";
}

size_t ReferenceIndex::hash(TypeId type, std::string_view key) { return hash_of_text(key) ^ (type * 0x9E3779B97F4A7C15ull); }

ResourceId ReferenceIndex::find(TypeId type, std::string_view key) const {
  if (slots_.empty()) return no_resource;
  size_t mask = slots_.size() - 1;
  for (size_t i = hash(type, key) & mask;; i = (i + 1) & mask) {
    const Slot& s = slots_[i];
    if (s.id == no_resource) return no_resource;
    if (s.type == type && s.key == key) return s.id;
  }
}

void ReferenceIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  size_t mask = slots_.size() - 1;
  for (const Slot& s : old) {
    if (s.id == no_resource) continue;
    size_t i = hash(s.type, s.key) & mask;
    while (slots_[i].id != no_resource) i = (i + 1) & mask;
    slots_[i] = s;
  }
}

bool ReferenceIndex::insert(TypeId type, std::string_view key, ResourceId id) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  size_t mask = slots_.size() - 1;
  size_t i = hash(type, key) & mask;
  for (; slots_[i].id != no_resource; i = (i + 1) & mask)
    if (slots_[i].type == type && slots_[i].key == key) return false;
  slots_[i] = {key, type, id};
  ++used_;
  return true;
}

Catalog::Catalog() {
  files_.push_back({}); // index 0: no file
  type_id("class");
  type_id("node");
  type_id("stage");
}

TypeId Catalog::type_id(std::string_view lower_name, const ResourceTypeInfo* info) {
  auto it = type_ids_.find(lower_name);
  if (it != type_ids_.end()) {
    if (info != nullptr) types_[it->second].info = info;
    return it->second;
  }
  auto id = static_cast<TypeId>(types_.size());
  std::string_view key = arena_.copy(lower_name);
  types_.push_back({key, arena_.copy(capitalize_segments(lower_name)), info});
  type_ids_.emplace(key, id);
  return id;
}

TypeId Catalog::find_type(std::string_view lower_name) const {
  auto it = type_ids_.find(lower_name);
  return it == type_ids_.end() ? no_type : it->second;
}

ResourceId Catalog::add(TypeId type, std::string_view title, ResourceKind kind) {
  auto id = static_cast<ResourceId>(resources_.size());
  std::string_view stored = arena_.copy(title);
  if (!index_.insert(type, stored, id)) return no_resource;
  Resource& r = resources_.emplace_back();
  r.title = stored;
  r.type = type;
  r.kind = kind;
  return id;
}

bool Catalog::add_alias(ResourceId id, std::string_view key) {
  TypeId type = resources_[id].type;
  ResourceId present = index_.find(type, key);
  if (present != no_resource) return present == id;
  return index_.insert(type, arena_.copy(key), id);
}

std::string Catalog::reference(ResourceId id) const {
  std::string out;
  append_reference(out, id);
  return out;
}

void Catalog::append_reference(std::string& out, ResourceId id) const {
  const Resource& r = resources_[id];
  out.append(type_name(r.type)).append("[").append(r.title).append("]");
}

void Catalog::reserve_params(ResourceId id, uint32_t count) {
  Resource& r = resources_[id];
  if (count <= r.param_capacity) return;
  Param* grown = arena_.make_array<Param>(count);
  std::copy_n(r.params, r.param_count, grown);
  r.params = grown;
  r.param_capacity = count;
}

Param& Catalog::set_param(ResourceId id, const Param& param) {
  if (Param* present = resources_[id].find(param.name)) {
    *present = param;
    return *present;
  }
  Resource& r = resources_[id];
  if (r.param_count == r.param_capacity) reserve_params(id, std::max<uint32_t>(4, r.param_capacity * 2));
  r.params[r.param_count] = param;
  return r.params[r.param_count++];
}

TagId Catalog::tag_id(std::string_view text) {
  auto it = tag_ids_.find(text);
  if (it != tag_ids_.end()) return it->second;
  auto id = static_cast<TagId>(tag_texts_.size());
  std::string_view stored = arena_.copy(text);
  tag_texts_.push_back(stored);
  tag_ids_.emplace(stored, id);
  tag_marks_.push_back(0);
  return id;
}

std::optional<TagId> Catalog::find_tag(std::string_view text) const {
  auto it = tag_ids_.find(text);
  if (it == tag_ids_.end()) return std::nullopt;
  return it->second;
}

bool Catalog::add_tag_to(Resource& r, TagId tag) {
  if (std::find(r.tags, r.tags + r.tag_count, tag) != r.tags + r.tag_count) return false;
  if (r.tag_count == r.tag_capacity) {
    r.tag_capacity = std::max<uint32_t>(4, r.tag_capacity * 2);
    TagId* grown = arena_.make_array<TagId>(r.tag_capacity);
    std::copy_n(r.tags, r.tag_count, grown);
    r.tags = grown;
  }
  r.tags[r.tag_count++] = tag;
  return true;
}

bool Catalog::add_tag(ResourceId id, TagId tag) { return add_tag_to(resources_[id], tag); }

bool Catalog::tag(ResourceId id, std::string_view text) {
  if (!valid_tag(text)) return false;
  std::string low = downcase_name(text);
  if (add_tag(id, tag_id(low)) && low.find("::") != std::string::npos) {
    // Puppet keeps leading empty segments as tags, but not trailing ones.
    for (auto segment : split_segments(low)) add_tag(id, tag_id(segment));
  }
  return true;
}

void Catalog::merge_tags(ResourceId into, ResourceId from) {
  Resource& a = resources_[into];
  const Resource& b = resources_[from];
  if (b.tag_count == 0 || into == from) return;
  ++tag_generation_;
  for (TagId t : a.tag_ids()) tag_marks_[t] = tag_generation_;
  uint32_t fresh = 0;
  for (TagId t : b.tag_ids()) fresh += tag_marks_[t] != tag_generation_;
  if (fresh == 0) return;
  if (a.tag_count + fresh > a.tag_capacity) {
    a.tag_capacity = a.tag_count + fresh;
    TagId* grown = arena_.make_array<TagId>(a.tag_capacity);
    std::copy_n(a.tags, a.tag_count, grown);
    a.tags = grown;
  }
  for (TagId t : b.tag_ids())
    if (tag_marks_[t] != tag_generation_) a.tags[a.tag_count++] = t;
}

bool Catalog::add_own_tag(TagId tag) {
  if (tagged(tag)) return false;
  if (tag >= tagged_.size()) tagged_.resize(std::max<size_t>(tag_texts_.size(), tag + 1), false);
  tagged_[tag] = true;
  tags_.push_back(tag);
  return true;
}

void Catalog::add_class(std::string_view class_name) {
  classes_.push_back(arena_.copy(class_name));
  tag(class_name);
}

void Catalog::tag(std::string_view tag_name) {
  const std::string low = downcase_name(tag_name);
  if (add_own_tag(tag_id(low)) && low.find("::") != std::string::npos)
    for (auto segment : split_segments(low)) add_own_tag(tag_id(segment));
}

void Catalog::merge_tags_from(ResourceId id) {
  for (TagId t : resources_[id].tag_ids()) add_own_tag(t);
}

bool Catalog::tagged(TagId tag) const { return tag < tagged_.size() && tagged_[tag]; }

uint32_t Catalog::file_index(std::string_view path) {
  auto it = file_ids_.find(path);
  if (it != file_ids_.end()) return it->second;
  auto index = static_cast<uint32_t>(files_.size());
  std::string_view stored = arena_.copy(path);
  files_.push_back(stored);
  file_ids_.emplace(stored, index);
  return index;
}

void Catalog::add_edge(ResourceId from, ResourceId to) {
  edges_.push_back({from, to});
  if (resources_[to].type == class_type) class_edges_.insert((uint64_t(from) << 32) | to);
}

bool Catalog::contains_class(ResourceId from, ResourceId class_id) const {
  return class_edges_.count((uint64_t(from) << 32) | class_id) != 0;
}

std::vector<ContainmentEdge> Catalog::edges_by_target() const {
  std::vector<uint32_t> starts(resources_.size() + 1, 0);
  for (const auto& e : edges_) ++starts[e.to + 1];
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<ContainmentEdge> out(edges_.size());
  for (const auto& e : edges_) out[starts[e.to]++] = e;
  return out;
}

void Catalog::children(std::vector<uint32_t>& starts, std::vector<ResourceId>& targets) const {
  starts.assign(resources_.size() + 1, 0);
  targets.resize(edges_.size());
  for (const auto& e : edges_) ++starts[e.from + 1];
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<uint32_t> at(starts.begin(), starts.end() - 1);
  for (const auto& e : edges_) targets[at[e.from]++] = e.to;
}

} // namespace pupc::catalog
