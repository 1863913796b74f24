#include "runtime/ruby/ruby_answers.h"

#include "catalog/schema/native_types.h"
#include "runtime/provider/managed_resource.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/ruby/wire_value.h"

#include <algorithm>
#include <array>

namespace pupc::runtime {

std::string_view ruby_native_provider_source();
std::string_view ruby_native_attribute_source();
std::string_view ruby_resource_api_source();
std::string_view ruby_parsed_file_source();
std::string_view ruby_ini_config_source();
std::string_view ruby_name_service_source();
std::string_view ruby_unique_file_source();
std::string_view ruby_file_serving_source();
std::string_view ruby_http_source();
std::string_view ruby_asked_once_source();

namespace {

/// A part of the facade that the worker gets only when code needs it.
struct SourcePart {
  std::string_view name;
  std::string_view (*text)();
};

const SourcePart* source_part(std::string_view name) {
  static constexpr std::array<SourcePart, 10> parts{{{"native_providers", ruby_native_provider_source},
                                                     {"native_attributes", ruby_native_attribute_source},
                                                     {"resource_api", ruby_resource_api_source},
                                                     {"parsed_file", ruby_parsed_file_source},
                                                     {"ini_config", ruby_ini_config_source},
                                                     {"name_service", ruby_name_service_source},
                                                     {"unique_file", ruby_unique_file_source},
                                                     {"file_serving", ruby_file_serving_source},
                                                     {"http", ruby_http_source},
                                                     {"asked_once", ruby_asked_once_source}}};
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const SourcePart& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

void write_native_type(JsonWriter& w, const ResourceTypeInfo& type) {
  w.begin_array();
  for (const ResourceTypeInfo::Attribute& a : type.attributes()) {
    w.begin_array();
    w.string(a.name.str());
    w.string(a.kind == AttributeKind::Property ? "property" : "param");
    w.boolean(a.namevar);
    const NativeAttribute* known = find_native_attribute(type.name(), a.name.str());
    w.string(known == nullptr ? std::string_view() : known->allowed);
    w.end_array();
  }
  w.end_array();
}

void write_setting(JsonWriter& w, const SettingAnswer& answer) {
  w.begin_array();
  w.boolean(answer.known);
  write_ruby_value(w, answer.value);
  w.boolean(answer.given);
  write_ruby_value(w, answer.fallback);
  w.boolean(answer.given_on_command_line);
  w.end_array();
}

} // namespace

bool answer_without_run(std::span<const Value> question, const SettingReader& setting, Arena& arena, JsonWriter& w) {
  const std::string_view what = question[0].str();
  auto argument = [&](size_t i) { return question.size() > i ? value_text(question[i]) : std::string(); };
  if (what == "source") {
    const SourcePart* part = source_part(argument(1));
    if (part == nullptr) return false;
    w.string(part->text());
  } else if (what == "setting") {
    write_setting(w, setting ? setting(argument(1), argument(2), arena) : SettingAnswer());
  } else if (what == "compare_versions") {
    if (const VersionOrder order = version_order(argument(1)))
      w.integer(order(argument(2), argument(3)));
    else
      w.null();
  } else if (what == "native_type") {
    if (const ResourceTypeInfo* type = find_native_type(argument(1)))
      write_native_type(w, *type);
    else
      w.null();
  } else {
    return false;
  }
  return true;
}

} // namespace pupc::runtime
