#pragma once
// Parameters that classes and defined types hand on as they are: what a declaration gives to one becomes the value of an attribute.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/ast/ast.h"

#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pupc::catalog {
class ResourceTypeInfo;
}
namespace pupc::compiler {

class PassedValues {
public:
  struct Attribute {
    Symbol type, name;
    const catalog::ResourceTypeInfo* native; // null: a parameter of a class or defined type
  };
  struct Declaration {
    Symbol owner;
    const Seq<AttributeOp>* operations;
    const AnalysedFile* file;
  };
  void pass(Symbol owner, Symbol parameter, const Attribute& to) {
    owners_.insert(owner.id);
    passed_[{owner.id, parameter.id}].push_back(to);
  }
  /// Whether it hands on anything: most do not.
  bool passes(Symbol owner) const { return owners_.contains(owner.id); }
  void declare(Symbol owner, const Seq<AttributeOp>& operations, const AnalysedFile& file) {
    declarations_.push_back({owner, &operations, &file});
  }
  const std::vector<Declaration>& declarations() const { return declarations_; }
  /// The attributes of native types that a parameter's value comes to.
  std::vector<Attribute> reached(Symbol owner, Symbol parameter) const;

private:
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Attribute>> passed_; // by owner and parameter
  std::unordered_set<uint32_t> owners_;
  std::vector<Declaration> declarations_;
};

} // namespace pupc::compiler
