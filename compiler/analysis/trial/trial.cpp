// What is run, and what of that is told.
#include "compiler/analysis/trial/trial.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr uint64_t most_steps_of_all = 300'000; // of all runs

} // namespace

Trial::Trial(CheckedCodebase& program, Findings& findings, DataFiles& data, Walked walked)
    : program_(program), findings_(findings), data_(data), walked_(std::move(walked)), arena_(program.arena()) {}

bool Trial::reported(const SourceFile* source, uint32_t offset) const {
  return told_.contains({source, offset}) || findings_.has_on_line(*source, offset);
}

/// Classes that code declares with parameters: what these are is not known here.
void Trial::note_declared_classes() {
  for (const AnalysedFile& file : program_.files()) {
    if (!file.parsed) continue;
    for (const ResourceExpr* r : file.parsed->resources) {
      if (r->type_name->kind != NodeKind::Name || r->type_name->as<Name>().name != sym::class_) continue;
      for (const ResourceBody& body : r->bodies)
        for (const Node* title : listed_elements(body.title)) {
          const auto name = written_text(*title);
          if (!name) continue;
          Declared& declared = declared_classes_[lower_symbol(*name)];
          for (const AttributeOp& op : body.operations) {
            declared.anything = declared.anything || op.kind == AttributeOpKind::Splat;
            if (op.kind != AttributeOpKind::Splat) declared.parameters.insert(op.name);
          }
        }
    }
  }
}

void Trial::told(const TrialFailure& failure, std::string_view file) {
  if (!walked_.asked(failure.source) || reported(failure.source, failure.offset)) return;
  findings_.add(failure.code, *failure.source, failure.offset, failure.length,
                file.empty() ? failure.message : fmt::format("{} (with {})", failure.message, file));
  told_.emplace(failure.source, failure.offset);
}

/// Runs each class with the values of each file that has some for it.
void Trial::run_with_data() {
  std::vector<std::pair<Symbol, DataFiles::Source>> runs; // classes, and the files
  std::set<std::pair<const void*, uint32_t>> noted;
  data_.for_each_key([&](std::string_view key, const DataFiles::Source& source) {
    const size_t colons = key.rfind("::");
    if (colons == std::string_view::npos || findings_.has_error_in(source.shown)) return;
    const Symbol name = lower_symbol(key.substr(0, colons));
    if (noted.emplace(source.file, name.id).second) runs.emplace_back(name, source);
  });
  std::unordered_set<uint64_t> done; // classes and values: many files of nodes have the same
  for (const auto& [name, source] : runs) {
    const DefinitionEntry* entry = program_.find_class(name);
    if (entry == nullptr || entry->definition->kind != NodeKind::ClassDef || all_steps_ > most_steps_of_all) continue;
    uint64_t values = name.id;
    for (const Parameter& p : entry->definition->parameters)
      for (const DataFiles::Source& s : data_.sources(fmt::format("{}::{}", name.str(), p.name.str())))
        if (s.file == source.file) values = hash_of_guess(values, p.name, {*s.value});
    if (!done.insert(values).second) continue;
    const TrialUnit& plain = unit_of(name);
    if (is_spent(*entry->definition)) continue;
    for (const TrialFailure& failure : run_class(*entry, &source).failures) {
      const bool as_always = std::ranges::any_of(plain.failures, [&](const TrialFailure& f) {
        return f.source == failure.source && f.offset == failure.offset && f.maybe == failure.maybe;
      });
      if (!as_always) told(failure, source.shown);
    }
  }
}

/// Whether an error is told of a file that has values for the class: what fails then may be the same.
bool Trial::has_wrong_data(Symbol name) {
  const DefinitionEntry* entry = program_.find_class(name);
  return entry != nullptr && std::ranges::any_of(entry->definition->parameters, [&](const Parameter& p) {
           return std::ranges::any_of(data_.sources(fmt::format("{}::{}", name.str(), p.name.str())),
                                      [&](const DataFiles::Source& s) { return findings_.has_error_in(s.shown); });
         });
}

/// What fails with the values that every node has.
void Trial::report_failures() {
  std::vector<Symbol> names(in_catalogs_.begin(), in_catalogs_.end());
  std::ranges::sort(names, {}, [](Symbol s) { return s.str(); });
  for (Symbol name : names) {
    const TrialUnit& unit = unit_of(name);
    if (unit.failures.empty() || has_wrong_data(name)) continue;
    for (const TrialFailure& failure : unit.failures)
      if (!failure.maybe) told(failure, {});
  }
}

void Trial::run() {
  if (!program_.whole()) return;
  note_declared_classes();
  check_catalogs();
  report_failures();
  only_failures_ = true;
  run_with_data();
}

} // namespace pupc::compiler
