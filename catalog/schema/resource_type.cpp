#include "catalog/schema/resource_type.h"

#include "catalog/schema/metaparameters.h"
#include "catalog/value/regex.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::catalog {
namespace {

// The pattern for "the whole title", which a type has when it declares no patterns.
constexpr std::string_view whole_title = "(.*)";
constexpr std::string_view generated_whole_title = "(?m-ix:(.*))"; // the same as `puppet generate types` writes it
// The only pattern of File (type/file.rb of Puppet): a trailing slash is not part of a path.
constexpr std::string_view file_title = R"(^(/|.+:/|.*[^/])/*\Z)";

size_t slot_of(Symbol name, size_t mask) { return std::hash<Symbol>{}(name)&mask; }

} // namespace

ResourceTypeInfo::ResourceTypeInfo(const TypeSchema& schema, std::unique_ptr<const TitleCode> code, std::function<bool()> has_provider)
    : name_(schema.name), file_(schema.file), dynamic_(schema.dynamic), dynamic_titles_(schema.dynamic_titles), origin_(schema.origin),
      isomorphic_(schema.isomorphic), rule_(TitleRule::Patterns), code_(std::move(code)), has_provider_(std::move(has_provider)) {
  attributes_.reserve(schema.attributes.size() + 1);
  for (auto kind : {AttributeKind::Property, AttributeKind::Parameter})
    for (const auto& a : schema.attributes)
      if (a.kind == kind) attributes_.push_back({intern(a.name), a.kind, a.namevar});
  if (has_provider_) attributes_.push_back({sym::provider, AttributeKind::Parameter, false});
  size_t capacity = 8;
  while (capacity < attributes_.size() * 2) capacity *= 2;
  index_.assign(capacity, 0);
  for (uint32_t i = 0; i < attributes_.size(); ++i) {
    size_t slot = slot_of(attributes_[i].name, capacity - 1);
    while (index_[slot] != 0) slot = (slot + 1) & (capacity - 1);
    index_[slot] = i + 1;
    if (attributes_[i].namevar) namevars_.push_back(attributes_[i].name);
  }
  sorted_namevars_ = namevars_;
  std::sort(sorted_namevars_.begin(), sorted_namevars_.end(), [](Symbol a, Symbol b) { return a.str() < b.str(); });

  if (code_ != nullptr) {
    rule_ = TitleRule::Code;
    return;
  }
  // In Puppet a generated type without a namevar has no patterns, and the title becomes `name`.
  if (!dynamic_titles_.empty() || (origin_ == TypeOrigin::Generated && namevars_.empty())) {
    rule_ = TitleRule::Whole;
    return;
  }
  if (!schema.own_title_patterns && schema.title_patterns.empty()) {
    if (namevars_.size() == 1) rule_ = TitleRule::Whole;
    if (namevars_.size() > 1) rule_ = TitleRule::Unspecified;
    return; // without a namevar there is no pattern that could match
  }
  for (const auto& p : schema.title_patterns) {
    TitlePattern pattern;
    try {
      pattern.regex = std::make_unique<const Regex>(std::string(p.regex), (p.options & TitlePatternSchema::ignore_case) != 0,
                                                    (p.options & TitlePatternSchema::extended) != 0,
                                                    (p.options & TitlePatternSchema::multi_line) != 0);
    } catch (const RegexError& e) {
      dynamic_titles_ = fmt::format("invalid title pattern /{}/: {}", p.regex, e.message);
      patterns_.clear();
      rule_ = TitleRule::Whole;
      return;
    }
    for (auto attribute : p.attributes) pattern.attributes.push_back(intern(attribute));
    patterns_.push_back(std::move(pattern));
  }
  if (schema.title_patterns.size() == 1) {
    const auto& only = schema.title_patterns[0];
    bool one = only.options == TitlePatternSchema::multi_line && only.attributes.size() == 1 && namevars_.size() >= 1;
    bool whole = (one && only.regex == whole_title) ||
                 (only.regex == generated_whole_title && only.attributes.size() == 1 && !namevars_.empty());
    if (whole && patterns_[0].attributes[0] == namevars_[0]) rule_ = TitleRule::Whole;
    if (one && only.regex == file_title) rule_ = TitleRule::TrimSlashes;
  }
}

ResourceTypeInfo::~ResourceTypeInfo() = default;

const ResourceTypeInfo::Attribute* ResourceTypeInfo::find(Symbol name) const {
  size_t mask = index_.size() - 1;
  for (size_t slot = slot_of(name, mask); index_[slot] != 0; slot = (slot + 1) & mask)
    if (const Attribute& found = attributes_[index_[slot] - 1]; found.name == name)
      return &found == &attributes_.back() && lacks_provider() ? nullptr : &found;
  return nullptr;
}

bool ResourceTypeInfo::lacks_provider() const {
  if (!has_provider_) return false;
  std::call_once(provider_once_, [this] { lacks_provider_ = !has_provider_(); });
  return lacks_provider_;
}

bool ResourceTypeInfo::valid_attribute(Symbol name) const {
  if (find(name) || is_metaparameter(name)) return true;
  if (name == sym::name && origin_ != TypeOrigin::Generated) return true; // Puppet::Type.validattr? says so before it looks
  return !dynamic_.empty();
}

bool ResourceTypeInfo::split_title(std::string_view title, std::vector<TitlePart>& out) const {
  switch (rule_) {
  case TitleRule::Whole: out.push_back({namevars_.empty() ? sym::name : namevars_.front(), title}); return true;
  case TitleRule::Unspecified: return false;
  case TitleRule::Code: {
    std::string problem;
    return code_->split(title, out, problem);
  }
  case TitleRule::TrimSlashes:
    // In the pattern ^ matches at the start of any line, and \Z also before a final newline. So skip the regular expression only for
    // titles of one line without a trailing slash.
    if (!title.empty() && title.back() != '/' && title.find('\n') == std::string_view::npos) {
      out.push_back({patterns_[0].attributes[0], title});
      return true;
    }
    break;
  case TitleRule::Patterns: break;
  }
  size_t first = out.size();
  for (const auto& pattern : patterns_) {
    MatchResult match = pattern.regex->search(title);
    if (!match.matched) continue;
    for (size_t i = 0; i < pattern.attributes.size(); ++i) {
      TitlePart part{pattern.attributes[i], {}, true};
      if (i + 1 < match.groups.size() && match.groups[i + 1].begin >= 0) {
        const auto& g = match.groups[i + 1];
        part.value = title.substr(static_cast<size_t>(g.begin), static_cast<size_t>(g.end - g.begin));
        part.absent = false;
      }
      auto same = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                               [&](const TitlePart& p) { return p.name == part.name; });
      if (same == out.end())
        out.push_back(part);
      else
        *same = part;
    }
    return true;
  }
  return false;
}

std::string ResourceTypeInfo::title_problem(std::string_view title) const {
  if (rule_ == TitleRule::Unspecified) return "you must specify title patterns when there are two or more key attributes";
  if (rule_ == TitleRule::Code) {
    std::vector<TitlePart> parts;
    std::string problem;
    code_->split(title, parts, problem);
    return problem;
  }
  return fmt::format("No set of title patterns matched the title \"{}\".", title);
}

} // namespace pupc::catalog
