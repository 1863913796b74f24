#include "runtime/transaction/secrets.h"

#include "catalog/base/stack.h"

#include <algorithm>
#include <cctype>

namespace pupc::runtime {

namespace {

constexpr size_t whole_word_below = 4; // shorter secrets occur within too many words

} // namespace

bool holds_sensitive(const Value& value) {
  check_native_stack();
  switch (value.kind) {
  case Kind::Sensitive: return true;
  case Kind::List: return std::any_of(value.items().begin(), value.items().end(), holds_sensitive);
  case Kind::Hash:
    return std::any_of(value.hash->entries().begin(), value.hash->entries().end(),
                       [](const HashEntry& e) { return holds_sensitive(e.key) || holds_sensitive(e.value); });
  default: return false;
  }
}

void Secrets::add(std::string_view text) {
  static constexpr std::string_view common[] = {"true", "false", "present", "absent", "undef", "default"};
  if (text.empty() || std::find(std::begin(common), std::end(common), text) != std::end(common)) return;
  if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.emplace_back(text);
}

void Secrets::collect(const Value& value, bool sensitive) {
  check_native_stack();
  switch (value.kind) {
  case Kind::Sensitive: return collect(value.unwrap(), true);
  case Kind::List:
    for (const Value& v : value.items()) collect(v, sensitive);
    return;
  case Kind::Hash:
    for (const HashEntry& e : value.hash->entries()) {
      collect(e.key, sensitive);
      collect(e.value, sensitive);
    }
    return;
  case Kind::String:
  case Kind::Binary:
  case Kind::Int: {
    if (!sensitive) return;
    const std::string text = value_text(value);
    add(text);
    // A tool may print the value of an environment setting "NAME=value" alone.
    if (const size_t mark = text.find('=');
        mark != std::string::npos && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == mark)
      add(std::string_view(text).substr(mark + 1));
    // A message may quote a single line of the text, or the text without blanks at its ends.
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const size_t first = text.find_first_not_of(" \t\r", at);
      if (first < end) {
        const size_t last = text.find_last_not_of(" \t\r", end - 1);
        if (last + 1 - first >= 8 || (at == 0 && end >= text.size() - 1)) add(std::string_view(text).substr(first, last + 1 - first));
      }
      at = end + 1;
    }
    return;
  }
  default: return;
  }
}

void Secrets::take(const ManagedResource& resource) {
  texts_.clear();
  for (const ManagedAttribute& a : resource.attributes) collect(a.value, a.sensitive);
  std::stable_sort(texts_.begin(), texts_.end(), [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string Secrets::hide(std::string_view text) const {
  std::string out(text);
  static constexpr std::string_view instead = "[redacted]";
  auto in_word = [&](size_t at) { return at < out.size() && (std::isalnum(static_cast<unsigned char>(out[at])) || out[at] == '_'); };
  for (const std::string& secret : texts_)
    for (size_t at = 0; (at = out.find(secret, at)) != std::string::npos;) {
      const bool part = secret.size() < whole_word_below &&
                        ((at > 0 && in_word(at) && in_word(at - 1)) || (in_word(at + secret.size() - 1) && in_word(at + secret.size())));
      // A match inside an earlier "[redacted]" is no secret.
      const size_t mark = out.rfind(instead, at);
      if (part || (mark != std::string::npos && at + secret.size() <= mark + instead.size())) {
        ++at;
        continue;
      }
      out.replace(at, secret.size(), instead);
      at += instead.size();
    }
  return out;
}

} // namespace pupc::runtime
