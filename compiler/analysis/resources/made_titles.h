#pragma once
// Titles that are made at run time, and what they may be: of a parameter's default, its values in the data and in declarations.
#include "compiler/analysis/data/data_files.h"
#include "compiler/ast/ast.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// A part of a title: a text, or what a parameter of a class or defined type holds.
struct TitlePart {
  std::string text;
  Symbol owner, parameter; // empty owner: the text. The parameter `title` is the title of a defined type's resource.
  bool define = false;     // the owner is a defined type
  bool lookup = false;     // no parameter: what a lookup of a key (`parameter`) gives
  bool keys = false;       // the keys of the hash
};
/// What an expression may give: one of several rows of parts.
using MadeTexts = std::vector<std::vector<TitlePart>>;

/// Texts that an expression may give: `all` is false where others may be, too.
struct PossibleTexts {
  std::set<std::string> texts;
  bool all = true;
};

/// What declarations give to parameters of classes and defined types.
class GivenValues {
public:
  /// A declaration gives the parameter a value; nullopt: it cannot be told which.
  void give(Symbol owner, Symbol parameter, std::optional<MadeTexts> value);
  /// The owner is declared somewhere, with parameters that cannot be told.
  void give_anything(Symbol owner) { anything_.insert(owner.id); }

  /// The texts that the rows may be, at most some hundred.
  PossibleTexts texts(const MadeTexts& made, CheckedCodebase& program, DataFiles& data);

private:
  PossibleTexts values_of(const TitlePart& part, CheckedCodebase& program, DataFiles& data);
  PossibleTexts find_values(const TitlePart& part, CheckedCodebase& program, DataFiles& data);

  struct Given {
    bool anything = false;
    std::vector<MadeTexts> values;
  };
  std::map<std::pair<uint32_t, uint32_t>, Given> given_; // by owner and parameter
  std::set<uint32_t> anything_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, PossibleTexts> known_; // answers; not all while one is looked for
};

} // namespace pupc::compiler
