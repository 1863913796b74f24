// The files of data, each by itself: their form, encrypted values, options of lookups.
#include "compiler/analysis/data/data_files.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/codebase/findings.h"
#include "compiler/hiera/merge.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::compiler {
namespace {

// Larger data files are not configuration: skip them.
constexpr size_t largest_file = 64u << 20;

/// Calls `f(line number, line)`.
template <class F> void for_lines(std::string_view text, F f) {
  uint32_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    f(number, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The key or value of an option that a message names in quotes.
std::optional<std::string_view> named_part(const Value& option, std::string_view message) {
  if (!option.is_hash()) return std::nullopt;
  for (const HashEntry& e : option.hash->entries())
    for (const Value* part : {&e.key, &e.value})
      if (part->is_string() && message.find(fmt::format("'{}'", part->str())) != std::string_view::npos) return part->str();
  return std::nullopt;
}

/// is_made() with a limit: YAML aliases can make a value practically endless. Beyond the limit of steps the answer is true.
bool made(const Value& v, uint32_t& steps, int depth) {
  if (depth > 64 || ++steps > 100000) return true;
  if (v.is_string()) return v.str().find("%{") != std::string_view::npos || v.str().find("ENC[") != std::string_view::npos;
  if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), [&](const Value& i) { return made(i, steps, depth + 1); });
  if (v.is_hash())
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [&](const HashEntry& e) { return made(e.key, steps, depth + 1) || made(e.value, steps, depth + 1); });
  return false;
}

} // namespace

bool is_made(const Value& value) {
  uint32_t steps = 0;
  return made(value, steps, 0);
}

void DataFiles::read(const std::vector<RepositoryFile>& files) {
  files_ = &files;
  for (bool configs : {true, false}) read(files, configs); // the levels tell which files are data
}

void DataFiles::read(const std::vector<RepositoryFile>& files, bool configs) {
  for (const RepositoryFile& file : files) {
    if ((file.kind == FileKind::HieraConfig) != configs) continue;
    if (file.kind == FileKind::Manifest || file.kind == FileKind::Epp || file.kind == FileKind::Erb ||
        file.kind == FileKind::RubyFunction || file.kind == FileKind::RubyCode)
      continue;
    auto read = file.metadata ? std::nullopt : read_whole_file(file.path);
    const std::string* text = file.metadata ? &file.metadata->text : read ? &*read : nullptr;
    if (text == nullptr) {
      findings_.add(CheckCode::data_syntax, file.shown, 0, 0, "The file cannot be read");
      continue;
    }
    if (text->size() > largest_file) {
      findings_.add(CheckCode::data_syntax, file.shown, 0, 0, "The file is too large for data");
      continue;
    }
    switch (file.kind) {
    case FileKind::Yaml:
    case FileKind::Json:
    case FileKind::Hocon:
    case FileKind::HieraConfig: read_data(file, std::move(*read)); break;
    default: check_metadata_file(file, *text, program_, findings_);
    }
  }
}

/// Keeps the variables of classes that the text interpolates.
void DataFiles::note_variables(std::string_view text) {
  for (size_t at = 0; (at = text.find("%{", at)) != std::string_view::npos; at += 2) {
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) return;
    std::string_view name = without_leading_colons(trimmed(text.substr(at + 2, end - at - 2)));
    name = name.substr(0, name.find('.'));
    if (name.find("::") != std::string_view::npos) variables_.emplace(name);
  }
}

