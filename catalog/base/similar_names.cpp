#include "catalog/base/similar_names.h"

#include "catalog/base/diagnostic.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace pupc::catalog {
namespace {

constexpr size_t most_apart = 6; // letters: names that differ in more are not much alike, however long they are

/// The distance where it is at most `bound`, else something larger. `row` is room to work in.
size_t edit_distance(std::string_view a, std::string_view b, size_t bound, std::vector<size_t>& row) {
  // Beginnings and ends that are equal cost nothing.
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (b.empty()) return a.size();
  row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    // Only cells near the diagonal can stay within the bound. All other cells count as larger than it.
    const size_t from = i > bound ? i - bound : 1, to = std::min(b.size(), i + bound);
    size_t diagonal = row[from - 1];
    row[from - 1] = from == 1 ? i : bound + 1;
    size_t least = row[from - 1];
    for (size_t j = from; j <= to; ++j) {
      const size_t up = j == i + bound ? bound + 1 : row[j];
      row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = up;
      least = std::min(least, row[j]);
    }
    if (least > bound) return least; // the minimum of a row never decreases
  }
  return row[b.size()];
}

/// How often the letters of a name stand in it: 16 counts of 4 bits, for letters with the same low bits together. A count ends at 7. Every
/// letter that one of two names has more often costs an edit step, so the counts give a cheap lower bound of the distance.
uint64_t letters_of(std::string_view name) {
  uint64_t out = 0;
  for (char c : name) {
    const unsigned place = (static_cast<unsigned char>(c) & 15U) * 4;
    out += uint64_t((out >> place & 7) != 7) << place;
  }
  return out;
}

/// How many letters the first name has more than the second, summed over the counts of letters.
size_t letters_more(uint64_t a, uint64_t b) {
  constexpr uint64_t tops = 0x8888888888888888, halves = 0x0F0F0F0F0F0F0F0F, ones = 0x0101010101010101;
  const uint64_t difference = (a | tops) - b; // of each count, with 8 added
  const uint64_t more = difference & tops;    // where it is not negative
  const uint64_t sums = difference & (more - (more >> 3));
  return static_cast<size_t>((((sums & halves) + (sums >> 4 & halves)) * ones) >> 56);
}

/// Whether the lengths of two names, or their letters, leave no distance within the bound.
bool too_long(std::string_view a, std::string_view b, size_t bound) {
  return (a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > bound;
}
bool too_strange(uint64_t a, uint64_t b, size_t bound) { return letters_more(a, b) > bound || letters_more(b, a) > bound; }

/// How far a name may be from the wanted one at most.
size_t first_bound(std::string_view wanted) { return std::clamp<size_t>(wanted.size() / 3, 1, most_apart); }

/// Distances from one name of at most 64 letters, by the algorithm of Myers: two words of bits hold a column of the table of distances
/// (where it steps up by one, and where down), so a letter of the other name costs some 20 operations.
class BitDistance {
public:
  static constexpr size_t most_letters = 64;
  explicit BitDistance(std::string_view name) : size_(name.size()) {
    for (size_t i = 0; i < name.size(); ++i) places_[static_cast<unsigned char>(name[i])] |= uint64_t(1) << i;
  }

  /// As edit_distance().
  size_t to(std::string_view other, size_t bound) const {
    if (size_ == 0) return other.size();
    uint64_t up = ~uint64_t(0), down = 0;
    size_t distance = size_; // in the last row
    for (size_t j = 0; j < other.size(); ++j) {
      const uint64_t same = places_[static_cast<unsigned char>(other[j])];
      const uint64_t vertical = same | down;
      const uint64_t horizontal = (((same & up) + up) ^ up) | same;
      uint64_t right_up = down | ~(horizontal | up), right_down = up & horizontal;
      distance += (right_up >> (size_ - 1)) & 1;
      distance -= (right_down >> (size_ - 1)) & 1;
      if (distance > bound + (other.size() - 1 - j)) return bound + 1; // each letter left can take one away
      right_up = right_up << 1 | 1;
      right_down <<= 1;
      up = right_down | ~(vertical | right_up);
      down = right_up & vertical;
    }
    return distance;
  }

private:
  size_t size_;
  std::array<uint64_t, 256> places_{}; // of each letter in the name
};

/// Whether two neighbours of one name stand the other way round in the other: one slip of the fingers, though two letters differ. Digits
/// have a meaning of their own.
bool has_swapped_letters(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin());
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return a.end() - in_a >= 2 && is_letter(in_a[0]) && is_letter(in_a[1]) && in_a[0] == in_b[1] && in_a[1] == in_b[0] &&
         std::equal(in_a + 2, a.end(), in_b + 2);
}

/// The best names so far, in order.
class Ranking {
public:
  Ranking(std::string_view wanted, size_t limit)
      : wanted_(wanted), letters_(letters_of(wanted)), limit_(limit), bound_(first_bound(wanted)) {
    if (wanted.size() <= BitDistance::most_letters) distance_.emplace(wanted);
  }

  /// `letters` is called only for names of a length that may do.
  template <class F> void add(std::string_view name, F letters) {
    if (too_long(wanted_, name, bound_) || too_strange(letters_, letters(), bound_)) return;
    size_t distance = distance_ ? distance_->to(name, bound_) : edit_distance(wanted_, name, bound_, row_);
    if (distance > 1 && has_swapped_letters(wanted_, name)) distance = 1;
    const std::pair<size_t, std::string_view> found(distance, name);
    if (found.first > bound_) return;
    const auto at = std::lower_bound(ranked_.begin(), ranked_.end(), found);
    if (at != ranked_.end() && *at == found) return;
    ranked_.insert(at, found);
    if (ranked_.size() > limit_) ranked_.pop_back();
    if (ranked_.size() == limit_ && limit_ > 0) bound_ = ranked_.back().first; // ignore worse names
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> out;
    for (const auto& [distance, name] : ranked_) out.push_back(name);
    return out;
  }

private:
  std::string_view wanted_;
  uint64_t letters_;
  size_t limit_, bound_;
  std::vector<std::pair<size_t, std::string_view>> ranked_;
  std::optional<BitDistance> distance_;
  std::vector<size_t> row_;
};

std::string question(const std::vector<std::string_view>& near) {
  return near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near[0]);
}

} // namespace

std::vector<std::string_view> similar_names(std::string_view wanted, const std::vector<std::string_view>& known, size_t limit) {
  Ranking ranking(wanted, limit);
  for (std::string_view name : known) ranking.add(name, [name] { return letters_of(name); });
  return ranking.names();
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& known) {
  return question(similar_names(wanted, known, 1));
}

bool may_be_similar(std::string_view wanted, std::string_view name) {
  const size_t bound = first_bound(wanted);
  return !too_long(wanted, name, bound) && !too_strange(letters_of(wanted), letters_of(name), bound);
}

void KnownNames::add(std::string_view name) { names_.push_back({name, letters_of(name)}); }

std::string did_you_mean(std::string_view wanted, std::initializer_list<const KnownNames*> known) {
  Ranking ranking(wanted, 1);
  for (const KnownNames* names : known)
    for (const KnownNames::Entry& e : names->names_) ranking.add(e.name, [&] { return e.letters; });
  return question(ranking.names());
}

} // namespace pupc::catalog
