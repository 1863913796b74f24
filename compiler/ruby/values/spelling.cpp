#include "compiler/ruby/values/spelling.h"

#include "catalog/base/text.h"
#include "compiler/ruby/values/ruby_value.h"

#include <algorithm>
#include <vector>

namespace pupc::compiler::ruby {
namespace {

/// The distance of Jaro and Winkler, from 0 (nothing in common) to 1 (equal), step by step as Ruby's checker computes it.
double jaro_winkler(std::string_view first, std::string_view second) {
  std::string_view a = first, b = second;
  if (a.size() > b.size()) std::swap(a, b);
  const size_t range = b.size() / 2 > 1 ? b.size() / 2 - 1 : 0;
  std::vector<bool> in_a(a.size()), in_b(b.size() + range + 1);
  double matches = 0, moved = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = i >= range ? i - range : 0; j <= i + range && j < b.size(); ++j)
      if (!in_b[j] && a[i] == b[j]) {
        in_a[i] = in_b[j] = true;
        ++matches;
        break;
      }
  if (matches == 0) return 0;
  for (size_t i = 0, k = 0; i < a.size(); ++i) {
    if (!in_a[i]) continue;
    while (k + 1 < b.size() && !in_b[k]) ++k;
    moved += a[i] != b[k];
    ++k;
  }
  const auto half = static_cast<double>(static_cast<size_t>(moved) / 2);
  const double jaro = (matches / static_cast<double>(a.size()) + matches / static_cast<double>(b.size()) + (matches - half) / matches) / 3;
  if (jaro <= 0.7) return jaro;
  size_t prefix = 0;
  while (prefix < 4 && prefix < first.size() && prefix < second.size() && first[prefix] == second[prefix]) ++prefix;
  return jaro + static_cast<double>(prefix) * 0.1 * (1 - jaro);
}

size_t levenshtein(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[b.size()];
}

} // namespace

std::optional<std::string> spelling_hint(std::string_view name, std::span<const SpellingWord> words) {
  if (!is_ascii(name)) return std::nullopt;
  const auto normalized = [](std::string_view word) {
    std::string out = ascii_lower(word);
    std::erase(out, '@');
    return out;
  };
  const std::string wanted = normalized(name);
  const double least = wanted.size() > 3 ? 0.834 : 0.77;
  struct Near {
    const SpellingWord* word;
    double likeness;
    size_t distance;
  };
  std::vector<Near> near;
  for (const SpellingWord& w : words) {
    if (!is_ascii(w.word)) return std::nullopt;
    const std::string lower = normalized(w.word);
    if (jaro_winkler(lower, wanted) >= least && w.word != name)
      near.push_back({&w, jaro_winkler(w.word, wanted), levenshtein(lower, wanted)});
  }
  std::vector<Near> chosen;
  for (const Near& n : near)
    if (n.distance <= (wanted.size() + 3) / 4) chosen.push_back(n);
  if (chosen.empty()) { // the most alike of those that are not wholly different
    for (const Near& n : near)
      if (n.distance < std::min(wanted.size(), normalized(n.word->word).size())) chosen.push_back(n);
    std::sort(chosen.begin(), chosen.end(), [](const Near& a, const Near& b) { return a.likeness > b.likeness; });
    if (chosen.size() > 1 && chosen[0].likeness - chosen[1].likeness < 1e-9) return std::nullopt;
    if (std::any_of(chosen.begin(), chosen.end(), [](const Near& n) { return !n.word->sure; })) return std::nullopt;
    if (chosen.size() > 1) chosen.resize(1);
  }
  if (chosen.empty()) return "";
  std::sort(chosen.begin(), chosen.end(), [](const Near& a, const Near& b) { return a.likeness > b.likeness; });
  std::string hint = "\nDid you mean?  ";
  for (size_t i = 0; i < chosen.size(); ++i) {
    // The order of words that are as much alike depends on how Ruby sorts.
    if (!chosen[i].word->sure || (i > 0 && chosen[i - 1].likeness - chosen[i].likeness < 1e-9)) return std::nullopt;
    hint += (i > 0 ? "\n               " : "") + std::string(chosen[i].word->word);
  }
  return hint;
}

} // namespace pupc::compiler::ruby