void DataFiles::read_data(const RepositoryFile& file, std::string text) {
  if (foreign_.contains(file.path)) return;
  auto data = std::make_unique<Data>();
  data->file = &file;
  data->text = std::move(text);
  std::optional<DataError> error;
  switch (file.kind) {
  case FileKind::Yaml:
  case FileKind::HieraConfig: {
    YamlOptions options;
    options.file = file.shown;
    options.object_tags = !file.hiera_data && file.kind == FileKind::Yaml;
    std::vector<RepeatedKey> repeated;
    options.repeated = &repeated;
    error = read_yaml(data->text, data->arena, data->root, options, &data->notes);
    for (const RepeatedKey& key : repeated)
      findings_.add(CheckCode::repeated_key, file.shown, key.line, 1,
                    fmt::format("The key '{}' stands on line {} already: only the last counts", key.key, key.first));
    break;
  }
  case FileKind::Hocon: error = read_hocon(data->text, data->arena, data->root); break;
  default: error = read_json(data->text, data->arena, data->root); break;
  }
  if (error) {
    add_data_error(findings_, file.shown, *error);
    // What stands in the file is not known.
    if (file.hiera_data || file.kind == FileKind::HieraConfig) unreadable_ = true;
    return;
  }
  check_encrypted(file, data->text);
  note_variables(data->text);
  if (file.kind == FileKind::HieraConfig) configs_.insert(file.path);
  if (file.kind == FileKind::HieraConfig) return check_config(file, data->text, data->root);
  if (!file.hiera_data) return;
  if (data->root.is_undef()) {
    findings_.add(CheckCode::empty_data, file.shown, 1, 0, "The file has no data: Puppet warns of it each time it is read",
                  "Write --- {} where it is meant to be empty.",
                  program_ != nullptr && program_->module_of(file.path) != nullptr ? std::optional(Severity::Hint) : std::nullopt);
    return;
  }
  if (!data->root.is_hash()) {
    findings_.add(CheckCode::data_form, file.shown, 1, 0, "The data is no hash of keys and values");
    return;
  }
  if (const Value* options = data->root.hash->find("lookup_options"); options != nullptr && options->is_hash())
    check_lookup_options(file, data->text, *options->hash);
  for (const HashEntry& e : data->root.hash->entries())
    if (e.key.is_string()) keys_.emplace(e.key.str());
  data_.push_back(std::move(data));
}

/// Checks the encrypted blocks of eyaml.
void DataFiles::check_encrypted(const RepositoryFile& file, std::string_view text) {
  for (size_t at = 0; (at = text.find("ENC[", at)) != std::string_view::npos; at += 4) {
    const auto line = static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
    const size_t line_start = text.rfind('\n', at) + 1;
    if (text.substr(line_start, at - line_start).find('#') != std::string_view::npos) continue;
    const size_t comma = text.find_first_of(",]\n", at), close = text.find(']', at);
    if (comma == std::string_view::npos || close == std::string_view::npos || text[comma] != ',') {
      findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "This eyaml block is not complete", "It is ENC[PKCS7,…].");
      continue;
    }
    size_t digits = 0;
    bool fits = true, padding = false;
    for (char c : text.substr(comma + 1, close - comma - 1)) {
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      const bool digit = std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/';
      fits = fits && (c == '=' || (digit && !padding));
      padding = padding || c == '=';
      ++digits;
    }
    if (!fits || digits == 0 || digits % 4 != 0)
      findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "The text of this eyaml block is no Base64",
                    "Encrypt the value anew; a line may be missing.");
  }
  for (size_t at = 0; (at = text.find("DEC::", at)) != std::string_view::npos ||
                      (at = text.find("DEC(", at == std::string_view::npos ? text.size() : at)) != std::string_view::npos;
       at += 4) {
    const auto line = static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
    findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "This value is decrypted, as `eyaml edit` shows it",
                  "Encrypt it before it is committed.");
  }
}

/// The options that lookups of a key (or of those a pattern matches) get.
void DataFiles::check_lookup_options(const RepositoryFile& file, std::string_view text, const Hash& options) {
  const uint32_t first = std::max<uint32_t>(line_of(text, "lookup_options"), 1);
  for (const HashEntry& e : options.entries()) {
    if (!e.key.is_string()) continue;
    const std::string_view key = e.key.str();
    const uint32_t line = std::max(line_of(text, key, first), first);
    note_options(key, e.value);
    options_places_.push_back({std::string(key), &file, line});
    const auto told = [&](std::string_view word, std::string message, std::string suggestion = {}, std::optional<Severity> severity = {}) {
      findings_.add(CheckCode::lookup_option, file.shown, std::max(line_of(text, word, line), line), 0, std::move(message),
                    std::move(suggestion), severity);
    };
    if (key.starts_with('^')) try {
        const Regex pattern{std::string(key)};
      } catch (const RegexError& error) { told(key, fmt::format("'{}' is no regular expression: {}", key, error.message)); }
    if (!e.value.is_hash()) {
      told(key, fmt::format("The options of '{}' are no hash", key), "Write merge: or convert_to: below it.");
      continue;
    }
    for (const HashEntry& option : e.value.hash->entries()) {
      if (!option.key.is_string()) continue;
      static const std::vector<std::string_view> known = {"merge", "convert_to"};
      const std::string_view name = option.key.str();
      if (std::find(known.begin(), known.end(), name) == known.end())
        told(name, fmt::format("The option '{}' of '{}' means nothing", name, key), did_you_mean(name, known), Severity::Warning);
      if (program_ == nullptr) continue;
      if (name == "convert_to") check_conversion(key, option.value, told);
      if (name != "merge") continue;
      try {
        (void)MergeStrategy::from(program_->types(), option.value);
      } catch (const CompileError& error) {
        const std::string& message = error.diagnostic.message;
        told(named_part(option.value, message).value_or(name), fmt::format("The option 'merge' of '{}': {}", key, message));
      }
    }
  }
}

