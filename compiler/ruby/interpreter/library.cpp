#include "compiler/ruby/interpreter/library.h"

#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc::compiler {
std::string_view ruby_library_text(); // generated from core/library/*.rb
}

namespace pupc::compiler::ruby {
namespace {

struct File {
  std::string_view text;
  std::once_flag once;
  std::unique_ptr<RubyScript> program;
};

struct Index {
  std::vector<std::unique_ptr<File>> files;
  std::unordered_map<std::string_view, size_t> constants;
  struct Method {
    std::string_view name, of;
    bool singleton = false;
    size_t file = 0;
    uint32_t before = 0; // number of the method before it in its chain, or 0
  };
  std::vector<Method> methods;
  std::vector<uint32_t> chains = std::vector<uint32_t>(4096); // by the hash of the name: the number of its last method, 0 for none

  static size_t chain_of(std::string_view name) {
    uint32_t sum = 0;
    for (const char ch : name) sum = sum * 33 + static_cast<unsigned char>(ch);
    return sum % 4096;
  }

  void add(Method method) {
    uint32_t& last = chains[chain_of(method.name)];
    method.before = std::exchange(last, static_cast<uint32_t>(methods.size() + 1));
    methods.push_back(method);
  }

  /// A method of a name for which the question is answered with yes.
  template <class Question> const Method* find(std::string_view name, Question question) const {
    for (uint32_t n = chains[chain_of(name)]; n != 0; n = methods[n - 1].before)
      if (methods[n - 1].name == name && question(methods[n - 1])) return &methods[n - 1];
    return nullptr;
  }
};

std::string_view name_at(std::string_view line, size_t begin) {
  size_t end = begin;
  while (end < line.size() && line[end] != ' ' && line[end] != '(' && line[end] != ';' && line[end] != '\n') ++end;
  return line.substr(begin, end - begin);
}

/// Notes what a line of a file defines. The files are written so that a look at each line is enough: classes begin at the margin, their
/// methods two columns behind it.
void note(Index& index, size_t file, std::string_view line, std::string_view& of) {
  if (line.size() < 7 || (line[0] == ' ' && line[2] == ' ')) return; // inside a method, as most are, or its end
  if (line[0] != ' ') {
    for (std::string_view word : {"class ", "module "})
      if (line.starts_with(word)) {
        of = name_at(line, word.size());
        index.constants.try_emplace(of, file);
      }
    return;
  }
  std::string_view name;
  bool singleton = false;
  if (line.starts_with("  def self.")) {
    name = name_at(line, 11);
    singleton = true;
  } else if (line.starts_with("  def ")) {
    name = name_at(line, 6);
  } else if (line.starts_with("  alias ")) {
    name = name_at(line, 8);
  }
  if (name.empty()) return;
  index.add({name, of, singleton, file});
}

const Index& index_of_library() {
  static const Index index = [] {
    Index out;
    out.methods.reserve(2000);
    std::string_view text = ruby_library_text(), of;
    constexpr std::string_view mark = "# -- file\n";
    while (!text.empty()) {
      const size_t end = std::min(text.find(mark), text.size());
      const std::string_view part = text.substr(0, end);
      text.remove_prefix(std::min(end + mark.size(), text.size()));
      if (part.empty()) continue;
      out.files.push_back(std::make_unique<File>());
      out.files.back()->text = part;
      for (size_t at = 0; at < part.size();) {
        const size_t line_end = std::min(part.find('\n', at), part.size());
        note(out, out.files.size() - 1, part.substr(at, line_end - at), of);
        at = line_end + 1;
      }
    }
    return out;
  }();
  return index;
}

} // namespace

std::optional<size_t> library_file_of(std::string_view constant) {
  const auto found = index_of_library().constants.find(constant);
  return found == index_of_library().constants.end() ? std::nullopt : std::optional(found->second);
}

std::optional<size_t> library_method(std::string_view of, std::string_view method, bool singleton) {
  const Index::Method* found = index_of_library().find(method,
                                                       [&](const Index::Method& m) { return m.of == of && m.singleton == singleton; });
  return found == nullptr ? std::nullopt : std::optional(found->file);
}

bool library_knows(std::string_view method) {
  return index_of_library().find(method, [](const Index::Method&) { return true; }) != nullptr;
}

const RubyScript& library_program(size_t number) {
  static RegexCache regexes;
  static std::mutex mutex; // of the patterns
  File& file = *index_of_library().files[number];
  std::call_once(file.once, [&] {
    const std::lock_guard lock(mutex);
    auto program = std::make_unique<RubyScript>();
    program->self = Self::Function;
    program->library = true;
    program->frozen_literals = true;
    program->code = file.text;
    try {
      Parser(program->code, *program, regexes).parse();
    } catch (const Unparsable& error) {
      throw std::logic_error(fmt::format("the library's Ruby text, line {}: {}", error.line, error.what));
    }
    number_methods(*program);
    file.program = std::move(program);
  });
  return *file.program;
}

} // namespace pupc::compiler::ruby
