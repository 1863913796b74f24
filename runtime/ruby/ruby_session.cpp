#include "runtime/ruby/ruby_session.h"

#include "catalog/formats/data_file.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "runtime/provider/file/filebucket.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/ruby/ruby_value.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace pupc {

std::string_view ruby_provider_source();
std::string_view ruby_native_provider_source();
std::string_view ruby_native_attribute_source();
std::string_view ruby_resource_api_source();
std::string_view ruby_parsed_file_source();
std::string_view ruby_ini_config_source();
std::string_view ruby_name_service_source();
std::string_view ruby_unique_file_source();

namespace {

/// A part of the facade that the worker gets only when code needs it.
struct SourcePart {
  std::string_view name;
  std::string_view (*text)();
};

const SourcePart* source_part(std::string_view name) {
  static constexpr std::array<SourcePart, 7> parts{{{"native_providers", ruby_native_provider_source},
                                                    {"native_attributes", ruby_native_attribute_source},
                                                    {"resource_api", ruby_resource_api_source},
                                                    {"parsed_file", ruby_parsed_file_source},
                                                    {"ini_config", ruby_ini_config_source},
                                                    {"name_service", ruby_name_service_source},
                                                    {"unique_file", ruby_unique_file_source}}};
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const SourcePart& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

LogLevel level_named(std::string_view name) {
  for (const LogLevel level :
       {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Alert, LogLevel::Emerg, LogLevel::Crit})
    if (name_of(level) == name) return level;
  return LogLevel::Err;
}

} // namespace

RubySession::RubySession(RubyTypesOptions options, std::vector<std::string> libraries)
    : options_(std::move(options)), libraries_(std::move(libraries)) {}

std::string RubySession::library_file(std::string_view name) const {
  std::error_code error;
  for (const std::string& directory : libraries_)
    if (std::string path = fmt::format("{}/{}", directory, name); std::filesystem::is_regular_file(path, error)) return path;
  return {};
}

std::vector<std::string> RubySession::library_files(std::string_view folder) const {
  std::vector<std::string> out;
  std::error_code error;
  for (const std::string& directory : libraries_)
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/{}", directory, folder), error))
      if (entry.path().extension() == ".rb") out.push_back(entry.path());
  return out;
}

void RubySession::start(RunContext& run) {
  if (!options_.allowed) throw UnplacedError("this type or provider is written in Ruby, and --ruby=never was given");
  worker_ = std::make_unique<RubyWorker>(options_.program, "providers", ruby_provider_source());
  ++epoch_;
  converse(
      run, "start",
      [&](JsonWriter& w) {
        w.begin_array();
        for (const std::string& directory : libraries_) w.string(directory);
        w.end_array();
        w.begin_object();
        for (const auto& [setting, value] : options_.settings) {
          w.key(setting);
          write_ruby_value(w, value);
        }
        w.end_object();
        w.string(name_of(options_.log_level));
      },
      nullptr);
}

Value RubySession::call(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
                        const ManagedResource* about) {
  try {
    if (!worker_) start(run);
    return converse(run, operation, arguments, about);
  } catch (const RubyWorkerLost& lost) {
    worker_.reset();
    throw RubyGone(fmt::format("The Ruby process of the providers {}", lost.reason));
  }
}

Value RubySession::converse(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
                            const ManagedResource* about) {
  std::string request;
  JsonWriter w(request);
  w.begin_array();
  w.string(operation);
  arguments(w);
  w.end_array();
  worker_->send(request, options_.timeout);
  std::chrono::nanoseconds patience = options_.timeout;
  while (true) {
    const std::string bytes = worker_->receive(patience, options_.timeout);
    Value message;
    const bool readable = !read_json(bytes, run.arena, message) && message.is_list() && !message.items().empty() &&
                          message.items()[0].is_string();
    const std::span<const Value> parts = readable ? message.items() : std::span<const Value>();
    const std::string_view kind = readable ? parts[0].str() : "";
    if (kind == "done" && parts.size() > 1) return parts[1];
    if (kind == "failed" && parts.size() > 3)
      throw RubyFailure(value_text(parts[2]), value_text(parts[1]), parts[3].is_bool() && parts[3].b);
    if (kind == "log" && parts.size() > 3) {
      run.log_from(level_named(parts[1].str()), value_text(parts[2]), value_text(parts[3]), about);
    } else if (kind == "ask" && parts.size() > 1) {
      answer(run, parts.subspan(1));
    } else {
      throw RubyWorkerLost{"sent what is no answer"};
    }
  }
}

void RubySession::write_resource(JsonWriter& w, const ManagedResource& resource) const {
  const auto id = ids_.find(&resource);
  w.begin_array();
  if (id == ids_.end())
    w.null();
  else
    w.integer(id->second);
  w.string(resource.printed_type);
  w.string(resource.title);
  w.begin_object();
  for (const ManagedAttribute& a : resource.attributes) {
    if (is_guard_metaparameter(find_symbol(a.name))) continue;
    w.key(a.name);
    write_ruby_value(w, a.value);
  }
  w.end_object();
  w.end_array();
}

namespace {

/// Runs a command as another user, as Ruby code asks for it: the words, uid, gid, the environment (nil removes a variable), the directory,
/// the input, and whether errors belong to the output. The answer is the output, the exit status and why the command did not start.
void run_command_as(RunContext& run, std::span<const Value> question, JsonWriter& w) {
  bool ignored = false;
  auto text = [&](const Value& v) { return value_text(read_ruby_value(run.arena, v, ignored)); };
  Command command;
  for (const Value& word : question[0].items()) command.argv.push_back(text(word));
  if (command.argv.size() == 1 && command.argv[0].find_first_of(" \t\n;|&<>()$`'\"") != std::string::npos) {
    command.shell = command.argv[0];
    command.argv.clear();
  }
  command.uid = static_cast<uint32_t>(question[1].i);
  if (question[2].is_int()) command.gid = static_cast<uint32_t>(question[2].i);
  for (const Value& pair : question[3].items()) {
    const auto both = pair.items();
    if (both[1].is_undef())
      command.unset.push_back(text(both[0]));
    else
      command.environment.emplace_back(text(both[0]), text(both[1]));
  }
  command.directory = text(question[4]);
  command.input = text(question[5]);
  command.merge_output = question[6].is_bool() && question[6].b;
  const CommandResult result = run.system.run(command);
  const std::string program = command.argv.empty() ? "/bin/sh" : command.argv[0];
  w.begin_array();
  write_ruby_value(w, string_value(run.arena, result.output));
  w.integer(result.status);
  if (!result.not_started)
    w.null();
  else
    w.string(result.not_prepared.empty() ? SystemError(result.error, program).what() : result.not_prepared);
  w.end_array();
}

} // namespace

/// Answers a question of Ruby code: about facts, resources of the catalog, native types and data types. Also backs up a file
/// and runs a command as another user.
void RubySession::answer(RunContext& run, std::span<const Value> question) {
  const std::string_view what = question[0].str();
  auto argument = [&](size_t i) { return question.size() > i ? value_text(question[i]) : std::string(); };
  std::string text;
  JsonWriter w(text);
  w.begin_array();
  w.string("told");
  if (what == "fact") {
    write_ruby_value(w, run.fact(argument(1)));
  } else if (what == "facts") {
    write_ruby_value(w, options_.facts ? options_.facts() : Value::undef());
  } else if (what == "resource") {
    if (const ManagedResource* found = run.find(argument(1), argument(2)))
      write_resource(w, *found);
    else
      w.null();
  } else if (what == "resources") {
    w.begin_array();
    for (const ManagedResource* resource : run.all_resources()) write_resource(w, *resource);
    w.end_array();
  } else if (what == "type_problem" || what == "type_mismatch") {
    const std::string problem = what == "type_problem" ? options_.type_problem(argument(1))
                                : question.size() > 3
                                    ? options_.type_mismatch(argument(1), read_ruby_value_as_it_is(run.arena, question[2]), argument(3))
                                    : "";
    if (problem.empty())
      w.null();
    else
      w.string(problem);
  } else if (what == "execute" && question.size() > 7 && question[1].is_list() && question[2].is_int() && question[4].is_list()) {
    run_command_as(run, question.subspan(1), w);
  } else if (const SourcePart* part = what == "source" ? source_part(argument(1)) : nullptr) {
    w.string(part->text());
  } else if (what == "compare_versions") {
    if (const VersionOrder order = version_order(argument(1)))
      w.integer(order(argument(2), argument(3)));
    else
      w.null();
  } else if (const ResourceTypeInfo* type = what == "native_type" ? find_native_type(argument(1)) : nullptr) {
    w.begin_array();
    for (const ResourceTypeInfo::Attribute& a : type->attributes()) {
      w.begin_array();
      w.string(a.name.str());
      w.string(a.kind == AttributeKind::Property ? "property" : "param");
      w.boolean(a.namevar);
      w.end_array();
    }
    w.end_array();
  } else if (what == "set" && question.size() > 4) {
    if (ManagedResource* found = run.find(argument(1), argument(2))) try {
        bool ignored = false;
        run.set_attribute(*found, argument(3), read_ruby_value(run.arena, question[4], ignored));
      } catch (const ResourceError& e) { run.log(LogLevel::Err, *found, e.what()); }
    w.null();
  } else {
    if (what == "backup") try {
        keep_in_bucket(run, argument(1), run.settings.bucket_directory);
      } catch (const SystemError& e) { run.log(LogLevel::Warning, fmt::format("Could not back up {}: {}", argument(1), e.what())); }
    w.null();
  }
  w.end_array();
  worker_->send(text, options_.timeout);
}

} // namespace pupc
