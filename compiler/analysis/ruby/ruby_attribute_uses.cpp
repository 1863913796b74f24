#include "compiler/analysis/ruby/ruby_attribute_uses.h"

#include "catalog/schema/native_types.h"
#include "catalog/schema/resource_type.h"
#include "compiler/analysis/ruby/ruby_known_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// "apt" of …/lib/puppet/type/apt.rb, "package" of …/lib/puppet/provider/package/apt.rb. Empty: the file is no such one.
std::string_view type_of_path(std::string_view path, bool& provider) {
  for (std::string_view folder : {"/lib/puppet/type/", "/lib/puppet/provider/"}) {
    const size_t at = path.rfind(folder);
    if (at == std::string_view::npos || !path.ends_with(".rb")) continue;
    provider = folder.ends_with("provider/");
    std::string_view rest = path.substr(at + folder.size());
    const size_t slash = rest.find('/');
    if (provider != (slash != std::string_view::npos)) return {};
    return provider ? rest.substr(0, slash) : rest.substr(0, rest.size() - 3);
  }
  return {};
}

class AttributeUses {
public:
  AttributeUses(const RepositoryFile& file, const RubyFile& ruby, const ResourceTypeInfo& type, std::string_view type_text, bool provider,
                Findings& findings)
      : file_(file), all_{&ruby, 0, static_cast<uint32_t>(ruby.tokens.tokens.size())}, type_(type), type_text_(type_text),
        provider_(provider), findings_(findings) {}

  void check() {
    for (uint32_t i = 0; i < all_.end; ++i) {
      const RubyToken& t = all_[i];
      if (t.kind != RubyTokenKind::Identifier || t.text != (provider_ ? "provide" : "newtype")) continue;
      const RubyCall call = read_call(all_, i);
      if (!call.has_block || (provider_ ? !of_type(i) : first_name(call) != type_.name())) continue;
      check_block(call.block);
      i = std::max(i, call.end == 0 ? i : call.end - 1);
    }
  }

private:
  std::string_view name_at(uint32_t i) const { return i < all_.end ? written_name(all_[i]).value_or("") : ""; }
  std::string_view first_name(const RubyCall& call) const { return call.arguments.empty() ? "" : name_at(call.arguments.begin); }

  /// Whether `Puppet::Type.type(:x).` stands before the token.
  bool of_type(uint32_t i) const {
    return i > 4 && is_op(all_[i - 1], ".") && is_op(all_[i - 2], ")") && name_at(i - 3) == type_.name() && is_op(all_[i - 4], "(") &&
           all_[i - 5].text == "type";
  }

  /// Whether the token begins a method whose end is known.
  bool begins_method(uint32_t i) const { return is_keyword(all_[i], "def") && all_[i].match != RubyToken::no_match && all_[i].match > i; }

