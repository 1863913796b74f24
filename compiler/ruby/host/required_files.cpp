// Ruby files of the site's own that functions and templates require.
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/ruby/interpreter/ruby_checker.h"

#include <filesystem>
#include <mutex>
#include <unordered_map>

namespace pupc::compiler {
namespace {

/// The required files read so far. The environment keeps them; a file is read again when its text has changed.
class RequiredFiles : public EnvironmentAttachment {
public:
  std::shared_ptr<const ruby::RubyScript> get(const std::string& path, const std::string& text, RegexCache& regexes,
                                              const ruby::CallableFunctions& functions) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ruby::RubyScript>& script = scripts_[path];
    if (script == nullptr || script->code != text) {
      script = std::make_shared<ruby::RubyScript>();
      script->self = ruby::Self::Function;
      script->code = text;
      ruby::parse_program(*script, regexes, functions);
    }
    return script;
  }

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<ruby::RubyScript>> scripts_;
};

/// The path of a file that is required: absolute, or below the lib of the only module that has it. "" when it cannot be told.
std::string required_path(const Environment& environment, std::string_view name) {
  const std::string file = name.ends_with(".rb") ? std::string(name) : std::string(name) + ".rb";
  if (file.starts_with('/')) return std::filesystem::path(file).lexically_normal();
  std::string found;
  for (const Module& module : environment.modules()) {
    const std::string path = module.path + "/lib/" + file;
    if (!environment.path_exists(path)) continue;
    if (!found.empty()) return {};
    found = path;
  }
  return found;
}

} // namespace

ruby::RubyHost::RubyFile EvaluatorHost::find_ruby_file(std::string_view name) {
  const Environment& environment = evaluator_.environment();
  RubyFile file{required_path(environment, name), nullptr};
  if (file.path.empty()) return {};
  const std::shared_ptr<const std::string> text = environment.read_file(file.path);
  if (text == nullptr || text->find("\n__END__") != std::string::npos || text->find("\n=begin") != std::string::npos) return {};
  programs_.push_back(environment.attached<RequiredFiles>()->get(file.path, *text, environment.regexes(), functions_));
  file.program = programs_.back().get();
  return file;
}

} // namespace pupc::compiler
