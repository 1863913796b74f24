#pragma once
// What the walk notes of resources: those that the code declares, and those that it names.
#include "compiler/analysis/codebase/possible_catalogs.h"
#include "compiler/analysis/resources/made_titles.h"
#include "compiler/ast/ast.h"

#include <cstdint>
#include <string_view>

namespace pupc::compiler {
struct Module;

/// A resource that the program declares, with a title known at least in part. Its texts live as long as the program.
constexpr uint32_t no_branch = UINT32_MAX;
struct DeclaredResource {
  Symbol type;                     // lower case; "class"
  std::string_view title;          // a literal, or a pattern in which \1 stands for anything
  uint32_t number = 0;             // of a literal one, in Walker::numbers_
  uint32_t offset = 0, length = 0; // of the title
  const SourceFile* source = nullptr;
  const Definition* definition = nullptr; // null: the top scope or a node
  const Module* module = nullptr;
  const void* body = nullptr; // the body it is declared in
  bool literal = false;
  bool conditional = false;                     // its definition does not always declare it
  uint32_t branch = no_branch;                  // the branch of the body that always declares it
  bool alias = false;                           // this is an alias of the resource, not its title
  bool unique = false;                          // an alias, and nothing else may have it
  bool resolved = false;                        // a pattern, and all that it may be is declared beside it
  bool guarded = false;                         // declared only where defined() says that it is not there
  Catalogs::Unit unit = 0;                      // that declares it
  const Seq<AttributeOp>* operations = nullptr; // of a resource that stands in the code
};
/// A resource whose title is made at run time.
struct ComputedResource {
  DeclaredResource resource;
  MadeTexts titles;          // empty: it cannot be told
  size_t pattern = SIZE_MAX; // its place among the declared ones, if a part of the title is known
};
/// A resource by its number in Walker::numbers_.
using NamedResource = uint32_t;
/// A reference such as Package['x'] that something has to declare.
struct ResourceReference {
  Symbol type;
  std::string_view title;
  uint32_t number = 0; // in Walker::numbers_
  uint32_t offset = 0, length = 0;
  const SourceFile* source = nullptr;
  const Module* module = nullptr;
  Catalogs::Unit unit = 0; // that needs it
  bool conditional = false;
  const Definition* overrides = nullptr; // the class that overrides it, if the reference is an override
  bool is_override = false;
  const Seq<AttributeOp>* operations = nullptr; // of an override
  bool pattern = false;                         // the title is one
};

} // namespace pupc::compiler
