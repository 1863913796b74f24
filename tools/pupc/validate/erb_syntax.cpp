#include "tools/pupc/validate/erb_syntax.h"

#include "catalog/json/json_writer.h"
#include "catalog/ruby/ruby_worker.h"
#include "catalog/value/regex.h"
#include "compiler/ruby/syntax/erb_source.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

constexpr size_t largest_template = 16u << 20;
constexpr int most_lost = 2; // if more workers than this die, skip the other templates that need Ruby

/// The Ruby worker: answers each text (of a template behind E, of a program behind R) with "", or with the line and message of its syntax
/// error.
constexpr std::string_view worker_source = R"(module PupcWorker
  def self.run(socket)
    require 'erb'
    while (header = socket.read(4))
      text = socket.read(header.unpack1('V')).force_encoding('UTF-8')
      answer = begin
        kind, text = text[0], text[1..]
        RubyVM::InstructionSequence.compile(kind == 'E' ? ERB.new(text, trim_mode: '-').src : text, 'template', 'template', kind == 'E' ? 0 : 1)
        ''
      rescue SyntaxError, StandardError => e
        text = e.message.dup.force_encoding('UTF-8').scrub('?')
        first = text.lines.find { |l| l =~ /template:\d+: / } || 'template:1: ' + text.lines.first.to_s
        first.sub(/\A.*?template:(\d+): /m, '\1 ').strip
      end
      answer = answer.b
      socket.write([answer.bytesize, answer.bytesize ^ 0x70757063].pack('VV') + answer)
    end
  end
end
)";

/// A tag that nothing closes: ERB prints its code as text.
void check_last_tag(const RepositoryFile& file, std::string_view text, Findings& findings) {
  const size_t closed = text.rfind("%>");
  size_t open = text.find("<%", closed == std::string_view::npos ? 0 : closed + 2);
  while (open != std::string_view::npos && text.substr(open + 2, 1) == "%") open = text.find("<%", open + 3);
  if (open == std::string_view::npos) return;
  const auto line = static_cast<uint32_t>(1 + std::ranges::count(text.substr(0, open), '\n'));
  findings.add(CheckCode::template_syntax, file.shown, line, static_cast<uint32_t>(open - text.substr(0, open).rfind('\n')),
               "This tag is never closed: what follows is printed as text", "It ends with %>.", Severity::Warning);
}

} // namespace

void check_erb_syntax(const std::vector<RepositoryFile>& files, const Environment& environment,
                      const std::set<std::string>& unreadable_ruby, Findings& findings) {
  std::unique_ptr<RubyWorker> worker;
  RegexCache regexes;
  int lost = 0;
  for (const RepositoryFile& file : files) {
    const bool function = file.kind == FileKind::RubyFunction, other = file.kind == FileKind::RubyCode, ruby = function || other;
    // Code whose tokens can be followed is hardly wrong.
    if (file.kind != FileKind::Erb && !(ruby && unreadable_ruby.contains(file.path))) continue;
    const CheckCode code = function ? CheckCode::ruby_function : other ? CheckCode::ruby_code : CheckCode::template_syntax;
    const auto text = environment.read_file(file.path); // the checks of what templates read have read most
    if (!text) {
      findings.add(code, file.shown, 0, 0, "The file cannot be read");
      continue;
    }
    if (!valid_utf8(*text)) {
      if (!ruby) findings.add(code, file.shown, 0, 0, "The template is not valid UTF-8");
      continue;
    }
    if (!ruby) check_last_tag(file, *text, findings);
    if (text->size() > largest_template || lost > most_lost) continue;
    if (!ruby && erb_parses(*text, regexes)) continue;
    try {
      if (!worker) worker = std::make_unique<RubyWorker>("ruby", "", worker_source);
      std::chrono::nanoseconds patience = std::chrono::seconds(5);
      worker->send((ruby ? "R" : "E") + *text, patience);
      const std::string answer = worker->receive(patience, patience);
      if (answer.empty()) continue;
      const size_t blank = answer.find(' ');
      const uint32_t line = static_cast<uint32_t>(std::strtoul(answer.c_str(), nullptr, 10));
      findings.add(code, file.shown, std::max<uint32_t>(line, 1), 0,
                   fmt::format("Ruby cannot parse the {}: {}",
                               function ? "function"
                               : other  ? "file"
                                        : "template",
                               blank == std::string::npos ? answer : answer.substr(blank + 1)));
    } catch (const RubyWorkerLost&) { // Ruby is not installed, or the text made its process die or hang
      if (!worker) return;
      worker.reset();
      ++lost;
    }
  }
}

} // namespace pupc::cli
