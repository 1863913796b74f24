#include "catalog/value/regex.h"

#include "catalog/base/limits.h"
#include "catalog/value/plain_pattern.h"
#include "catalog/value/ruby_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <oniguruma.h>

namespace pupc::catalog {
namespace {

// Ten million backtracking steps take about 0.3 s. Each backtracking point takes about 50 bytes.
constexpr unsigned long most_steps_at_one_place = 10'000'000, most_steps = 40'000'000;
constexpr unsigned most_kept_steps = 4'000'000;

void initialise_library() {
  static const bool once = [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
    onig_set_retry_limit_in_match(most_steps_at_one_place);
    onig_set_retry_limit_in_search(most_steps);
    onig_set_match_stack_limit_size(most_kept_steps);
    return true;
  }();
  (void)once;
}

const OnigUChar* bytes(std::string_view s) { return reinterpret_cast<const OnigUChar*>(s.data()); }

[[noreturn]] void fail_search(int code, std::string_view source) {
  if (code == ONIGERR_MEMORY) throw std::bad_alloc();
  OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
  const int n = onig_error_code_to_str(text, code);
  throw_error(ErrorCode::pattern_limit, {},
              fmt::format("the regular expression /{}{}/ takes too many steps to match ({})", source.substr(0, 200),
                          source.size() > 200 ? "…" : "", std::string_view(reinterpret_cast<char*>(text), static_cast<size_t>(n))));
}

/// Searches, and gives the places of the groups to `region`, where there is one.
bool found(regex_t* pattern, std::string_view source, std::string_view text, size_t start, OnigRegion* region) {
  const auto* begin = bytes(text);
  const auto* end = begin + text.size();
  static const OnigUChar nothing[1] = {0};
  if (text.data() == nullptr) begin = end = nothing;
  const int r = onig_search(pattern, begin, end, begin + start, end, region, ONIG_OPTION_NONE);
  check_time();
  if (r < 0 && r != ONIG_MISMATCH) fail_search(r, source);
  return r >= 0;
}

} // namespace

Regex::Regex(std::string source, bool ignore_case, bool extended, bool multi_line)
    : source_(std::move(source)), ignore_case_(ignore_case), extended_(extended), multi_line_(multi_line) {
  if (extended_ || !plainly_valid(source_)) compiled();
}

void Regex::compile() const {
  initialise_library();
  regex_t* reg = nullptr;
  OnigErrorInfo info{};
  OnigOptionType options = ONIG_OPTION_CAPTURE_GROUP;
  if (ignore_case_) options |= ONIG_OPTION_IGNORECASE;
  if (extended_) options |= ONIG_OPTION_EXTEND;
  if (multi_line_) options |= ONIG_OPTION_MULTILINE;
  // In Ruby numbered groups do not capture when the pattern has named groups. ONIG_OPTION_CAPTURE_GROUP would make them capture.
  options &= ~static_cast<OnigOptionType>(ONIG_OPTION_CAPTURE_GROUP);
  std::string pattern = oniguruma_pattern(source_, ignore_case_, extended_);
  int r = onig_new(&reg, bytes(pattern), bytes(pattern) + pattern.size(), options, ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
  if (r != ONIG_NORMAL) {
    OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
    int n = onig_error_code_to_str(text, r, &info);
    if (reg != nullptr) onig_free(reg);
    throw RegexError{std::string(reinterpret_cast<char*>(text), static_cast<size_t>(n))};
  }
  if (!ignore_case_ && !extended_) required_ = required_texts(source_);
  struct Named {
    std::string name;
    int first, last; // several groups may share a name: the last one counts, the first one tells the place
  };
  std::vector<Named> found;
  onig_foreach_name(
      reg,
      [](const OnigUChar* begin, const OnigUChar* end, int count, int* groups, OnigRegex, void* out) {
        static_cast<std::vector<Named>*>(out)->push_back(
            {std::string(reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)), groups[0], groups[count - 1]});
        return 0;
      },
      &found);
  // Oniguruma tells them in the order of a hash table, Ruby in that of the pattern.
  std::sort(found.begin(), found.end(), [](const Named& a, const Named& b) { return a.first < b.first; });
  for (Named& named : found) names_.emplace_back(std::move(named.name), named.last);
  compiled_.store(reg, std::memory_order_release);
}

/// What Oniguruma has made of the pattern, now if not before.
void* Regex::compiled() const {
  if (void* const made = compiled_.load(std::memory_order_acquire)) return made;
  std::call_once(once_, [this] { compile(); });
  return compiled_.load(std::memory_order_acquire);
}

Regex::~Regex() {
  if (void* const made = compiled_.load(std::memory_order_acquire)) onig_free(static_cast<regex_t*>(made));
}

/// Whether a pattern begins with ^ and a character as it is, which is the first of the required texts then.
static bool begins_at_line(std::string_view source) {
  if (source.size() < 2 || source[0] != '^') return false;
  const char c = source[1];
  const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ':' || c == '/' || c == '_';
  return plain && (source.size() == 2 || (source[2] != '*' && source[2] != '?' && source[2] != '{'));
}

/// Whether the pattern wants a beginning that the text, of one line, does not have.
static bool begins_otherwise(std::string_view source, const std::vector<std::string>& required, std::string_view text) {
  return !required.empty() && begins_at_line(source) && !text.starts_with(required[0]) && text.find('\n') == std::string_view::npos;
}

/// Whether a text has what every match of the pattern has. Most searches find nothing, and those end here.
bool Regex::may_match(std::string_view text) const {
  for (const std::string& part : required_) {
    const size_t at = text.find(part);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + part.size());
  }
  return true;
}

