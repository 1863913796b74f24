// Style checks: strings, variables, attributes, titles, conditions.
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/style/style_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using Form = StyleToken::Form;

/// The name of a variable without the brackets behind it.
std::string_view without_indexes(std::string_view value) { return value.substr(0, value.find('[')); }

/// Whether the style guide accepts the mode: four octal digits, or symbols such as "u=rw,go+r".
bool is_file_mode(std::string_view mode) {
  if (mode.size() == 4 && mode.find_first_not_of("01234567") == std::string_view::npos) return true;
  for (;;) {
    const size_t who = std::min(mode.find_first_not_of("ugoa"), mode.size());
    const size_t end = std::min(mode.find(','), mode.size());
    if (who >= end || std::string_view("-=+").find(mode[who]) == std::string_view::npos) return false;
    if (mode.substr(who, end - who).find_first_not_of("-=+rstwxXugo") != std::string_view::npos) return false;
    if (end == mode.size()) return true;
    mode.remove_prefix(end + 1);
  }
}

/// Whether it is a legacy fact without a structured fact of the same value, or one whose name contains a device or the like.
bool is_other_legacy_fact(std::string_view name) {
  for (const std::string_view whole :
       {"memoryfree_mb", "memorysize_mb", "swapfree_mb", "swapsize_mb", "blockdevices", "interfaces", "zones", "sshfp_dsa", "sshfp_ecdsa",
        "sshfp_ed25519", "sshfp_rsa", "sshdsakey", "sshecdsakey", "sshed25519key", "sshrsakey"})
    if (name == whole) return true;
  for (const std::string_view first :
       {"ipaddress_", "ipaddress6_", "macaddress_", "mtu_", "netmask_", "netmask6_", "network_", "network6_", "sp_", "ldom_"})
    if (name.starts_with(first)) return true;
  auto ends = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.ends_with(word); });
  };
  if (name.starts_with("blockdevice_")) return ends({"_model", "_size", "_vendor"});
  if (name.starts_with("zone_")) return ends({"_brand", "_iptype", "_name", "_uuid", "_id", "_path", "_status"});
  return name.starts_with("processor") && name.size() > 9 && name.find_first_not_of("0123456789", 9) == std::string_view::npos;
}

/// Whether it is a legacy fact that a structured fact of another name replaces.
bool is_renamed_fact(std::string_view name) {
  if (name == "swapencrypted" || name == "system32") return true;
  return !modern_fact(name).empty() && name != "mtu" && name != "scope6" && !is_other_legacy_fact(name);
}

} // namespace

// ---- strings -----------------------------------------------------------------------------------------------------------------

void StyleChecks::strings() {
  for (uint32_t i = 0; i < t_.size(); ++i) {
    const StyleToken& t = t_[i];
    const bool single = t.is(Form::SingleQuoted), plain = single || t.is(Form::DoubleQuoted);
    if (t.is(Form::DoubleQuoted)) {
      // Double quotes are needed for these characters and escapes. Any other text means the same in single quotes.
      bool needed = t.value.find_first_of("'\r\n\t") != std::string_view::npos;
      for (const std::string_view escape : {"\\$", "\\\"", "\\t", "\\s", "\\n", "\\\\"})
        needed = needed || t.value.find(escape) != std::string_view::npos;
      // puppet-lint's quirk: as many blanks in the string as before it count as a line end.
      if (!needed && t.value.find(std::string(t.column, ' ')) == std::string_view::npos) {
        constexpr std::string_view message = "A string in double quotes without anything to interpolate";
        if (t.value.find('\\') == std::string_view::npos)
          mend(CheckCode::double_quoted_strings, t, std::string(message), {{t.offset, t.length, fmt::format("'{}'", t.value)}});
        else
          report(CheckCode::double_quoted_strings, t, std::string(message));
      }
    }
    if (plain && (t.value == "true" || t.value == "false")) report(CheckCode::quoted_booleans, t, "A boolean in quotes is a string");
    if (single && t.value.find("${") != std::string_view::npos) {
      const std::string_view caller = i >= 2 ? t_[i - 2].value : std::string_view();
      if (caller.find("inline_epp") == std::string_view::npos && caller.find("inline_template") == std::string_view::npos)
        report(CheckCode::single_quote_string_with_variables, t, "A string in single quotes does not interpolate its variable");
    }
    if ((plain || t.is(Tok::DqPre)) && t.value.starts_with("puppet://")) {
      const size_t host = t.value.find('/', 9);
      const std::string_view path = host == std::string_view::npos ? std::string_view() : t.value.substr(host + 1);
      if (!path.starts_with("modules/")) report(CheckCode::puppet_url_without_modules, t, "A puppet:// address without modules/");
    }
    if (t.is(Tok::DqPre)) string_of_a_variable(i);
    if (t.is(Form::Unenclosed))
      mend(CheckCode::variables_not_enclosed, t, fmt::format("The variable ${} in a string has no braces around it", t.value),
           {{t.offset, t.length, fmt::format("${{{}}}", t_.text_of(t).substr(1))}});
  }
}

