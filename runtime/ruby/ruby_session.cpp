#include "runtime/ruby/ruby_session.h"

#include "catalog/formats/data_file.h"
#include "catalog/schema/metaparameters.h"
#include "runtime/provider/file/file_spec.h"
#include "runtime/provider/file/filebucket.h"
#include "runtime/ruby/wire_value.h"
#include "runtime/sys/process_environment.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::runtime {

std::string_view ruby_provider_source();

namespace {

LogLevel level_named(std::string_view name) {
  for (const LogLevel level :
       {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Alert, LogLevel::Emerg, LogLevel::Crit})
    if (name_of(level) == name) return level;
  return LogLevel::Err;
}

/// What a source of a file names: its metadata, and the content where it is wanted; null when there is nothing. Of a file on this machine
/// owner and group are numbers, as Puppet has them. Throws ResourceError or SystemError, before it writes anything.
void write_file_source(JsonWriter& w, RunContext& run, const std::string& uri, bool with_content) {
  FileSpec spec;
  spec.sources = {uri};
  spec.source = look_for_source(spec, spec.sources, run);
  if (!spec.source) {
    w.null();
    return;
  }
  const FileSource& source = *spec.source;
  const bool file = source.status.type == FileType::File;
  const std::string sum = source.sum.empty() && file && !source.remote() ? checksum_of_file(run.system, "sha256", source.path) : source.sum;
  std::string content;
  if (with_content && file) new_content(spec, run).produce(run.system, [&](std::string_view part) { content += part; });
  w.begin_object();
  auto member = [&](std::string_view name, std::string_view value) {
    w.key(name);
    write_ruby_value(w, Value::string(run.arena.copy(value)));
  };
  auto number = [&](std::string_view name, int64_t value) {
    w.key(name);
    w.integer(value);
  };
  member("uri", source.uri);
  member("path", source.path);
  member("ftype", file_type_name(source.status.type));
  member("destination", source.target);
  member("checksum", sum);
  member("content", content);
  number("owner", source.status.uid);
  number("group", source.status.gid);
  number("mode", source.status.mode);
  w.end_object();
}

} // namespace

void take_environment(const Value& changes) {
  if (!changes.is_hash()) return;
  for (const HashEntry& e : changes.hash->entries())
    set_process_environment(value_text(e.key), e.value.is_undef() ? std::nullopt : std::optional(value_text(e.value)));
}

ProviderRubySession::ProviderRubySession(RubyTypesOptions options, std::vector<std::string> libraries)
    : options_(std::move(options)), libraries_(std::move(libraries)) {}

std::string ProviderRubySession::library_file(std::string_view name) const {
  std::error_code error;
  for (const std::string& directory : libraries_)
    if (std::string path = fmt::format("{}/{}", directory, name); std::filesystem::is_regular_file(path, error)) return path;
  return {};
}

std::vector<std::string> ProviderRubySession::library_files(std::string_view folder) const {
  std::vector<std::string> out;
  std::error_code error;
  for (const std::string& directory : libraries_)
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/{}", directory, folder), error))
      if (entry.path().extension() == ".rb") out.push_back(entry.path());
  return out;
}

void ProviderRubySession::start(RunContext& run) {
  if (!options_.allowed) throw UnplacedError("this type or provider is written in Ruby, and --ruby=never was given");
  // The process that resolved the facts knows them, and how to resolve them again. One that has ended since is not missed.
  if (worker_ = std::move(options_.facts_worker); worker_) try {
      introduce(run);
      return;
    } catch (const RubyWorkerLost&) {}
  worker_ = std::make_unique<RubyWorker>(options_.program, "providers", ruby_provider_source());
  introduce(run);
}

void ProviderRubySession::introduce(RunContext& run) {
  ++epoch_;
  told_changes_ = 0;
  auto list = [](JsonWriter& w, const std::vector<std::string>& items) {
    w.begin_array();
    for (const std::string& item : items) w.string(item);
    w.end_array();
  };
  converse(
      run, "start",
      [&](JsonWriter& w) {
        list(w, libraries_);
        w.begin_object();
        for (const auto& [setting, value] : options_.settings) {
          w.key(setting);
          write_ruby_value(w, value);
        }
        w.end_object();
        list(w, options_.fact_directories ? options_.fact_directories() : std::vector<std::string>());
        w.string(name_of(options_.log_level));
      },
      nullptr);
}