MatchResult Regex::search(std::string_view text, size_t start) const {
  struct Region {
    OnigRegion* at = onig_region_new();
    ~Region() { onig_region_free(at, 1); }
  };
  static thread_local Region region; // no search runs within another one of its thread
  MatchResult result;
  auto* const pattern = static_cast<regex_t*>(compiled());
  const bool otherwise = start == 0 && begins_otherwise(source_, required_, text);
  if (!otherwise && may_match(text.substr(std::min(start, text.size()))) && found(pattern, source_, text, start, region.at)) {
    result.matched = true;
    result.groups.resize(static_cast<size_t>(region.at->num_regs));
    for (int i = 0; i < region.at->num_regs; ++i) result.groups[static_cast<size_t>(i)] = {region.at->beg[i], region.at->end[i]};
  }
  return result;
}

bool Regex::matches(std::string_view text) const {
  auto* const pattern = static_cast<regex_t*>(compiled());
  return !begins_otherwise(source_, required_, text) && may_match(text) && found(pattern, source_, text, 0, nullptr);
}

namespace {

/// A pattern with its options in front, as the caches know it.
std::string cache_key(std::string_view source, bool ignore_case, bool extended, bool multi_line) {
  std::string key;
  key.reserve(source.size() + 1);
  key += static_cast<char>('0' + (ignore_case ? 1 : 0) + (extended ? 2 : 0) + (multi_line ? 4 : 0));
  key += source;
  return key;
}

std::shared_ptr<const Regex> compile_key(const std::string& key) {
  const int options = key[0] - '0';
  return std::make_shared<const Regex>(key.substr(1), (options & 1) != 0, (options & 2) != 0, (options & 4) != 0);
}

} // namespace

const Regex* RegexCache::get(std::string_view source, bool ignore_case, bool extended, bool multi_line) {
  std::string key = cache_key(source, ignore_case, extended, multi_line);
  std::lock_guard lock(mutex_);
  if (auto it = patterns_.find(key); it != patterns_.end()) return it->second.get();
  std::shared_ptr<const Regex> made;
  if (shared_ != nullptr) {
    std::lock_guard shared_lock(shared_->mutex_);
    made = shared_->make_recent(key);
  } else if (auto it = recent_by_key_.find(key); it != recent_by_key_.end()) {
    made = it->second->regex;
  } else {
    made = compile_key(key);
  }
  return patterns_.emplace(std::move(key), std::move(made)).first->second.get();
}

std::shared_ptr<const Regex> RegexCache::recent(std::string_view source, bool ignore_case, bool extended, bool multi_line) {
  if (shared_ != nullptr) return shared_->recent(source, ignore_case, extended, multi_line);
  std::lock_guard lock(mutex_);
  return make_recent(cache_key(source, ignore_case, extended, multi_line));
}

/// The pattern from those that are kept, or a new one as the most recent. The caller holds the lock.
std::shared_ptr<const Regex> RegexCache::make_recent(const std::string& key) {
  if (auto it = patterns_.find(key); it != patterns_.end()) return it->second;
  if (auto it = recent_by_key_.find(key); it != recent_by_key_.end()) {
    recent_.splice(recent_.begin(), recent_, it->second);
    return it->second->regex;
  }
  // Oniguruma does not tell what a compiled pattern takes. Measured: about 700 bytes, and 20 for each of its bytes.
  const size_t about = 1000 + key.size() * 24;
  recent_.push_front({key, compile_key(key), about});
  recent_by_key_.emplace(recent_.front().key, recent_.begin());
  recent_bytes_ += about;
  while (recent_.size() > 1 && (recent_.size() > most_recent || recent_bytes_ > most_recent_bytes)) drop_oldest();
  return recent_.front().regex;
}

void RegexCache::drop_oldest() {
  recent_bytes_ -= recent_.back().bytes;
  recent_by_key_.erase(recent_.back().key);
  recent_.pop_back();
}

size_t RegexCache::size() const {
  std::lock_guard lock(mutex_);
  return patterns_.size();
}

size_t RegexCache::recent_size() const {
  std::lock_guard lock(mutex_);
  return recent_.size();
}

} // namespace pupc::catalog