  /// Whether the code gives the name another meaning: a variable or parameter, which may be any hash. The variables of the methods in it
  /// are their own.
  bool binds(const RubyRange& range, std::string_view name) const {
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (i > range.begin && begins_method(i)) i = all_[i].match;
      if (all_[i].text != name || i + 1 >= all_.end) continue;
      const RubyToken& next = all_[i + 1];
      if (is_op(next, "=") || is_op(next, "||=")) return true;
      if (i == 0) continue;
      const RubyToken& before = all_[i - 1];
      if (is_keyword(before, "for")) return true;
      const bool opened = is_op(before, "|") || is_op(before, ",") || is_op(before, "(") || (i > 1 && is_keyword(all_[i - 2], "def"));
      if (opened && (is_op(next, "|") || is_op(next, ",") || is_op(next, ")") || next.kind == RubyTokenKind::Newline)) return true;
    }
    return false;
  }

  bool sets_instance() const {
    for (uint32_t i = 0; i + 1 < all_.end; ++i)
      if (all_[i].text == "@resource" && (is_op(all_[i + 1], "=") || is_op(all_[i + 1], "||="))) return true;
    return false;
  }

  void check_block(const RubyRange& block) {
    for (uint32_t i = block.begin; i < block.end; ++i) {
      if (block[i].text.starts_with("validattr") || block[i].text.starts_with("valid_parameter")) return; // it asks the type first
      if (is_keyword(block[i], "def") && i + 1 < block.end && block[i + 1].text == "resource") return;    // it may be anything
    }
    const bool outside = !binds(block, "resource"), instance = !sets_instance();
    uint32_t method_end = 0;
    bool in_method = false;
    for (uint32_t i = block.begin; i + 2 < block.end; ++i) {
      const RubyToken& t = block[i];
      if ((is_keyword(t, "class") || is_keyword(t, "module")) && t.match != RubyToken::no_match && t.match > i) {
        i = t.match; // another self
        continue;
      }
      if (is_keyword(t, "def") && i + 2 < block.end && is_keyword(block[i + 1], "self") && is_op(block[i + 2], ".") &&
          t.match != RubyToken::no_match && t.match > i) {
        i = t.match;
        continue;
      }
      if (begins_method(i)) {
        method_end = t.match;
        in_method = !binds({block.file, i, t.match}, "resource");
      }
      const bool resource = i < method_end ? in_method : outside;
      if (i > block.begin && (is_op(block[i - 1], ".") || is_op(block[i - 1], "&.") || is_op(block[i - 1], "::"))) continue;
      const bool receiver = (t.text == "resource" && t.kind == RubyTokenKind::Identifier && resource) ||
                            (t.text == "@resource" && instance) || (!provider_ && is_keyword(t, "self"));
      if (receiver) check_use(block, i + 1);
    }
  }

  /// What stands behind a resource: [:x], .property(:x).
  void check_use(const RubyRange& block, uint32_t i) {
    static constexpr std::string_view readers[] = {"property", "parameter", "should", "value"};
    if (is_op(block[i], "[") && !block[i].space_before) {
      if (i + 2 < block.end && is_op(block[i + 2], "]")) check_name(i + 1);
    } else if ((is_op(block[i], ".") || is_op(block[i], "&.")) && i + 4 < block.end &&
               std::ranges::find(readers, block[i + 1].text) != std::end(readers) && is_op(block[i + 2], "(") && is_op(block[i + 4], ")")) {
      check_name(i + 3);
    } else if (is_op(block[i], ".") && i + 1 < block.end && block[i + 1].kind == RubyTokenKind::Identifier) {
      check_question(i + 1);
    }
  }

  /// resource.purge?: only a parameter that is a boolean has such a method.
  void check_question(uint32_t i) {
    const std::string_view method = all_[i].text;
    if (!method.ends_with('?') || is_ruby_word(method)) return;
    const std::string_view name = method.substr(0, method.size() - 1);
    if (type_.valid_attribute(intern(name)) || type_text_.find(method) != std::string_view::npos ||
        type_text_.find("include ") != std::string_view::npos)
      return;
    std::vector<std::string_view> known;
    for (const auto& attribute : type_.attributes()) known.push_back(attribute.name.str());
    findings_.add(CheckCode::ruby_code, file_.shown, all_[i].line, 0,
                  fmt::format("A resource of the type '{}' has no method '{}'", type_.name(), method), did_you_mean(name, known),
                  Severity::Warning);
  }

  void check_name(uint32_t i) {
    const std::string_view name = name_at(i);
    if (name.empty() || name == "title" || name == "provider" || type_.valid_attribute(intern(name))) return;
    std::vector<std::string_view> known;
    for (const auto& attribute : type_.attributes()) known.push_back(attribute.name.str());
    std::string similar = did_you_mean(name, known);
    if (provider_ && similar.empty()) return; // types that have more may inherit the provider
    findings_.add(CheckCode::ruby_code, file_.shown, all_[i].line, 0,
                  fmt::format("The type '{}' has no parameter or property '{}'", type_.name(), name), std::move(similar),
                  Severity::Warning);
  }

  const RepositoryFile& file_;
  RubyRange all_;
  const ResourceTypeInfo& type_;
  std::string_view type_text_;
  bool provider_; // the file is a provider's, else the type's
  Findings& findings_;
};

/// autorequire(:user) and the like of a type that nothing has, and that is nearly one: Puppet passes over it.
void check_related_types(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings) {
  const auto& tokens = ruby.tokens.tokens;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    static constexpr std::string_view relations[] = {"autorequire", "autobefore", "autonotify", "autosubscribe"};
    if (tokens[i].kind != RubyTokenKind::Identifier || !tokens[i].text.starts_with("auto") ||
        std::ranges::find(relations, tokens[i].text) == std::end(relations))
      continue;
    const RubyToken& named = tokens[is_op(tokens[i + 1], "(") ? i + 2 : i + 1];
    const auto name = written_name(named);
    if (!name || name->size() < 4 || program.find_resource_type(intern(*name)) != nullptr) continue;
    for (std::string_view type : native_type_names())
      if (one_slip_apart(*name, type)) {
        findings.add(CheckCode::ruby_code, file.shown, named.line, 0, fmt::format("There is no resource type '{}'", *name),
                     fmt::format("Did you mean '{}'?", type), Severity::Warning);
        break;
      }
  }
}

} // namespace

void check_attribute_uses(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings) {
  bool provider = false;
  const std::string_view name = type_of_path(file.path, provider);
  if (name.empty()) return;
  const ResourceTypeInfo* type = program.find_resource_type(intern(name));
  if (type == nullptr || !type->dynamic().empty() || type->origin() == TypeOrigin::Generated) return;
  if (!provider && type->file() != file.path) return; // another module's type of that name
  const auto text = program.environment().read_file(std::string(type->file()));
  AttributeUses(file, ruby, *type, text ? *text : "", provider, findings).check();
  check_related_types(file, ruby, program, findings);
}

} // namespace pupc::compiler