Value ProviderRubySession::call(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
                                const ManagedResource* about) {
  try {
    if (!worker_) start(run);
    tell_environment(run);
    return converse(run, operation, arguments, about);
  } catch (const RubyWorkerLost& lost) {
    worker_.reset();
    throw RubyGone(fmt::format("The Ruby process of the providers {}", lost.reason));
  }
}

void ProviderRubySession::tell_environment(RunContext& run) {
  if (told_changes_ == process_environment_changes()) return;
  const uint64_t seen = std::exchange(told_changes_, process_environment_changes());
  converse(
      run, "change_environment",
      [&](JsonWriter& w) {
        w.begin_array();
        tell_process_environment(seen, [&](const std::string& name, const std::optional<std::string>& value) {
          w.begin_array();
          w.string(name);
          if (value)
            w.string(*value);
          else
            w.null();
          w.end_array();
        });
        w.end_array();
      },
      nullptr);
}

Value ProviderRubySession::converse(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
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
    if (kind == "failed" && parts.size() > 4)
      throw RubyFailure(value_text(parts[2]), value_text(parts[1]), parts[3].is_bool() && parts[3].b, value_text(parts[4]));
    if (kind == "environment" && parts.size() > 1 && parts[1].is_hash()) {
      take_environment(parts[1]);
      told_changes_ = process_environment_changes();
    } else if (kind == "log" && parts.size() > 3) {
      run.log_from(level_named(parts[1].str()), value_text(parts[2]), value_text(parts[3]), about);
    } else if (kind == "ask" && parts.size() > 1) {
      answer(run, parts.subspan(1));
    } else {
      throw RubyWorkerLost{"sent what is no answer"};
    }
  }
}

void ProviderRubySession::write_resource(JsonWriter& w, const ManagedResource& resource) const {
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
    if (is_guard(a)) continue;
    w.key(a.name);
    write_ruby_value(w, a.value);
  }
  w.end_object();
  w.end_array();
}

/// Answers a question of Ruby code: about facts, resources of the catalog, native types and data types. Also backs up a file.
void ProviderRubySession::answer(RunContext& run, std::span<const Value> question) {
  const std::string_view what = question[0].str();
  auto argument = [&](size_t i) { return question.size() > i ? value_text(question[i]) : std::string(); };
  std::string text;
  JsonWriter w(text);
  w.begin_array();
  w.string("told");
  if (what == "fact") {
    write_ruby_value(w, run.fact(argument(1)));
  } else if (what == "facts" || what == "core_facts") {
    const auto& facts = what == "facts" ? options_.facts : options_.machine_facts;
    write_ruby_value(w, facts ? facts() : Value::undef());
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
  } else if (what == "file_source") {
    try {
      write_file_source(w, run, argument(1), question.size() > 2 && question[2].is_bool() && question[2].b);
    } catch (const std::exception& e) { w.string(e.what()); }
  } else if (what == "set" && question.size() > 4) {
    if (ManagedResource* found = run.find(argument(1), argument(2))) try {
        bool ignored = false;
        run.set_attribute(*found, argument(3), read_ruby_value(run.arena, question[4], ignored));
      } catch (const ResourceError& e) { run.log(LogLevel::Err, *found, e.what()); }
    w.null();
  } else if (!answer_without_run(question, options_.setting, run.arena, w)) {
    if (what == "backup") try {
        keep_in_bucket(run, argument(1), run.settings.bucket_directory);
      } catch (const SystemError& e) { run.log(LogLevel::Warning, fmt::format("Could not back up {}: {}", argument(1), e.what())); }
    w.null();
  }
  w.end_array();
  worker_->send(text, options_.timeout);
}

} // namespace pupc::runtime
