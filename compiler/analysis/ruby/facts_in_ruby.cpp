#include "compiler/analysis/ruby/facts_in_ruby.h"

#include "catalog/base/text.h"
#include "compiler/analysis/codebase/fact_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

struct Option {
  std::string_view name;
  const RubyToken* value; // the first token of its value
  RubyRange all;
};

/// The options of a call that are written in it: `key: value` and `:key => value`.
std::vector<Option> options_of(const RubyCall& call) {
  std::vector<Option> out;
  for (const RubyRange& argument : split_commas(call.arguments)) {
    if (argument.empty()) continue;
    const RubyToken& key = argument[argument.begin];
    const bool arrow = key.kind == RubyTokenKind::Symbol && argument.begin + 1 < argument.end && is_op(argument[argument.begin + 1], "=>");
    const uint32_t at = argument.begin + (arrow ? 2 : 1);
    if ((arrow || key.kind == RubyTokenKind::Label) && at < argument.end)
      out.push_back({key.body, &argument[at], {argument.file, at, argument.end}});
  }
  return out;
}

class FactFile {
public:
  FactFile(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings)
      : file_(file), all_{&ruby, 0, static_cast<uint32_t>(ruby.tokens.tokens.size())}, program_(program), findings_(findings) {}

  void check() {
    for (uint32_t i = 0; i + 2 < all_.end; ++i) {
      const RubyToken& t = all_[i];
      if (t.kind == RubyTokenKind::Identifier && (t.text == "confine" || t.text == "defaultfor")) check_confine(i);
      if (t.kind != RubyTokenKind::Constant || t.text != "Facter" || !is_op(all_[i + 1], ".")) continue;
      const RubyToken& method = all_[i + 2];
      if (method.text == "add") check_fact(i + 2);
      if (method.text == "value" || method.text == "fact") check_read(i + 2);
    }
  }

private:
  void told(const RubyToken& at, std::string message, std::string suggestion, bool warning = false) {
    findings_.add(CheckCode::ruby_code, file_.shown, at.line, 0, std::move(message), std::move(suggestion),
                  warning ? std::optional(Severity::Warning) : std::nullopt);
  }

  /// A resolution: one of the type :aggregate is put together of chunks, any other has setcode.
  void check_fact(uint32_t i) {
    const RubyCall call = read_call(all_, i);
    if (!call.has_block) return;
    bool aggregate = false, known = true;
    for (const Option& option : options_of(call)) {
      if (option.name != "type") continue;
      known = option.all.end == option.all.begin + 1 && option.value->kind == RubyTokenKind::Symbol;
      const std::string_view type = option.value->body;
      aggregate = type == "aggregate";
      if (known && !aggregate && type != "simple")
        return told(*option.value, fmt::format("Facter has no type '{}' of facts", type), did_you_mean(type, {"simple", "aggregate"}));
    }
    for (const RubyRange& argument : split_commas(call.arguments)) // options that are made elsewhere
      if (!argument.empty() &&
          (is_op(argument[argument.begin], "**") || (argument.begin != call.arguments.begin && argument.end == argument.begin + 1)))
        known = false;
    if (!known) return;
    std::vector<std::string_view> chunks;
    std::vector<RubyCall> calls;
    for (uint32_t k = call.block.begin; k < call.block.end; ++k) {
      const RubyToken& t = call.block[k];
      if (t.kind != RubyTokenKind::Identifier || (k > call.block.begin && is_op(call.block[k - 1], "."))) continue;
      if (t.text == "include" || t.text == "extend" || t.text == "instance_eval") return;
      if (t.text != "chunk" && t.text != "setcode") continue;
      const bool chunk = t.text == "chunk";
      if (!chunk && aggregate) {
        told(t, "A fact of the type :aggregate has no setcode", "Write chunk(:name) do … end.");
        continue;
      }
      if (!chunk) continue;
      if (!aggregate) return told(t, "Only a fact of the type :aggregate has chunks", "Write Facter.add(:name, type: :aggregate).");
      calls.push_back(read_call(all_, k));
      const auto arguments = split_commas(calls.back().arguments);
      if (arguments.empty() || arguments[0].empty()) return;
      const auto name = written_name(arguments[0][arguments[0].begin]);
      if (!name) return; // it may be any
      chunks.push_back(*name);
    }
    for (const RubyCall& one : calls)
      for (const Option& option : options_of(one)) {
        if (option.name != "require") continue;
        for (uint32_t k = option.all.begin; k < option.all.end; ++k)
          if (const auto name = written_name(option.all[k]); name && std::ranges::find(chunks, *name) == chunks.end())
            told(option.all[k], fmt::format("The fact has no chunk '{}'", *name), did_you_mean(*name, chunks));
      }
  }

  /// What one slip makes a fact that there is, where no fact of this name may be.
  std::string_view meant(std::string_view name) {
    if (name.size() < 4 || is_known_fact(name) || program_.custom_facts().contains(std::string(name))) return {};
    if (const std::string_view near = program_.near_custom_fact(name); !near.empty()) return near;
    for (std::string_view fact : fact_names())
      if (one_slip_apart(name, fact) || (name.size() > 6 && fact.starts_with(name))) return fact;
    return {};
  }