/// The type that values of the key become: it exists.
void DataFiles::check_conversion(std::string_view key, const Value& to, const Told& told) {
  const Value first = to.is_list() ? (to.items().empty() ? Value::undef() : to.items()[0]) : to;
  if (!first.is_string()) return;
  const std::string_view text = first.str();
  try {
    const std::string unknown = unknown_type(parse_type(program_->types(), text));
    const std::string near = near_data_type(unknown);
    if (!unknown.empty() && (program_->may_exist(unknown) == Known::No || !near.empty()))
      told(text, fmt::format("The option 'convert_to' of '{}' names a type that does not exist: '{}'", key, unknown), near, {});
  } catch (const CompileError& error) {
    told(text, fmt::format("The option 'convert_to' of '{}' is no type: {}", key, error.diagnostic.message), {}, {});
  }
}

/// Keeps what options mean for lookups of the key.
void DataFiles::note_options(std::string_view key, const Value& options) {
  KeyOptions known;
  known.key = key;
  if (key.starts_with('^')) {
    try {
      known.pattern = std::make_shared<const Regex>(std::string(key));
    } catch (const RegexError&) { return; }
  }
  if (options.is_hash()) {
    const Value* convert = options.hash->find("convert_to");
    known.converts = convert != nullptr && !convert->is_undef();
    known.secret = convert != nullptr && convert->is_string() && convert->str() == "Sensitive";
    const Value* merge = options.hash->find("merge");
    if (merge != nullptr && merge->is_hash()) {
      const Value *strategy = merge->hash->find("strategy"), *knockout = merge->hash->find("knockout_prefix");
      if (knockout != nullptr && knockout->is_string()) known.knockout = knockout->str();
      merge = strategy;
    }
    if (merge != nullptr && merge->is_string()) known.merge = merge->str();
  }
  options_.push_back(std::move(known));
}

void add_data_error(Findings& findings, const std::string& file, const DataError& error) {
  if (error.wrong_line == 0)
    findings.add(CheckCode::data_syntax, file, std::max<uint32_t>(error.line, 1), error.column, error.message);
  else
    findings.add(CheckCode::data_syntax, file, error.wrong_line, error.wrong_column,
                 error.wrong_token.empty() ? "The JSON ends too early" : fmt::format("Unexpected {} in JSON", error.wrong_token));
}

uint32_t line_of(std::string_view text, std::string_view word, uint32_t first) {
  uint32_t found = 0;
  if (!word.empty())
    for_lines(text, [&](uint32_t number, std::string_view line) {
      if (found != 0 || number < first) return;
      const size_t at = line.find(word);
      const size_t comment = line.find('#');
      if (at != std::string_view::npos && (comment == std::string_view::npos || at < comment)) found = number;
    });
  return found;
}

uint32_t line_of_level(std::string_view text, std::string_view name, uint32_t first) {
  uint32_t found = 0;
  for_lines(text, [&](uint32_t number, std::string_view line) {
    const size_t key = line.find("name:");
    if (found != 0 || number < first || key == std::string_view::npos) return;
    const std::string_view rest = line.substr(key + 5);
    if (trimmed(rest.substr(0, rest.find(" #")), " \t\r\"',}") == name) found = number;
  });
  return found != 0 ? found : first;
}

} // namespace pupc::compiler
