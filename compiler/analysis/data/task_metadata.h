#pragma once
// What tasks take, as their metadata says, and which files of tasks and plans are there.
#include "catalog/base/source.h"
#include "compiler/ast/ast.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc::compiler {

/// What a task or plan takes.
struct TakenParameter {
  std::string name, type; // the type as text; empty: any
  const Node* type_node = nullptr;
  const SourceFile* source = nullptr; // of the node
  bool needed = false;
};

/// The names of the files of a folder, without their ends.
std::vector<std::string> names_in(const std::string& folder);
/// The parameters that the metadata of a task names; nullopt: it has none, or takes any.
std::optional<std::vector<TakenParameter>> parameters_of_task(const std::string& file);

/// A variable PT_name that a task's program reads, at its first place.
struct TaskVariable {
  std::string name;
  uint32_t line = 0;
};
/// How a program in Ruby or Python reads its parameters as one document in JSON from its standard input.
struct TaskInput {
  bool from_stdin = false;        // it does
  uint32_t line = 0;              // where
  std::vector<TaskVariable> keys; // what it reads of it by keys that stand there, each at its first place
};
TaskInput input_of_task(std::string_view program);

/// Those that the program does not set itself. Bolt's own (PT__task and the like) are left out.
std::vector<TaskVariable> variables_of_task(std::string_view program);

} // namespace pupc::compiler
