#include "compiler/analysis/ruby/ruby_providers.h"

#include "catalog/base/text.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The first argument of a call, if it is a name that stands there; else empty.
std::string_view first_name(const RubyRange& all, uint32_t call) {
  const auto arguments = split_commas(read_call(all, call).arguments);
  if (arguments.empty() || arguments[0].end != arguments[0].begin + 1) return {};
  return written_name(arguments[0][arguments[0].begin]).value_or("");
}

/// Adds the names that the file gives to `provide`. What makes others, or is not understood, makes the list unknown.
void add_providers(RubyFiles& files, const std::string& path, RubyProviders& out) {
  const auto file = files.read(path);
  if (!file || !file->tokens.error.empty()) {
    out.known = false;
    return;
  }
  const auto& tokens = file->tokens.tokens;
  const RubyRange all{file.get(), 0, static_cast<uint32_t>(tokens.size())};
  for (uint32_t i = 0; i < all.end; ++i) {
    if (tokens[i].kind == RubyTokenKind::Symbol && tokens[i].body == "provide") out.known = false; // send(:provide, …)
    if (tokens[i].kind != RubyTokenKind::Identifier || tokens[i].text != "provide") continue;
    const std::string_view name = first_name(all, i);
    if (name.empty())
      out.known = false;
    else
      out.names.emplace(name);
  }
}

/// Whether the file defines a type whose attribute `provider` is Puppet's own.
bool has_plain_providers(RubyFiles& files, const std::string& path) {
  const auto file = files.read(path);
  if (!file || !file->tokens.error.empty()) return false;
  const auto& tokens = file->tokens.tokens;
  const RubyRange all{file.get(), 0, static_cast<uint32_t>(tokens.size())};
  bool defined = false;
  for (uint32_t i = 0; i < all.end; ++i) {
    if (tokens[i].kind != RubyTokenKind::Identifier) continue;
    defined = defined || tokens[i].text == "newtype";
    if ((tokens[i].text == "newparam" || tokens[i].text == "newproperty") && first_name(all, i) == "provider") return false;
  }
  return defined;
}

} // namespace

RubyProviders read_ruby_providers(const Environment& environment, RubyFiles& files, std::string_view type, std::string_view type_file) {
  RubyProviders out;
  if (!type_file.empty()) {
    const std::string path(type_file);
    out.known = has_plain_providers(files, path);
    if (out.known) add_providers(files, path, out);
  }
  for (const Module& module : environment.modules()) {
    const std::string folder = fmt::format("{}/lib/puppet/provider/{}", module.path, type);
    if (!out.known || !environment.path_exists(folder)) continue;
    for (const std::string& name : names_of_files(folder, ".rb"))
      add_providers(files, fmt::format("{}/{}.rb", folder, with_replaced(name, "::", "/")), out);
  }
  return out;
}

} // namespace pupc::compiler
