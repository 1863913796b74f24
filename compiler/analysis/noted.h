#pragma once
// What the walk notes, and later checks look at.
#include "catalog/base/source.h"
#include "catalog/base/symbol.h"
#include "compiler/ast/ast.h"
#include "compiler/load/environment.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace pupc::compiler {

/// The variables set where the code renders a template, over all such places.
struct TemplateUse {
  std::vector<uint32_t> names; // ids of symbols, in order once all files are walked
  bool anything = false;       // at some place the template may see unknown variables
};

/// What calls give to an EPP template.
struct EppUse {
  std::set<std::string, std::less<>> given;
  bool anything = false, of_caller = false;
};

/// A variable that a template without parameters reads.
struct EppRead {
  Symbol name;
  const SourceFile* source;
  uint32_t offset, length;
  const Module* module;
};

/// A default that is not of its parameter's type.
struct WrongDefault {
  std::string key; // class::parameter
  const SourceFile* source;
  uint32_t offset, length;
  std::string message;
};

/// A variable that a class sets and does not read itself.
struct UnusedVariable {
  const Definition* definition;
  Symbol name;
  const SourceFile* source;
  uint32_t offset, length;
};

/// A command of an exec that needs a path.
struct RelativeCommand {
  const SourceFile* source;
  uint32_t offset, length;
  std::string word;
};

} // namespace pupc::compiler
