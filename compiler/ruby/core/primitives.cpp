// What the library's Ruby text (library/*.rb) cannot do by itself: times of the machine, files, digests, random numbers; and Math.
#include "compiler/ruby/core/file_changes.h"
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/values/ruby_module.h"

#include "catalog/base/paths.h"
#include "catalog/base/utf8.h"
#include "catalog/value/digest.h"
#include "catalog/value/mersenne_twister.h"
#include "catalog/value/semver_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <crypt.h>
#include <ctime>
#include <dirent.h>
#include <memory>
#include <random>
#include <span>
#include <type_traits>

#include <sys/stat.h>
#include <unistd.h>

namespace pupc::compiler::ruby {
namespace {

double float_argument(Core& core, const MethodCall& c, size_t i) {
  if (i >= c.args.size() || !c.args[i].is_number()) core.unknown(c);
  return c.args[i].number();
}

/// The parts of a time: year, month, day, hour, minute, second, weekday, day of the year, daylight saving, offset from UTC, zone.
RubyValue time_parts(Core& core, const MethodCall& c) {
  core.need(c, 2);
  const time_t at = core.integer_argument(c, 0);
  struct tm parts {};
  if ((c.args[1].truthy() ? localtime_r(&at, &parts) : gmtime_r(&at, &parts)) == nullptr) core.not_rendered(c.line, "a time");
  auto n = [](int v) { return RubyValue::integer(v); };
  return core.list({n(parts.tm_year + 1900), n(parts.tm_mon + 1), n(parts.tm_mday), n(parts.tm_hour), n(parts.tm_min), n(parts.tm_sec),
                    n(parts.tm_wday), n(parts.tm_yday + 1), RubyValue::boolean(parts.tm_isdst > 0), RubyValue::integer(parts.tm_gmtoff),
                    core.str(c.args[1].truthy() ? parts.tm_zone : "UTC")});
}

/// Seconds since 1970 of a local time.
RubyValue time_local(Core& core, const MethodCall& c) {
  core.need(c, 6);
  struct tm parts {};
  parts.tm_year = static_cast<int>(core.integer_argument(c, 0) - 1900);
  parts.tm_mon = static_cast<int>(core.integer_argument(c, 1) - 1);
  parts.tm_mday = static_cast<int>(core.integer_argument(c, 2));
  parts.tm_hour = static_cast<int>(core.integer_argument(c, 3));
  parts.tm_min = static_cast<int>(core.integer_argument(c, 4));
  parts.tm_sec = static_cast<int>(core.integer_argument(c, 5));
  parts.tm_isdst = -1;
  return RubyValue::integer(mktime(&parts));
}

RubyValue time_now(Core& core, const MethodCall& c) {
  core.need(c, 0, 1);
  struct timespec now {};
  clock_gettime(c.args.empty() ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
  return core.list({RubyValue::integer(now.tv_sec), RubyValue::integer(now.tv_nsec)});
}

/// Size, type, permissions and times of a file; nil when there is none.
RubyValue file_state(Core& core, const MethodCall& c) {
  core.need(c, 2);
  const std::string path(core.string_argument(c, 0));
  core.host.looked_at(path);
  struct stat info {};
  if ((c.args[1].truthy() ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) != 0) return {};
  const std::string_view type = S_ISREG(info.st_mode)    ? "file"
                                : S_ISDIR(info.st_mode)  ? "directory"
                                : S_ISLNK(info.st_mode)  ? "link"
                                : S_ISCHR(info.st_mode)  ? "characterSpecial"
                                : S_ISBLK(info.st_mode)  ? "blockSpecial"
                                : S_ISFIFO(info.st_mode) ? "fifo"
                                                         : "socket";
  return core.list({RubyValue::integer(info.st_size), core.str(std::string(type)), RubyValue::integer(info.st_mode),
                    RubyValue::integer(info.st_mtim.tv_sec), RubyValue::integer(info.st_mtim.tv_nsec), RubyValue::integer(info.st_uid),
                    RubyValue::integer(info.st_gid)});
}

/// The names in a directory, as the system lists them; nil when there is none.
RubyValue directory(Core& core, const MethodCall& c) {
  core.need(c, 1);
  core.host.looked_at(core.string_argument(c, 0));
  DIR* opened = ::opendir(std::string(core.string_argument(c, 0)).c_str());
  if (opened == nullptr) return {};
  std::vector<RubyValue> names;
  while (const dirent* entry = ::readdir(opened)) {
    if (valid_utf8(entry->d_name)) names.push_back(core.str(entry->d_name));
  }
  ::closedir(opened);
  return core.list(std::move(names));
}

/// The text of a file; nil when there is none.
RubyValue read_file(Core& core, const MethodCall& c) {
  core.need(c, 1);
  const std::string path(core.string_argument(c, 0));
  core.host.looked_at(path);
  auto text = read_whole_file(path);
  if (!text && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  if (!text || !valid_utf8(*text)) core.not_rendered(c.line, "the content of this file");
  return core.str(std::move(*text));
}

RubyValue file_access(Core& core, const MethodCall& c) {
  core.need(c, 2);
  core.host.looked_at(core.string_argument(c, 0));
  return RubyValue::boolean(::access(std::string(core.string_argument(c, 0)).c_str(), static_cast<int>(core.integer_argument(c, 1))) == 0);
}

/// The path without links; nil when there is no such file.
RubyValue real_path(Core& core, const MethodCall& c) {
  core.need(c, 1);
  core.host.looked_at(core.string_argument(c, 0));
  char* found = ::realpath(std::string(core.string_argument(c, 0)).c_str(), nullptr);
  if (found == nullptr) return {};
  std::string text = found;
  ::free(found);
  return core.str(std::move(text));
}

RubyValue read_link(Core& core, const MethodCall& c) {
  core.need(c, 1);
  core.host.looked_at(core.string_argument(c, 0));
  char buffer[4096];
  const ssize_t length = ::readlink(std::string(core.string_argument(c, 0)).c_str(), buffer, sizeof buffer);
  return length < 0 ? RubyValue() : core.str(std::string(buffer, static_cast<size_t>(length)));
}

/// The files that code may change, of which this is the path.
FileChanges& changes_of(Core& core, const MethodCall& c) {
  FileChanges* changes = core.host.file_changes();
  if (changes == nullptr) core.not_rendered(c.line, "a file that is changed");
  core.host.looked_at(core.string_argument(c, 0));
  return *changes;
}

/// Ruby words the error of a change that fails.
RubyValue changed_file(Core& core, const MethodCall& c, bool good) {
  if (!good) core.not_rendered(c.line, fmt::format("the error of {}", core.string_argument(c, 0)));
  return {};
}

/// make_directory(path, whether it may be there)
RubyValue make_directory(Core& core, const MethodCall& c) {
  core.need(c, 2);
  return changed_file(core, c, changes_of(core, c).make_directory(std::string(core.string_argument(c, 0)), c.args[1].truthy()));
}

/// write_file(path, text, append, permissions)
RubyValue write_file(Core& core, const MethodCall& c) {
  core.need(c, 4);
  return changed_file(core, c,
                      changes_of(core, c).write(std::string(core.string_argument(c, 0)), any_text(core, c, 1), c.args[2].truthy(),
                                                static_cast<mode_t>(core.integer_argument(c, 3))));
}

/// set_owner(path, user, group): nil leaves one as it is.
RubyValue set_owner(Core& core, const MethodCall& c) {
  core.need(c, 3);
  auto number = [&](size_t i) { return c.args[i].is_nil() ? -1 : core.integer_argument(c, i); };
  return changed_file(core, c, changes_of(core, c).set_owner(std::string(core.string_argument(c, 0)), number(1), number(2)));
}

RubyValue set_mode(Core& core, const MethodCall& c) {
  core.need(c, 2);
  return changed_file(
      core, c, changes_of(core, c).set_mode(std::string(core.string_argument(c, 0)), static_cast<mode_t>(core.integer_argument(c, 1))));
}

RubyValue remove_file(Core& core, const MethodCall& c) {
  core.need(c, 1);
  return changed_file(core, c, changes_of(core, c).remove(std::string(core.string_argument(c, 0))));
}

RubyValue working_directory(Core& core, const MethodCall& c) {
  core.need(c, 0);
  char buffer[4096];
  return ::getcwd(buffer, sizeof buffer) == nullptr ? RubyValue() : core.str(buffer);
}

RubyValue environment(Core& core, const MethodCall& c) {
  core.need(c, 1);
  const char* found = ::getenv(std::string(core.string_argument(c, 0)).c_str());
  return found == nullptr ? RubyValue() : core.str(found);
}

/// Random bytes as hexadecimal digits.
RubyValue random_hex(Core& core, const MethodCall& c) {
  core.need(c, 1);
  const int64_t n = core.integer_argument(c, 0);
  if (n < 0 || n > 1'000'000) core.unknown(c);
  std::random_device source;
  std::string out;
  for (int64_t i = 0; i < n; ++i) out += fmt::format("{:02x}", source() & 0xFF);
  return core.str(std::move(out));
}

DigestAlgorithm algorithm_of(std::string_view name) {
  using enum DigestAlgorithm;
  return name == "md5" ? Md5 : name == "sha1" ? Sha1 : name == "sha256" ? Sha256 : name == "sha384" ? Sha384 : Sha512;
}

/// The parts of a text, whose digest is wanted.
std::string digested_parts(Core& core, const MethodCall& c) {
  core.need(c, 2);
  std::string all;
  for (const RubyValue& part : core.array_argument(c, 1)) all += any_text(core, {c.self, c.method, c.name, {&part, 1}, nullptr, c.line}, 0);
  return all;
}

RubyValue digest(Core& core, const MethodCall& c) {
  return core.str(hex_digest(algorithm_of(core.string_argument(c, 0)), digested_parts(core, c)));
}

RubyValue digest_bytes(Core& core, const MethodCall& c) {
  return core.heap.bytes(byte_digest(algorithm_of(core.string_argument(c, 0)), digested_parts(core, c)));
}

// A digest that is made in parts is an object with the text that it has got so far, in a variable that code cannot name.
constexpr std::string_view digested_text = "(text)";

/// digest_begin(object, algorithm)
RubyValue digest_begin(Core& core, const MethodCall& c) {
  core.need(c, 2);
  core.string_argument(c, 1);
  if (!c.args[0].is(RubyKind::Object)) core.unknown(c);
  NamedValues& variables = c.args[0].object->instance_variables;
  variables["algorithm"] = c.args[1];
  variables[digested_text] = core.heap.bytes({});
  return c.args[0];
}

std::string& text_to_digest(Core& core, const MethodCall& c) {
  if (c.args.empty() || !c.args[0].is(RubyKind::Object)) core.unknown(c);
  NamedValues& variables = c.args[0].object->instance_variables;
  const auto known = variables.find(digested_text);
  if (known == variables.end()) core.unknown(c);
  return known->second.bytes->text;
}

void check_digest_changeable(Core& core, const MethodCall& c) {
  if (c.args[0].object->frozen) core.not_rendered(c.line, "a change of a frozen digest");
  if (c.args[0].object->kept) core.change_kept(c.line, "a digest of all calls that a call changes");
}

/// digest_add(object, part)
RubyValue digest_add(Core& core, const MethodCall& c) {
  core.need(c, 2);
  std::string& text = text_to_digest(core, c);
  check_digest_changeable(core, c);
  text += any_text(core, c, 1);
  return c.args[0];
}

RubyValue digest_reset(Core& core, const MethodCall& c) {
  core.need(c, 1);
  std::string& text = text_to_digest(core, c);
  check_digest_changeable(core, c);
  text.clear();
  return c.args[0];
}

/// The digest of what the object has got; with another text than nil that of this one, and what it has got is gone.
template <std::string (*Make)(DigestAlgorithm, std::string_view)> std::string digest_of_object(Core& core, const MethodCall& c) {
  core.need(c, 2);
  std::string& text = text_to_digest(core, c);
  const DigestAlgorithm algorithm = algorithm_of(c.args[0].object->instance_variables["algorithm"].text());
  if (c.args[1].is_nil()) return Make(algorithm, text);
  std::string out = Make(algorithm, any_text(core, c, 1));
  check_digest_changeable(core, c);
  text.clear();
  return out;
}

RubyValue digest_end(Core& core, const MethodCall& c) { return core.heap.bytes(digest_of_object<byte_digest>(core, c)); }

RubyValue digest_end_hex(Core& core, const MethodCall& c) { return core.str(digest_of_object<hex_digest>(core, c)); }

/// A generator of a seed, which is a list of words of 32 bits, the lowest first.
RubyValue random_state(Core& core, const MethodCall& c) {
  core.need(c, 1);
  std::vector<uint32_t> key;
  for (const RubyValue& word : core.array_argument(c, 0)) key.push_back(static_cast<uint32_t>(word.i));
  const MersenneTwister twister(key);
  return core.heap.bytes(std::string(reinterpret_cast<const char*>(&twister), sizeof twister));
}

MersenneTwister& twister_of(Core& core, const MethodCall& c) {
  static_assert(std::is_trivially_copyable_v<MersenneTwister>);
  if (c.args.empty() || !c.args[0].is(RubyKind::Bytes) || c.args[0].bytes->text.size() != sizeof(MersenneTwister)) core.unknown(c);
  return *reinterpret_cast<MersenneTwister*>(c.args[0].bytes->text.data());
}

/// The next number of a generator: from 0 to a limit, or a float where that is nil.
RubyValue random_draw(Core& core, const MethodCall& c) {
  core.need(c, 2);
  MersenneTwister& twister = twister_of(core, c);
  if (c.args[1].is_nil()) return RubyValue::floating(twister.next_float());
  return RubyValue::integer(static_cast<int64_t>(twister.limited(static_cast<uint64_t>(core.integer_argument(c, 1)))));
}

RubyValue random_bytes(Core& core, const MethodCall& c) {
  core.need(c, 2);
  MersenneTwister& twister = twister_of(core, c);
  const int64_t n = core.integer_argument(c, 1);
  if (n < 0 || n > 1'000'000) core.unknown(c);
  std::string out;
  while (static_cast<int64_t>(out.size()) < n) {
    uint32_t word = twister.next();
    for (int i = 0; i < 4 && static_cast<int64_t>(out.size()) < n; ++i, word >>= 8) out += static_cast<char>(word & 0xFF);
  }
  return core.heap.bytes(std::move(out));
}

/// String#crypt; the settings that the system does not know are errors of Ruby's.
RubyValue crypt_text(Core& core, const MethodCall& c) {
  core.need(c, 2);
  const std::string phrase(core.string_argument(c, 0)), setting(core.string_argument(c, 1));
  auto data = std::make_unique<crypt_data>();
  const char* hash = ::crypt_r(phrase.c_str(), setting.c_str(), data.get());
  if (hash == nullptr || hash[0] == '*' || phrase.find('\0') != std::string::npos) core.not_rendered(c.line, "crypt with this salt");
  return core.heap.bytes(hash);
}

RubyValue render_text(Core& core, const MethodCall& c) { return core.render_text(c); }

/// Calls a function of Puppet's, which has no effects.
RubyValue puppet_function(Core& core, const MethodCall& c) {
  if (c.args.empty()) core.unknown(c);
  std::vector<Value> args;
  for (const RubyValue& arg : c.args.subspan(1)) args.push_back(core.to_puppet(arg, c.line));
  return core.from_puppet(core.host.call_function(core.string_argument(c, 0), args, false));
}

/// The printed form of a version range; nil where the text is none.
RubyValue range_text(Core& core, const MethodCall& c) {
  core.need(c, 1);
  const SemVerRange* range = parse_semver_range(core.host.arena(), core.host.keep(std::string(core.string_argument(c, 0))));
  return range == nullptr ? RubyValue() : core.str(std::string(range->text));
}

/// Whether a version range includes a version.
RubyValue in_range(Core& core, const MethodCall& c) {
  core.need(c, 2);
  const SemVerRange* range = parse_semver_range(core.host.arena(), core.host.keep(std::string(core.string_argument(c, 0))));
  const std::optional<SemVer> version = parse_semver(core.string_argument(c, 1));
  if (range == nullptr || !version) core.unknown(c);
  return RubyValue::boolean(includes(*range, *version));
}

/// Logs as Puppet::Util::Log.create does: level, message, and the source or nil.
RubyValue log_of_puppet(Core& core, const MethodCall& c) {
  core.need(c, 2);
  const std::optional<LogLevel> level = find_log_level(core.string_argument(c, 0));
  if (!level) core.unknown(c);
  core.logs.push_back({*level, core.to_s(c.args[1], c.line)});
  return {};
}

/// Tells of a deprecation once for its key.
RubyValue log_deprecation(Core& core, const MethodCall& c) {
  core.need(c, 2);
  core.logs.push_back({LogLevel::Warning, core.to_s(c.args[1], c.line), {}, std::string(core.string_argument(c, 0))});
  return {};
}

RubyValue puppet_stack(Core& core, const MethodCall&) { return core.from_puppet(core.host.puppet_stack()); }

/// A type of the language as the data that a catalog has for it.
RubyValue rich_data(Core& core, const MethodCall& c) {
  core.need(c, 1);
  if (!c.args[0].is(RubyKind::Foreign) || !c.args[0].foreign->is_type()) core.unknown(c);
  return core.from_puppet(c.args[0].foreign->opaque->to_rich_data(core.host.arena()));
}

struct Named {
  std::string_view name;
  Primitive function;
};
constexpr Named primitives[] = {{"time_parts", time_parts},
                                {"time_local", time_local},
                                {"time_now", time_now},
                                {"file_state", file_state},
                                {"read_file", read_file},
                                {"directory", directory},
                                {"file_access", file_access},
                                {"real_path", real_path},
                                {"read_link", read_link},
                                {"make_directory", make_directory},
                                {"write_file", write_file},
                                {"set_owner", set_owner},
                                {"set_mode", set_mode},
                                {"remove_file", remove_file},
                                {"working_directory", working_directory},
                                {"environment", environment},
                                {"random_hex", random_hex},
                                {"random_state", random_state},
                                {"random_draw", random_draw},
                                {"random_bytes", random_bytes},
                                {"digest", digest},
                                {"digest_bytes", digest_bytes},
                                {"digest_begin", digest_begin},
                                {"digest_add", digest_add},
                                {"digest_reset", digest_reset},
                                {"digest_end", digest_end},
                                {"digest_end_hex", digest_end_hex},
                                {"render_text", render_text},
                                {"puppet_function", puppet_function},
                                {"range_text", range_text},
                                {"in_range", in_range},
                                {"log_of_puppet", log_of_puppet},
                                {"log_deprecation", log_deprecation},
                                {"puppet_stack", puppet_stack},
                                {"rich_data", rich_data},
                                {"encoded", encoded},
                                {"crypt", crypt_text}};

struct NamedMath {
  std::string_view name;
  double (*function)(double);
};
constexpr NamedMath of_one[] = {{"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},    {"asin", std::asin},
                                {"acos", std::acos}, {"atan", std::atan},   {"exp", std::exp},    {"cbrt", std::cbrt},
                                {"sinh", std::sinh}, {"cosh", std::cosh},   {"tanh", std::tanh},  {"asinh", std::asinh},
                                {"erf", std::erf},   {"erfc", std::erfc},   {"log2", std::log2},  {"log10", std::log10},
                                {"sqrt", std::sqrt}, {"acosh", std::acosh}, {"atanh", std::atanh}};

} // namespace

Primitive find_primitive(std::string_view name) {
  const auto* const known = std::ranges::find(primitives, name, &Named::name);
  return known == std::end(primitives) ? nullptr : known->function;
}

RubyValue primitive_method(Core& core, const MethodCall& c) {
  const Primitive known = find_primitive(c.name);
  if (known == nullptr) core.unknown(c);
  return known(core, c);
}

RubyValue math_method(Core& core, const MethodCall& c) {
  auto domain = [&](bool fits) {
    if (!fits) core.not_rendered(c.line, "a number beyond a function's domain");
  };
  if (c.name == "atan2" || c.name == "hypot" || c.name == "pow") {
    core.need(c, 2);
    const double a = float_argument(core, c, 0), b = float_argument(core, c, 1);
    return RubyValue::floating(c.name == "atan2" ? std::atan2(a, b) : std::hypot(a, b));
  }
  if (c.name == "log") {
    core.need(c, 1, 2);
    const double a = float_argument(core, c, 0);
    domain(a >= 0);
    if (c.args.size() == 1) return RubyValue::floating(std::log(a));
    return RubyValue::floating(std::log(a) / std::log(float_argument(core, c, 1)));
  }
  for (const NamedMath& known : of_one)
    if (known.name == c.name) {
      core.need(c, 1);
      const double a = float_argument(core, c, 0);
      if (c.name == "sqrt" || c.name == "log2" || c.name == "log10") domain(a >= 0);
      if (c.name == "acosh") domain(a >= 1);
      if (c.name == "asin" || c.name == "acos" || c.name == "atanh") domain(std::fabs(a) <= 1);
      return RubyValue::floating(known.function(a));
    }
  core.unknown(c);
}

} // namespace pupc::compiler::ruby
