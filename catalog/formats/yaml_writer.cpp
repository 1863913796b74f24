#include "catalog/formats/yaml_writer.h"

#include "catalog/base/stack.h"
#include "catalog/base/text.h"
#include "catalog/value/base64.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/number_format.h"
#include "catalog/value/symbol_text.h"

#include <unordered_map>
#include <yaml.h>

namespace pupc::catalog {
namespace {

class Writer {
public:
  Writer(const YamlWriteOptions& options, RegexCache& regexes, const std::function<std::string(const Value&)>& text_of)
      : options_(options), regexes_(regexes), text_of_(text_of) {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_output(&emitter_, append, &out_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_indent(&emitter_, options.indentation);
    yaml_emitter_set_width(&emitter_, options.line_width);
    yaml_emitter_set_canonical(&emitter_, options.canonical ? 1 : 0);
  }
  ~Writer() { yaml_emitter_delete(&emitter_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  std::string document(const Value& value) {
    count(value);
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    emit(event);
    yaml_version_directive_t version{1, 1};
    yaml_document_start_event_initialize(&event, options_.version ? &version : nullptr, nullptr, nullptr, 0);
    emit(event);
    node(value);
    yaml_document_end_event_initialize(&event, 1);
    emit(event);
    yaml_stream_end_event_initialize(&event);
    emit(event);
    return std::move(out_);
  }

private:
  static int append(void* out, unsigned char* text, size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(text), size);
    return 1;
  }
  void emit(yaml_event_t& event) { yaml_emitter_emit(&emitter_, &event); }

  const void* identity(const Value& v) const {
    if (v.is_list() && v.list->size > 0) return v.list;
    if (v.is_hash() && v.hash->size > 0) return v.hash;
    return nullptr;
  }
  /// Counts the places of each list and hash, to find those that need an alias.
  void count(const Value& v) {
    check_native_stack();
    if (const void* same = identity(v); same != nullptr && ++uses_[same] > 1) return;
    if (v.is_list())
      for (const Value& item : v.items()) count(item);
    if (v.is_hash())
      for (const HashEntry& e : v.hash->entries()) {
        count(e.key);
        count(e.value);
      }
  }

  void node(const Value& v) {
    check_native_stack();
    yaml_event_t event;
    std::string anchor;
    if (const void* same = identity(v); same != nullptr && uses_[same] > 1) {
      auto [at, first] = anchors_.try_emplace(same, anchors_.size() + 1);
      anchor = std::to_string(at->second);
      if (!first) {
        yaml_alias_event_initialize(&event, reinterpret_cast<const yaml_char_t*>(anchor.c_str()));
        return emit(event);
      }
    }
    const auto* name = anchor.empty() ? nullptr : reinterpret_cast<const yaml_char_t*>(anchor.c_str());
    switch (v.kind) {
    case Kind::List:
      yaml_sequence_start_event_initialize(&event, name, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
      emit(event);
      for (const Value& item : v.items()) node(item);
      yaml_sequence_end_event_initialize(&event);
      return emit(event);
    case Kind::Hash:
      yaml_mapping_start_event_initialize(&event, name, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
      emit(event);
      for (const HashEntry& e : v.hash->entries()) {
        node(e.key);
        node(e.value);
      }
      yaml_mapping_end_event_initialize(&event);
      return emit(event);
    case Kind::Undef: return scalar("", "tag:yaml.org,2002:null", true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::Bool: return scalar(v.b ? "true" : "false", nullptr, true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::Default: return scalar(":default", nullptr, true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::Int: return scalar(std::to_string(v.i), nullptr, true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::Float:
      return scalar(v.d != v.d       ? ".nan"
                    : v.d - v.d != 0 ? (v.d < 0 ? "-.inf" : ".inf")
                                     : format_float(v.d),
                    nullptr, true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::Timestamp:
      if (!options_.times) return text(text_of_(v));
      return scalar(text_of_(v), nullptr, true, false, YAML_ANY_SCALAR_STYLE);
    case Kind::String:
      if (is_symbol(v)) return scalar(":" + std::string(v.str()), nullptr, true, false, YAML_ANY_SCALAR_STYLE);
      return is_bytes_text(v) && !is_ascii(v.str()) ? scalar(base64_encode(v.str()), "!binary", false, false, YAML_LITERAL_SCALAR_STYLE)
                                                    : text(v.str());
    default: return text(text_of_(v));
    }
  }

  void scalar(std::string_view s, const char* tag, bool plain, bool quoted, yaml_scalar_style_t style) {
    if (s.data() == nullptr) s = ""; // libyaml does not accept null for an empty text
    yaml_event_t event;
    yaml_scalar_event_initialize(&event, nullptr, reinterpret_cast<const yaml_char_t*>(tag), reinterpret_cast<const yaml_char_t*>(s.data()),
                                 static_cast<int>(s.size()), plain ? 1 : 0, quoted ? 1 : 0, style);
    emit(event);
  }

  /// Writes a text in the style that Psych chooses.
  void text(std::string_view s) {
    if (has(s, R"(\n(?!\Z))")) return scalar(s, nullptr, true, true, YAML_LITERAL_SCALAR_STYLE);
    if (s == "<<") return scalar(s, "tag:yaml.org,2002:str", false, false, YAML_SINGLE_QUOTED_SCALAR_STYLE);
    if (s == "y" || s == "n") return scalar(s, nullptr, true, true, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    if (options_.line_width > 0 && characters(s) > static_cast<size_t>(options_.line_width))
      return scalar(s, nullptr, true, true, YAML_FOLDED_SCALAR_STYLE);
    if (has(s, R"(^[^[:word:]][^"]*$)")) return scalar(s, nullptr, true, true, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    if (!reads_as_text(s) || has(s, R"(\A0[0-7]*[89])")) return scalar(s, nullptr, true, true, YAML_SINGLE_QUOTED_SCALAR_STYLE);
    scalar(s, nullptr, true, true, YAML_PLAIN_SCALAR_STYLE);
  }

  static size_t characters(std::string_view s) {
    size_t n = 0;
    for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xc0) != 0x80;
    return n;
  }
  bool has(std::string_view s, std::string_view pattern, bool ignore_case = false) {
    return regexes_.get(pattern, ignore_case)->matches(s);
  }

  /// Whether Psych reads this plain scalar as a text, and not as null, a boolean, a time, a number or a symbol.
  bool reads_as_text(std::string_view s) {
    if (s.empty()) return false;
    if (has(s, R"(^[^\d.:-]?[[:alpha:]_\s!@#$%\^&*(){}<>|/\\~;=]+)") || s.find('\n') != std::string_view::npos)
      return characters(s) > 5 || has(s, "^[^ytonf~]", true) || !(s == "~" || has(s, "^(null|yes|true|on|no|false|off)$", true));
    if (has(s, R"(^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$)")) return false;
    if (has(s, R"(^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$)")) return !valid_date(s);
    if (has(s, R"(^(?:[-+]?\.inf|\.nan)$)", true)) return has(s, R"(^\+\.nan$)", true);
    if (has(s, "^:.")) return false;
    if (has(s, R"(^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}(\.[0-9_]*)?$)")) return false;
    if (has(s, R"(^(?:[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?)$)")) return has(s, R"(\A[-+]?\.\Z)");
    return !has(s, R"(^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$)");
  }

  static bool valid_date(std::string_view s) {
    int year = 0, month = 0, day = 0;
    if (std::sscanf(std::string(s).c_str(), "%d-%d-%d", &year, &month, &day) != 3) return false;
    constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= lengths[month - 1] + (month == 2 && leap ? 1 : 0);
  }

  yaml_emitter_t emitter_;
  std::string out_;
  const YamlWriteOptions& options_;
  RegexCache& regexes_;
  const std::function<std::string(const Value&)>& text_of_;
  std::unordered_map<const void*, int> uses_;
  std::unordered_map<const void*, size_t> anchors_;
};

} // namespace

std::string write_yaml(const Value& value, const YamlWriteOptions& options, RegexCache& regexes,
                       const std::function<std::string(const Value&)>& text_of) {
  return Writer(options, regexes, text_of).document(value);
}

} // namespace pupc::catalog
