#include "tools/pupc/compile/lookup_explanation.h"

#include "compiler/conversion/ruby_text.h"

#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// Prints hashes and arrays over several lines, everything else like Ruby's inspect.
void print_value(const Value& v, const std::string& indent, TypeContext& types, std::string& out) {
  const std::string inner = indent + "  ";
  if (v.is_list()) {
    out += '[';
    std::string_view before = "\n";
    for (const Value& item : v.items()) {
      out.append(before).append(inner);
      print_value(item, inner, types, out);
      before = ",\n";
    }
    if (v.list->size > 0) out.append("\n").append(indent);
    out += ']';
  } else if (v.is_hash()) {
    out += '{';
    std::string_view before = "\n";
    for (const auto& e : v.hash->entries()) {
      out.append(before).append(inner);
      print_value(e.key, inner, types, out);
      out += " => ";
      print_value(e.value, inner, types, out);
      before = ",\n";
    }
    if (v.hash->size > 0) out.append("\n").append(indent);
    out += '}';
  } else {
    out += ruby_inspect(types, v);
  }
}

} // namespace

LookupExplanation::Branch& LookupExplanation::add() {
  auto& branch = current_->branches.emplace_back(std::make_unique<Branch>());
  branch->parent = current_;
  return *branch;
}

void LookupExplanation::add_line(std::string text) {
  Branch& b = add();
  b.line = true;
  b.name = std::move(text);
}

void LookupExplanation::enter(Node node, std::string_view name, std::string_view detail) {
  Branch& b = add();
  b.node = node;
  b.name = node == Node::Interpolation && secret_ > 0 ? "[value redacted]" : name; // the text around an interpolation is part of the secret
  b.detail = detail;
  current_ = &b;
}

void LookupExplanation::leave() {
  if (current_->parent != nullptr) current_ = current_->parent;
}

void LookupExplanation::merge_source(std::string_view name) { add_line(fmt::format("Using merge options from \"{}\" hash", name)); }
void LookupExplanation::module_not_found(std::string_view name) { add_line(fmt::format("Module \"{}\" not found", name)); }
void LookupExplanation::module_provider_not_found(std::string_view name) {
  add_line(fmt::format("Module data provider for module \"{}\" not found", name));
}

void LookupExplanation::event(Event e, std::string_view key, const Value& value) {
  current_->event = e;
  current_->key = key;
  current_->value = shown(value);
}

void LookupExplanation::result(const Value& value) {
  current_->event = Event::Result;
  current_->value = shown(value);
}

void LookupExplanation::print_outcome(const Branch& b, const std::string& indent, TypeContext& types, std::string& out) {
  if (b.event == Event::NotFound) {
    out += fmt::format("{}No such key: \"{}\"\n", indent, b.key);
  } else if (b.event == Event::Found || b.event == Event::FoundInOverrides || b.event == Event::FoundInDefaults) {
    out += fmt::format("{}Found key: \"{}\" value: ", indent, b.key);
    print_value(b.value, indent, types, out);
    if (b.event == Event::FoundInOverrides) out += " in overrides";
    if (b.event == Event::FoundInDefaults) out += " in defaults";
    out += '\n';
  }
  for (const auto& text : b.texts) out += indent + text + '\n';
}

void LookupExplanation::print(const Branch& b, const std::string& indent, TypeContext& types, std::string& out) {
  const std::string inner = indent + "  ";
  auto children = [&] {
    for (const auto& child : b.branches) print(*child, inner, types, out);
  };
  if (b.line) {
    out += indent + b.name + '\n';
    return;
  }
  switch (b.node) {
  case Node::Key:
  case Node::Data:
  case Node::Meta:
    out += fmt::format("{}Searching for \"{}\"\n", indent, b.name);
    children();
    return;
  case Node::InvalidKey: out += fmt::format("{}Invalid key \"{}\"\n", indent, b.name); return;
  case Node::Interpolation:
    out += fmt::format("{}Interpolation on \"{}\"\n", indent, b.name);
    children();
    return;
  case Node::Merge:
    // Leave out a merge with only one branch.
    if (b.branches.empty()) return;
    if (b.branches.size() == 1) return print(*b.branches[0], indent, types, out);
    out += fmt::format("{}Merge strategy {}\n", indent, b.name);
    if (b.options.is_hash()) {
      HashBuilder options(types.arena);
      for (const auto& e : b.options.hash->entries())
        if (!e.key.is_string() || e.key.str() != "strategy") options.set(e.key, e.value);
      if (Value v = options.finish(); v.hash->size > 0) {
        out += inner + "Options: ";
        print_value(v, inner, types, out);
        out += '\n';
      }
    }
    children();
    if (b.event == Event::Result) {
      out += inner + "Merged result: ";
      print_value(b.value, inner, types, out);
      out += '\n';
    }
    return;
  case Node::Global:
  case Node::DataProvider:
    out += indent + b.name + '\n';
    if (!b.detail.empty()) out += fmt::format("{}Using configuration \"{}\"\n", inner, b.detail);
    children();
    break;
  case Node::Location:
  case Node::Uri: {
    bool path = b.node == Node::Location;
    out += fmt::format("{}{} \"{}\"\n{}Original {}: \"{}\"\n", indent, path ? "Path" : "URI", b.name, inner, path ? "path" : "uri",
                       b.detail);
    children();
    if (b.event == Event::LocationNotFound) out += fmt::format("{}{} not found\n", inner, path ? "Path" : "URI");
    break;
  }
  case Node::SubLookup: {
    out += fmt::format("{}Sub key: \"{}\"\n", indent, b.name);
    children();
    break;
  }
  case Node::Segment: return print_outcome(b, indent, types, out);
  case Node::Scope:
    out += indent + b.name + '\n';
    children();
    break;
  }
  print_outcome(b, inner, types, out);
}

std::string LookupExplanation::to_text(TypeContext& types) const {
  std::string out;
  for (const auto& b : root_.branches) print(*b, "", types, out);
  for (const auto& text : root_.texts) out += text + '\n';
  return out;
}

} // namespace pupc::cli