/// Reports a string that holds only a variable: "${x}" is $x, with brackets or without.
void StyleChecks::string_of_a_variable(uint32_t i) {
  if (!t_[i].value.empty()) return;
  const StyleToken& variable = t_.at(i + 1);
  if (!variable.is_variable() && !variable.is(Form::Unenclosed)) return;
  uint32_t end = i + 2;
  while (is_open_bracket(t_.at(end))) end += 3;
  const StyleToken& last = t_.at(end);
  if (last.is(Tok::DqPost) && last.value.empty() && !t_.after(last).is(Tok::FatArrow))
    report(CheckCode::only_variable_string, variable, "A string that holds nothing but a variable");
}

// ---- variables ---------------------------------------------------------------------------------------------------------------

void StyleChecks::variables() {
  for (const StyleToken& t : t_.tokens) {
    if (!t.is_variable() && !t.is(Form::Unenclosed)) continue;
    const std::string_view name = without_indexes(t.value);
    if (name.find('-') != std::string_view::npos)
      report(CheckCode::variable_contains_dash, t, fmt::format("The variable ${} has a dash in its name", name));
    if (has_capital(name))
      report(CheckCode::variable_is_lowercase, t, fmt::format("The variable ${} has an uppercase letter in its name", name));
    fact_variables(t);
  }
}

void StyleChecks::fact_variables(const StyleToken& t) {
  std::string_view value = t.value, fact;
  if (value == "facts") { // ${facts['x']}
    const StyleToken& open = t_.after(t);
    const StyleToken& key = t_.after(open);
    if (is_open_bracket(open) && (key.is(Form::SingleQuoted) || key.is(Form::DoubleQuoted) || key.is_name())) fact = key.value;
  } else if (value.starts_with("facts['") || value.starts_with("::facts['")) {
    // Take one key alone: $facts['a']['b'] is a structured fact.
    fact = value.substr(value.find('\'') + 1);
    fact = fact.ends_with("']") ? fact.substr(0, fact.size() - 2) : std::string_view();
  } else if (value.starts_with("::")) {
    fact = value.substr(2);
    bool told = fact.starts_with("trusted") || fact.starts_with("facts") || fact.find("::") != std::string_view::npos;
    // Like puppet-lint, leave names that begin like a legacy fact to the check of legacy facts.
    for (size_t n = 2; n <= fact.size() && !told; ++n) told = is_renamed_fact(fact.substr(0, n));
    if (!told) report(CheckCode::top_scope_facts, t, fmt::format("${} instead of $facts['{}']", value, fact));
  }
  if (is_renamed_fact(fact) || is_other_legacy_fact(fact)) {
    const std::string_view modern = modern_fact(fact);
    report(CheckCode::legacy_facts, t,
           fmt::format("The legacy fact {}{}", fact, modern.empty() ? "" : fmt::format(" instead of {}", modern)));
  }
}

// ---- resources ---------------------------------------------------------------------------------------------------------------

void StyleChecks::resources() {
  for (const StyleResource& r : t_.resources) {
    arrow_alignment(r);
    single_arrow(r);
    commands(r);
    std::vector<std::set<std::string_view>> seen(1);
    for (uint32_t i = r.first; i <= r.last; ++i) {
      const StyleToken& t = t_[i];
      if (is_open_brace(t)) {
        seen.emplace_back();
      } else if (t.is(Tok::RBrace)) {
        if (seen.size() > 1) seen.pop_back();
      } else if (t.is(Tok::FatArrow)) {
        const StyleToken& name = t_.before(t);
        if (name.is_name() && !seen.back().insert(name.value).second)
          report(CheckCode::duplicate_params, name, fmt::format("The attribute {} is given twice", name.value));
        const StyleToken& value = t_.after(t);
        if (value.is_variable() && t_.after(value).is(Tok::Question))
          report(CheckCode::selector_inside_resource, t, "A selector inside a resource");
      }
    }
    if (t_.at(r.type).is(Tok::Class)) continue;
    for (size_t i = 1; i < r.parameters.size(); ++i)
      if (t_[r.parameters[i]].value == "ensure") {
        if (t_[r.parameters[0]].value != "ensure")
          report(CheckCode::ensure_first_param, t_[r.parameters[i]], "ensure is not the first attribute");
        break;
      }
    file_attributes(r);
  }
}

void StyleChecks::file_attributes(const StyleResource& r) {
  const std::string_view type = t_.at(r.type).value;
  if (type != "file" && type != "concat") return;
  bool modes = true;
  for (const uint32_t i : r.parameters) {
    const StyleToken& value = t_.after(t_.after(t_[i]));
    if (t_[i].value == "ensure" && type == "file" && value.value.starts_with('/'))
      report(CheckCode::ensure_not_symlink_target, value, "The target of a link is given as ensure");
    if (t_[i].value != "mode") continue;
    if (value.is_name() || value.is(Tok::Number)) report(CheckCode::unquoted_file_mode, value, "A mode without quotes");
    if (value.is_variable() || value.is(Tok::Undef) || value.is(Form::FunctionName) || is_file_mode(value.value)) modes = false;
    if (modes) report(CheckCode::file_mode, value, "A mode should have four octal digits or be symbolic");
  }
}

