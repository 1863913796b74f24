// pupc doc: prints the manual of functions, types and errors from the program's own tables.
#include "catalog/base/diagnostic.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "compiler/analysis/codebase/check_registry.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/types/type.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>

namespace pupc::cli {
namespace {

constexpr std::string_view doc_usage = R"(Usage: pupc doc functions|types|errors|checks [NAME...]

Prints the manual as Markdown: of all functions, data types and resource types, errors or checks of validate, or of the named ones.
`pupc doc types --list` tells the resource types with a line on each, `--short TYPE` only the names of its attributes.)";

/// A signature in the Puppet language: `abs(Numeric $val)`.
std::string signature_text(const FunctionEntry& f, std::string_view signature) {
  if (!signature.starts_with("3.x")) return fmt::format("{}({})", f.name, signature);
  int arity = signature.size() > 4 ? std::stoi(std::string(signature.substr(4))) : -1;
  std::string arguments;
  for (int i = 1; i <= (arity < 0 ? -arity - 1 : arity); ++i) arguments += fmt::format("{}Any $argument{}", i == 1 ? "" : ", ", i);
  if (arity < 0) arguments += arguments.empty() ? "Any $arguments*" : ", Any $more*";
  return fmt::format("{}({})", f.name, arguments);
}

void print_function(const FunctionEntry& f) {
  fmt::print("### {}\n\n{}\n\n", f.name, f.doc);
  for (const Dispatch& d : f.dispatches)
    if (!d.mismatch) fmt::print("    {}\n", signature_text(f, d.signature));
  fmt::print("\n");
}

struct DataTypeDoc {
  std::string_view name, form, doc;
};
constexpr DataTypeDoc data_type_docs[] = {
    {"Any", "Any", "Every value."},
    {"Array", "Array[ELEMENT, MIN, MAX]", "Arrays of elements of a type, of a size."},
    {"Binary", "Binary", "Bytes."},
    {"Boolean", "Boolean[VALUE]", "true and false, or one of them."},
    {"Callable", "Callable[TYPE..., MIN, MAX, BLOCK]", "Lambdas and functions that accept arguments of these types."},
    {"CatalogEntry", "CatalogEntry", "References to resources and classes."},
    {"Class", "Class[NAME]", "References to classes."},
    {"Collection", "Collection[MIN, MAX]", "Arrays and hashes of a size."},
    {"Data", "Data", "What JSON can hold: scalar data, undef, arrays and hashes (with texts as keys) of it."},
    {"Default", "Default", "The value `default`."},
    {"Deferred", "Deferred", "A function call that the agent makes."},
    {"Enum", "Enum[TEXT..., IGNORE_CASE]", "One of several texts."},
    {"Float", "Float[MIN, MAX]", "Floating point numbers in a range."},
    {"Hash", "Hash[KEY, VALUE, MIN, MAX]", "Hashes of keys and values of a type, of a size."},
    {"Init", "Init[TYPE, ARGUMENT...]", "Values from which `new` can make a value of the type."},
    {"Integer", "Integer[MIN, MAX]", "Whole numbers of 64 bits in a range."},
    {"Iterable", "Iterable[TYPE]", "What iterating functions can go through."},
    {"Iterator", "Iterator[TYPE]", "A sequence that is produced step by step."},
    {"NotUndef", "NotUndef[TYPE]", "Values but undef."},
    {"Numeric", "Numeric", "Integer and Float."},
    {"Object", "Object[{name, parent, attributes, functions, equality, ...}]", "Objects of declared attributes."},
    {"Optional", "Optional[TYPE]", "A value of the type, or undef."},
    {"Pattern", "Pattern[REGEXP...]", "Texts that match one of several regular expressions."},
    {"Regexp", "Regexp[PATTERN]", "Regular expressions."},
    {"Resource", "Resource[TYPE, TITLE...]", "References to resources."},
    {"RichData", "RichData", "Data, and the richer values that a catalog can hold."},
    {"Runtime", "Runtime[RUNTIME, NAME]", "Objects of Puppet's own runtime."},
    {"Scalar", "Scalar", "Numbers, texts, booleans, regular expressions, versions, times."},
    {"ScalarData", "ScalarData", "Numbers, texts and booleans."},
    {"SemVer", "SemVer[RANGE...]", "Semantic versions in one of several ranges."},
    {"SemVerRange", "SemVerRange", "Ranges of semantic versions."},
    {"Sensitive", "Sensitive[TYPE]", "Values that neither logs nor errors show."},
    {"String", "String[MIN, MAX]", "Texts of a length."},
    {"Struct", "Struct[{KEY => TYPE, ...}]", "Hashes with the named keys."},
    {"Timespan", "Timespan[MIN, MAX]", "Durations."},
    {"Timestamp", "Timestamp[MIN, MAX]", "Points in time."},
    {"Tuple", "Tuple[TYPE..., MIN, MAX]", "Arrays with a type for each position."},
    {"Type", "Type[TYPE]", "Types themselves."},
    {"TypeSet", "TypeSet[{...}]", "A named and versioned set of types."},
    {"URI", "URI[PARTS]", "Uniform resource identifiers."},
    {"Undef", "Undef", "The value `undef`."},
    {"Variant", "Variant[TYPE...]", "A value of one of several types."},
};

bool wanted(std::span<const std::string_view> names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

size_t print_functions(std::span<const std::string_view> names) {
  std::map<std::string_view, std::map<std::string_view, const FunctionEntry*>> modules;
  size_t printed = 0;
  for (const FunctionEntry* f : builtin_functions().entries())
    if (wanted(names, f->name)) modules[f->module].emplace(f->name, f);
  for (const auto& [module, functions] : modules) {
    if (names.empty()) {
      if (module.empty())
        fmt::print("# Functions\n\n## Of the language\n\n");
      else
        fmt::print("## Of the module {}\n\nKnown where the module is in the modulepath.\n\n", module);
    }
    for (const auto& [name, f] : functions) {
      print_function(*f);
      ++printed;
    }
  }
  return printed;
}

/// What an attribute is for, its values, its default and an example, as one line.
std::string attribute_text(const ResourceTypeInfo& type, const ResourceTypeInfo::Attribute& a) {
  const NativeAttribute* known = find_native_attribute(type.name(), a.name.str());
  std::string out = a.namevar ? "(names the resource)" : "";
  if (known == nullptr) return out;
  out += (out.empty() ? "" : " ") + std::string(known->text);
  if (const std::string values = manual_values(*known); !values.empty()) out += fmt::format(" Values: {}.", values);
  if (!known->fallback.empty()) out += fmt::format(" Default: {}.", known->fallback);
  if (!known->example.empty()) out += fmt::format(" Example: {} => {}.", known->name, known->example);
  return out;
}

/// Prints what a resource type is for and the attributes that the compiler accepts.
void print_resource_type(const ResourceTypeInfo& type) {
  fmt::print("### {}\n\n", type.name());
  const TypeManual manual = type_manual(type.name());
  fmt::print("{} ", manual.summary);
  fmt::print("A resource type{}.\n\n", type.origin() == TypeOrigin::Core         ? " of Puppet"
                                       : type.origin() == TypeOrigin::CoreModule ? " of a module that comes with Puppet's agent"
                                                                                 : " of pupc");
  if (!manual.example.empty()) fmt::print("{}\n", indented(manual.example));
  for (AttributeKind kind : {AttributeKind::Property, AttributeKind::Parameter}) {
    std::string names;
    for (const auto& a : type.attributes())
      if (a.kind == kind) names += fmt::format("- {}: {}\n", a.name.str(), attribute_text(type, a));
    if (!names.empty())
      fmt::print("{}\n\n{}\n", kind == AttributeKind::Property ? "Properties (what can be read and changed):" : "Parameters:", names);
  }
  std::string shared;
  for (const Symbol name : metaparameters()) shared += fmt::format("{}{}", shared.empty() ? "" : ", ", name.str());
  fmt::print("Every resource has {} too, and pupc's guards ", shared);
  shared.clear();
  for (const Symbol name : guard_metaparameters()) shared += fmt::format("{}{}", shared.empty() ? "" : ", ", name.str());
  fmt::print("{} (`pupc doc types metaparameters`).\n\n", shared);
}

void print_metaparameters() {
  fmt::print("### metaparameters\n\nAttributes that every resource has.\n\n");
  for (const auto names : {metaparameters(), guard_metaparameters()})
    for (const Symbol name : names) fmt::print("- {}: {}\n", name.str(), metaparameter_manual(name));
  fmt::print("\n");
}

size_t print_types(std::span<const std::string_view> names) {
  size_t printed = 0;
  if (names.empty())
    fmt::print("# Data types\n\nParameters may be left out from the right; `default` stands for an open end of a range.\n\n");
  for (const DataTypeDoc& t : data_type_docs) {
    if (!wanted(names, t.name)) continue;
    fmt::print("### {}\n\n{}\n\n    {}\n\n", t.name, t.doc, t.form);
    ++printed;
  }
  if (names.empty()) fmt::print("# Resource types\n\n");
  for (const std::string_view name : native_type_names()) {
    const ResourceTypeInfo* type = find_native_type(name);
    if (type == nullptr || !wanted(names, name)) continue;
    print_resource_type(*type);
    ++printed;
  }
  if (wanted(names, "metaparameters")) {
    print_metaparameters();
    ++printed;
  }
  return printed;
}

size_t print_errors(std::span<const std::string_view> names) {
  size_t printed = 0;
  if (names.empty()) fmt::print("# Errors\n\n");
  for (const ErrorClass& e : all_error_classes()) {
    if (!wanted(names, e.ident) && !wanted(names, std::to_string(e.number))) continue;
    fmt::print("### {} {}\n\n{}\n\n{}\n\n", e.number, e.ident, e.summary, e.explanation);
    ++printed;
  }
  return printed;
}

std::string code_block(std::string_view code) { return fmt::format("```puppet\n{}{}```\n", code, code.ends_with('\n') ? "" : "\n"); }

size_t print_checks(std::span<const std::string_view> names) {
  size_t printed = 0;
  if (names.empty())
    fmt::print(
        "# Checks\n\nWhat `pupc validate` finds in a whole environment, besides errors of syntax and of single files. Hints are told "
        "with `--hints`, checks of style (89xx) with `--style`.\n\n");
  for (const CheckEntry& c : all_checks()) {
    const auto number = static_cast<unsigned>(c.code);
    if (!wanted(names, c.name()) && !wanted(names, std::to_string(number))) continue;
    fmt::print("### {} {}\n\n{} ({})\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}\n", number, c.name(), c.summary, severity_name(c.severity),
               c.explanation, code_block(c.wrong), code_block(c.right));
    ++printed;
  }
  return printed;
}

void describe_attributes(const ResourceTypeInfo& type, AttributeKind kind, bool brief) {
  std::vector<const ResourceTypeInfo::Attribute*> attributes;
  for (const auto& a : type.attributes())
    if (a.kind == kind) attributes.push_back(&a);
  if (attributes.empty()) return;
  std::sort(attributes.begin(), attributes.end(), [](const auto* a, const auto* b) { return a->name.str() < b->name.str(); });
  const std::string_view heading = kind == AttributeKind::Property ? "Properties" : "Parameters";
  fmt::print("\n\n{}\n{}\n", heading, std::string(heading.size(), '-'));
  std::string names;
  for (const ResourceTypeInfo::Attribute* a : attributes) {
    names += (names.empty() ? "" : ", ") + std::string(a->name.str());
    if (!brief) fmt::print("\n- **{}**\n    {}\n", a->name.str(), attribute_text(type, *a));
  }
  if (brief) fmt::print("    {}\n", names);
}

} // namespace

int doc_command(std::span<const std::string_view> words) {
  const auto shortens = [](std::string_view w) { return w == "-l" || w == "--list" || w == "-s" || w == "--short"; };
  if (!words.empty() && words[0] == "types" && std::ranges::any_of(words, shortens)) return describe_command(words.subspan(1));
  bool help = false;
  const auto given = Options(doc_usage, {}).parse(words, help);
  if (help) return exit_success;
  std::span<const std::string_view> names(given);
  size_t printed = 0;
  if (names.empty()) throw UsageError{"doc: say functions, types, errors or checks"};
  if (names[0] == "functions")
    printed = print_functions(names.subspan(1));
  else if (names[0] == "types")
    printed = print_types(names.subspan(1));
  else if (names[0] == "errors")
    printed = print_errors(names.subspan(1));
  else if (names[0] == "checks")
    printed = print_checks(names.subspan(1));
  else
    throw UsageError{fmt::format("doc: '{}' is none of functions, types, errors, checks", names[0])};
  if (printed < std::max<size_t>(names.size() - 1, 1)) {
    fmt::print(stderr, "pupc: some of these are not known\n");
    return exit_failure;
  }
  return exit_success;
}

int describe_command(std::span<const std::string_view> words) {
  bool list = false, brief = false, meta = false, help = false;
  const auto flag = [](bool& into) { return [&into](std::string_view) { into = true; }; };
  const auto given =
      Options("Usage: puppet describe [--list] [--short] [--meta] TYPE...\n\nTells what resource types and their attributes are for.",
              {{"--list -l", "", "the types with a line on each", flag(list)},
               {"--short -s", "", "only names of attributes", flag(brief)},
               {"--meta -m", "", "the metaparameters, too", flag(meta)},
               {"--providers -p", "", "providers stand at the attribute provider", [](std::string_view) {}}})
          .parse(words, help);
  if (help) return exit_success;
  if (list) {
    fmt::print("These are the types known to puppet:\n");
    for (const std::string_view name : native_type_names()) {
      const std::string summary(type_manual(name).summary);
      fmt::print("{:<15} - {}\n", name, summary.size() > 60 ? summary.substr(0, summary.rfind(' ', 56)) + " ..." : summary);
    }
    return exit_success;
  }
  if (given.empty()) throw UsageError{"describe needs a type, or --list"};
  int code = exit_success;
  for (const std::string_view name : given) {
    const ResourceTypeInfo* type = find_native_type(name);
    if (type == nullptr) {
      const auto near = similar_names(name, native_type_names(), 1);
      fmt::print(stderr, "Error: Unknown type {}{}\n", name, near.empty() ? "" : fmt::format(", did you mean '{}'?", near[0]));
      code = exit_failure;
      continue;
    }
    const TypeManual manual = type_manual(name);
    fmt::print("\n{}\n{}\n{}\n", name, std::string(name.size(), '='), manual.summary);
    if (!brief && !manual.example.empty()) fmt::print("\n{}", indented(manual.example));
    describe_attributes(*type, AttributeKind::Parameter, brief);
    describe_attributes(*type, AttributeKind::Property, brief);
    if (!meta) continue;
    fmt::print("\n\nMeta Parameters\n---------------\n");
    for (const auto names : {metaparameters(), guard_metaparameters()})
      for (const Symbol m : names) fmt::print("\n- **{}**\n    {}\n", m.str(), metaparameter_manual(m));
  }
  return code;
}

} // namespace pupc::cli
