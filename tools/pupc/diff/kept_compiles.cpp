#include "tools/pupc/diff/kept_compiles.h"

#include "catalog/value/digest.h"
#include "tools/pupc/file_states.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace pupc::cli {
namespace {

using compiler::Dependencies;

constexpr CacheKind looked_at_kind{"diff-nodes", 1, 16};
constexpr CacheKind answer_kind{"diff-answer", 1, 64};

constexpr Dependencies::Set Dependencies::*all_sets[] = {&Dependencies::names, &Dependencies::files, &Dependencies::places,
                                                         &Dependencies::data,  &Dependencies::keys,  &Dependencies::directories};

/// Texts and sets that many nodes share, each written once.
class SetWriter {
public:
  uint64_t number_of(const Dependencies::Set& set) {
    std::vector<uint64_t> members;
    for (const std::string& text : set) {
      const auto [at, fresh] = texts_.try_emplace(text, texts_.size());
      if (fresh) ordered_texts_.push_back(text);
      members.push_back(at->second);
    }
    const auto [at, fresh] = sets_.try_emplace(std::move(members), sets_.size());
    if (fresh) ordered_sets_.push_back(&at->first);
    return at->second;
  }
  void write(CacheWriter& w) const {
    w.strings(ordered_texts_);
    w.number(ordered_sets_.size());
    for (const auto* set : ordered_sets_) {
      w.number(set->size());
      for (const uint64_t member : *set) w.number(member);
    }
  }

private:
  std::map<std::string, uint64_t> texts_;
  std::vector<std::string> ordered_texts_;
  std::map<std::vector<uint64_t>, uint64_t> sets_;
  std::vector<const std::vector<uint64_t>*> ordered_sets_;
};

std::vector<Dependencies::Set> read_sets(CacheReader& r) {
  std::vector<std::string_view> texts(r.count());
  for (std::string_view& text : texts) text = r.view();
  std::vector<Dependencies::Set> sets(r.count());
  for (Dependencies::Set& set : sets)
    for (size_t n = r.count(); n > 0; --n) {
      const uint64_t text = r.number();
      if (text >= texts.size()) throw BadCache{};
      set.emplace_hint(set.end(), texts[text]);
    }
  return sets;
}

bool all_still_so(const std::vector<std::string>& states) { return std::ranges::all_of(states, still_so); }

} // namespace

std::optional<std::vector<std::string>> file_states(const std::vector<std::string>& paths, std::chrono::system_clock::time_point start) {
  compiler::DirectoryListing listing;
  FileStates states(listing);
  for (const std::string& path : paths) states.add(path);
  if (!states.complete() || !states.settled_before(start)) return std::nullopt;
  return states.take();
}

std::string KeptCompiles::file_key(std::string_view what, const std::string& of) const {
  return catalog::hex_digest(catalog::DigestAlgorithm::Sha256, fmt::format("{}\n{}\n{}", what, of, key_));
}

LookedAt KeptCompiles::looked_at(const std::string& commit) const {
  LookedAt out;
  if (directory_.empty() || commit.empty()) return out;
  const auto text = read_cache(directory_, looked_at_kind, file_key("nodes", commit));
  if (!text) return out;
  try {
    CacheReader r(*text);
    if (!all_still_so(r.strings())) return out;
    const std::vector<Dependencies::Set> sets = read_sets(r);
    for (size_t n = r.count(); n > 0; --n) {
      Dependencies& node = out[r.string()];
      for (const auto member : all_sets) {
        const uint64_t set = r.number();
        if (set >= sets.size()) throw BadCache{};
        node.*member = sets[set];
      }
    }
  } catch (const BadCache&) { out.clear(); }
  return out;
}

void KeptCompiles::keep(const std::string& commit, const LookedAt& nodes, const std::vector<std::string>& states) const {
  if (directory_.empty() || commit.empty()) return;
  SetWriter sets;
  CacheWriter list;
  list.number(nodes.size());
  for (const auto& [name, node] : nodes) {
    list.string(name);
    for (const auto member : all_sets) list.number(sets.number_of(node.*member));
  }
  CacheWriter w;
  w.strings(states);
  sets.write(w);
  write_cache(directory_, looked_at_kind, file_key("nodes", commit), w.text() + list.text());
}

std::optional<KeptAnswer> KeptCompiles::answer(const std::string& comparison) const {
  if (directory_.empty() || comparison.empty()) return std::nullopt;
  const auto text = read_cache(directory_, answer_kind, file_key("answer", comparison));
  if (!text) return std::nullopt;
  try {
    CacheReader r(*text);
    if (!all_still_so(r.strings())) return std::nullopt;
    KeptAnswer out;
    out.code = static_cast<int>(r.number());
    out.output = r.string();
    out.summary = r.string();
    return out;
  } catch (const BadCache&) { return std::nullopt; }
}

void KeptCompiles::keep(const std::string& comparison, const KeptAnswer& answer, const std::vector<std::string>& states) const {
  if (directory_.empty() || comparison.empty()) return;
  CacheWriter w;
  w.strings(states);
  w.number(static_cast<uint64_t>(answer.code));
  w.string(answer.output);
  w.string(answer.summary);
  write_cache(directory_, answer_kind, file_key("answer", comparison), w.text());
}

} // namespace pupc::cli