/// Reports variables in strings that are the title of an exec or one of its commands. Like puppet-lint, it reads an attribute only up to
/// the end of its line.
void StyleChecks::commands(const StyleResource& r) {
  if (t_.at(r.type).value != "exec") return;
  auto interpolates = [&](uint32_t i) { return t_[i].is(Tok::DqPre) || t_[i].is(Tok::DqMid); };
  auto tell = [&](uint32_t i) {
    const StyleToken& variable = t_.after(t_[i]);
    report(CheckCode::check_unsafe_interpolations, variable, fmt::format("${} is put into the text of a command", variable.value));
  };
  for (uint32_t i = r.first; i-- > r.type && !is_open_brace(t_[i]) && !t_[i].is(Tok::Semicolon);)
    if (interpolates(i)) tell(i);
  for (uint32_t i = r.first; i <= r.last; ++i) {
    if (!t_[i].is_name() || (t_[i].value != "command" && t_[i].value != "onlyif")) continue;
    uint32_t end = i;
    bool list = false;
    for (; end < t_.size() && !t_[end].is(Form::Newline); ++end)
      list = list || (t_[end].is(Tok::FatArrow) && is_open_bracket(t_.at(end + 2)));
    for (uint32_t j = i; j < end && !list; ++j)
      if (interpolates(j)) tell(j);
  }
}

void StyleChecks::titles() {
  auto title = [&](const StyleToken& t, bool alone) {
    if (!t.is_name()) return;
    constexpr std::string_view message = "A title without quotes";
    if (alone && t.kind == Tok::Name)
      mend(CheckCode::unquoted_resource_title, t, std::string(message), {{t.offset, t.length, fmt::format("'{}'", t.value)}});
    else
      report(CheckCode::unquoted_resource_title, t, std::string(message));
  };
  // puppet-lint's quirk: it looks for a list of titles behind the last opening bracket of the whole file.
  uint32_t open = t_.size();
  while (open > 0 && !is_open_bracket(t_[open - 1])) --open;
  for (uint32_t i = 1; i < t_.size(); ++i) {
    if (!t_[i].is(Tok::Colon)) continue;
    if (!t_[i - 1].is(Tok::RBrack)) {
      if (!is_open_brace(t_.after(t_[i]))) title(t_[i - 1], is_open_brace(t_.before(t_[i - 1])) || t_.before(t_[i - 1]).is(Tok::Semicolon));
      continue;
    }
    for (uint32_t j = open == 0 ? i : open; j + 2 <= i; ++j) title(t_[j], false);
  }
}

// ---- nodes and conditions ----------------------------------------------------------------------------------------------------

void StyleChecks::node_names() {
  for (uint32_t i = 0; i < t_.size(); ++i) {
    if (!t_[i].is(Tok::Node)) continue;
    uint32_t names = 0, name = 0, end = i + 1;
    for (; end < t_.size() && !is_open_brace(t_[end]); ++end)
      if (t_[end].is_name()) {
        ++names;
        name = end;
      }
    // A name with dots consists of several tokens: the quotes go around all of them.
    const uint32_t first = t_[i].after, last = t_.at(end).before;
    bool one = names > 0 && first != StyleToken::none && last != StyleToken::none;
    for (uint32_t j = first; one && j <= last; ++j) one = t_[j].is_name() || t_[j].is(Tok::Dot) || t_[j].is(Tok::Number);
    for (uint32_t j = i + 1; j < end; ++j) {
      if (!t_[j].is_name()) continue;
      constexpr std::string_view message = "A node's name without quotes";
      if (one && j == name)
        mend(CheckCode::unquoted_node_name, t_[j], std::string(message), {{t_[first].offset, 0, "'"}, {t_[last].end(), 0, "'"}});
      else if (one && edits_ != nullptr)
        continue; // part of the name that gets quotes
      else
        report(CheckCode::unquoted_node_name, t_[j], std::string(message));
    }
  }
}

void StyleChecks::cases() {
  for (uint32_t i = 0; i < t_.size(); ++i) {
    if (!t_[i].is(Tok::Case)) continue;
    int depth = 0;
    bool has_default = false;
    uint32_t j = i + 1;
    for (; j < t_.size(); ++j) {
      if (is_open_brace(t_[j]))
        ++depth;
      else if (t_[j].is(Tok::RBrace) && --depth == 0)
        break;
      else if (t_[j].is(Tok::Default) && depth == 1)
        has_default = true;
    }
    if (j < t_.size() && !has_default) report(CheckCode::case_without_default, t_[i], "A case without a default");
  }
}

} // namespace pupc::compiler