  void check_name(const RubyToken& at, std::string_view name) {
    if (const std::string_view near = meant(name.substr(0, name.find('.'))); !near.empty())
      told(at, fmt::format("There is no fact '{}'", name), fmt::format("Did you mean '{}'?", near), true);
  }

  /// confine kernel: 'Linux': one of a fact that is not there leaves the resolution out.
  void check_confine(uint32_t i) {
    const RubyCall call = read_call(all_, i);
    for (const RubyRange& argument : split_commas(call.arguments)) {
      if (argument.empty()) continue;
      const RubyToken& key = argument[argument.begin];
      const bool arrow = argument.begin + 2 < argument.end && is_op(argument[argument.begin + 1], "=>");
      const bool label = key.kind == RubyTokenKind::Label && argument.begin + 1 < argument.end;
      if (!arrow && !label) continue;
      const std::string_view name = label ? key.body : written_name(key).value_or("");
      if (name.empty() || (provider_word(name) && file_.path.find("/lib/facter/") == std::string::npos)) continue;
      check_name(key, name);
      // Of several values one is enough.
      std::string why;
      const RubyToken* never = nullptr;
      bool may = false;
      for (uint32_t k = argument.begin + (label ? 1 : 2); k < argument.end; ++k)
        if (const auto value = written_name(argument[k])) {
          why = never_value_of_fact(path_of(name), *value);
          if (why.empty()) why = never_value_of_custom_fact(program_, name, *value);
          may = may || why.empty();
          never = &argument[k];
        }
      if (!may && never != nullptr) told(*never, fmt::format("This never holds: {}", why), {}, true);
    }
  }

  /// What `confine` of a provider asks besides facts.
  static bool provider_word(std::string_view name) {
    static constexpr std::string_view words[] = {"exists", "true", "false", "any", "feature", "boolean"};
    return std::ranges::find(words, name) != std::end(words);
  }

  static std::string path_of(std::string_view name) {
    const std::string_view modern = modern_fact(name);
    return std::string(modern.empty() ? name : modern);
  }

  /// Facter.value(:kernel).
  void check_read(uint32_t i) {
    const RubyCall call = read_call(all_, i);
    const auto arguments = split_commas(call.arguments);
    if (arguments.size() != 1 || arguments[0].end != arguments[0].begin + 1) return;
    const RubyToken& name = arguments[0][arguments[0].begin];
    const auto text = written_name(name);
    if (!text) return;
    check_name(name, *text);
    const std::string_view fact = text->substr(0, text->find('.'));
    if (program_.custom_facts().contains(std::string(fact))) return;
    std::string path(*text);
    if (fact.size() < text->size()) check_key(name, text->substr(0, text->rfind('.')), text->substr(text->rfind('.') + 1));
    // Facter.value(:os)['family'], Facter.value(:os).dig('release', 'major')
    for (uint32_t k = call.end; k + 2 < all_.end && is_op(all_[k], "[") && !all_[k].space_before && is_op(all_[k + 2], "]"); k += 3) {
      const auto key = written_name(all_[k + 1]);
      if (!key) return;
      if (modern_fact(path).empty())
        check_key(all_[k + 1], path, *key);
      else // what replaced it says where the key may be
        return told(all_[k + 1], fmt::format("The fact '{}' is a text, which has no keys", path),
                    fmt::format("Read the fact '{}'.", modern_fact(path).substr(0, modern_fact(path).find('.'))), true);
      path += fmt::format(".{}", *key);
    }
    const bool safe = call.end + 1 < all_.end && is_op(all_[call.end], "&.");
    if (call.end + 1 < all_.end && (safe || is_op(all_[call.end], ".")) && all_[call.end + 1].text == "dig")
      for (const RubyRange& argument : split_commas(read_call(all_, call.end + 1).arguments)) {
        const auto key = argument.end == argument.begin + 1 ? written_name(argument[argument.begin]) : std::nullopt;
        if (!key) return;
        check_key(argument[argument.begin], path, *key);
        path += fmt::format(".{}", *key);
      }
  }

  /// A key that a fact of Facter has on no system.
  void check_key(const RubyToken& at, std::string_view parent, std::string_view key) {
    const auto known = fact_keys(parent);
    if (known.empty() || std::ranges::find(known, key) != known.end()) return;
    const std::string near = did_you_mean(key, {known.begin(), known.end()});
    if (!near.empty()) told(at, fmt::format("The fact '{}' has no key '{}'", parent, key), near, true);
  }

  const RepositoryFile& file_;
  RubyRange all_;
  CheckedCodebase& program_;
  Findings& findings_;
};

} // namespace

void check_ruby_facts(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings) {
  const bool provider = file.path.find("/lib/puppet/provider/") != std::string::npos;
  if (!provider && file.path.find("/lib/facter/") == std::string::npos) return;
  if (ruby.text.find("Facter") == std::string::npos && ruby.text.find("confine") == std::string::npos &&
      ruby.text.find("defaultfor") == std::string::npos)
    return;
  FactFile(file, ruby, program, findings).check();
}

} // namespace pupc::compiler
