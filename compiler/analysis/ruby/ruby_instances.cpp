// Methods that objects of Ruby's own classes do not have, where the code makes the object: IPAddr.new(x).range.
#include "compiler/analysis/ruby/ruby_instances.h"

#include "catalog/base/similar_names.h"
#include "catalog/base/split_text.h"
#include "compiler/analysis/ruby/ruby_known_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_set>

namespace pupc::compiler {
namespace {

struct ObjectMethods {
  std::string_view name, methods;
};
/// What Ruby 3.2, its libraries and Puppet's changes to them give to such objects, besides what all objects have.
constexpr ObjectMethods of_classes[] = {
    {"IPAddr", "between? cidr clamp family hton include? ip6_arpa ip6_int ipv4? ipv4_compat ipv4_compat? ipv4_mapped "
               "ipv4_mapped? ipv6? link_local? loopback? mask native netmask prefix prefix= private? reverse succ to_i "
               "to_range to_string wildcard_mask zone_id zone_id="},
    {"Time", "asctime between? ceil clamp ctime day deconstruct_keys dst? floor friday? getgm getlocal getutc gmt? "
             "gmt_offset gmtime gmtoff hour httpdate isdst iso8601 localtime mday min mon monday? month nsec rfc2822 rfc822 "
             "round saturday? sec strftime subsec sunday? thursday? to_a to_date to_datetime to_f to_i to_r to_time tuesday? "
             "tv_nsec tv_sec tv_usec usec utc utc? utc_offset wday wednesday? xmlschema yday year zone"},
    {"Date", "ajd amjd asctime between? clamp ctime cwday cweek cwyear day day_fraction deconstruct_keys downto england "
             "friday? gregorian gregorian? httpdate infinite? iso8601 italy jd jisx0301 julian julian? ld leap? marshal_dump "
             "marshal_load mday mjd mon monday? month new_start next next_day next_month next_year prev_day prev_month "
             "prev_year rfc2822 rfc3339 rfc822 saturday? start step strftime succ sunday? thursday? to_date to_datetime "
             "to_time tuesday? upto wday wednesday? xmlschema yday year"},
    {"DateTime", "ajd amjd asctime between? clamp ctime cwday cweek cwyear day day_fraction deconstruct_keys downto england "
                 "friday? gregorian gregorian? hour httpdate infinite? iso8601 italy jd jisx0301 julian julian? ld leap? "
                 "marshal_dump marshal_load mday min minute mjd mon monday? month new_offset new_start next next_day next_month "
                 "next_year offset prev_day prev_month prev_year rfc2822 rfc3339 rfc822 saturday? sec sec_fraction second "
                 "second_fraction start step strftime succ sunday? thursday? to_date to_datetime to_time tuesday? upto wday "
                 "wednesday? xmlschema yday year zone"},
    {"Pathname", "absolute? ascend atime basename binread binwrite birthtime blockdev? chardev? children chmod chown cleanpath "
                 "ctime delete descend directory? dirname each_child each_entry each_filename each_line empty? entries "
                 "executable? executable_real? exist? expand_path extname file? find fnmatch fnmatch? ftype glob grpowned? join "
                 "lchmod lchown lstat make_link make_symlink mkdir mkpath mountpoint? mtime open opendir owned? parent pipe? "
                 "read readable? readable_real? readlines readlink realdirpath realpath relative? relative_path_from rename "
                 "rmdir rmtree root? setgid? setuid? size size? socket? split stat sticky? sub sub_ext symlink? sysopen to_path "
                 "truncate unlink utime world_readable? world_writable? writable? writable_real? write zero?"},
};

/// The methods of a class; null for one that is not listed.
const std::vector<std::string_view>* methods_of(std::string_view name) {
  static const auto* known = [] {
    auto* out = new std::map<std::string_view, std::vector<std::string_view>>;
    for (const ObjectMethods& c : of_classes) out->emplace(c.name, catalog::split_views(c.methods, ' '));
    return out;
  }();
  const auto at = known->find(name);
  return at == known->end() ? nullptr : &at->second;
}

/// The index behind an expression that makes an object: IPAddr.new(x), Time.now. `at` is the constant. 0: it is none.
size_t end_of_making(std::span<const RubyToken> tokens, size_t at) {
  if (at + 2 >= tokens.size() || !is_op(tokens[at + 1], '.') || (at > 0 && (is_op(tokens[at - 1], "::") || is_op(tokens[at - 1], '.'))))
    return 0;
  const std::string_view made = tokens[at + 2].text;
  const bool now = tokens[at].text == "Time" && made == "now", today = tokens[at].text == "Date" && made == "today";
  if (made != "new" && !now && !today) return 0;
  if (at + 3 >= tokens.size() || !is_op(tokens[at + 3], '(')) return made == "new" ? 0 : at + 3;
  return tokens[at + 3].match == RubyToken::no_match ? 0 : tokens[at + 3].match + 1;
}

} // namespace

void check_ruby_instances(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, Findings& findings) {
  const auto changed = [&](std::string_view name) { // class IPAddr … end
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (is_keyword(tokens[i], ruby::Word::Class) && tokens[i + 1].text == name) return true;
    return false;
  };
  const auto check_call = [&](size_t dot, std::string_view name, const std::vector<std::string_view>& methods) {
    if (dot + 1 >= tokens.size() || !is_op(tokens[dot], '.') || tokens[dot + 1].kind != RubyTokenKind::Identifier) return;
    const std::string_view method = tokens[dot + 1].text;
    if (is_object_word(method) || std::ranges::find(methods, method) != methods.end() || method.ends_with('!') || changed(name)) return;
    if (dot + 2 < tokens.size() && is_op(tokens[dot + 2], '=')) return;
    std::string suggestion = did_you_mean(method, methods);
    for (std::string_view known : methods) // range for to_range
      if (suggestion.empty() && known.ends_with(fmt::format("_{}", method))) suggestion = fmt::format("Did you mean '{}'?", known);
    findings.add(code, file.shown, tokens[dot + 1].line, 0, fmt::format("An object of the class {} has no method '{}'", name, method),
                 std::move(suggestion), Severity::Warning);
  };
  struct MadeObject {
    std::string_view of; // empty: of several, or of any
    const std::vector<std::string_view>* methods = nullptr;
  };
  std::map<std::string_view, MadeObject> variables;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != RubyTokenKind::Constant) continue;
    const auto* methods = methods_of(tokens[i].text);
    const size_t end = methods != nullptr ? end_of_making(tokens, i) : 0;
    if (end == 0) continue;
    check_call(end, tokens[i].text, *methods);
    const bool ends = end >= tokens.size() || tokens[end].kind == RubyTokenKind::Newline;
    if (i > 1 && is_op(tokens[i - 1], '=') && tokens[i - 2].kind == RubyTokenKind::Identifier && ends)
      variables.try_emplace(tokens[i - 2].text, MadeObject{tokens[i].text, methods});
  }
  if (variables.empty()) return;
  // A name that is set or bound elsewhere, too, may be of another class.
  for (auto& [name, variable] : variables) {
    size_t set = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text != name && tokens[i].body != name) continue;
      const bool used = i + 1 < tokens.size() && tokens[i].kind == RubyTokenKind::Identifier && is_op(tokens[i + 1], '.');
      const bool assigned = i + 1 < tokens.size() && is_op(tokens[i + 1], '=');
      const bool bound = i > 0 && (is_op(tokens[i - 1], '|') || is_op(tokens[i - 1], ',') || is_op(tokens[i - 1], '(') ||
                                   is_keyword(tokens[i - 1], ruby::Word::Def));
      if (assigned) ++set;
      if (!used && !assigned && (bound || tokens[i].kind != RubyTokenKind::Identifier)) set = 2;
    }
    if (set != 1) continue;
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].kind == RubyTokenKind::Identifier && tokens[i].text == name && (i == 0 || !is_op(tokens[i - 1], '.')))
        check_call(i + 1, variable.of, *variable.methods);
  }
}

} // namespace pupc::compiler
