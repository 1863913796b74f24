#pragma once
// Resources that wait for others, and the circles among them.
#include "compiler/analysis/codebase/findings.h"
#include "compiler/analysis/resources/declared_resources.h"
#include "compiler/analysis/resources/resource_numbers.h"

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pupc::compiler {

/// Begins the title of a resource that is made of variables; the number of its body and this again stand before the words.
inline constexpr char made_title = '\2';

/// A relationship that code makes: `then` waits for `first`.
struct Wait {
  NamedResource first, then;
  const SourceFile* source;
  uint32_t offset, length, body;
  Catalogs::Unit unit; // whose code makes them wait
  uint32_t branch;     // of the body
  bool always;         // whenever the body is evaluated
};

/// A class that contains another one, or a resource.
struct Contained {
  NamedResource outer, inner;
  Catalogs::Unit unit;
};

class Waits {
public:
  explicit Waits(ResourceNumbers& numbers) : numbers_(numbers) {}

  void add(Wait wait) { waits_.push_back(wait); }
  void add(Contained contained) { contained_.push_back(contained); }

  /// Reports each relationship that closes a circle of those noted before it in the same body: of those that a branch makes, and the
  /// branches that it is in. `outer_branches`: of each branch, the one that it is in.
  void check_bodies(std::span<const uint32_t> outer_branches, Findings& findings);
  /// Circles that lead through the contents of classes: every resource of a class comes after what the class waits for. Only what is
  /// certain to be in one catalog counts. Call it last: it forgets what does not always wait.
  void check_classes(std::span<const DeclaredResource> declared, const Catalogs& catalogs, Findings& findings);

private:
  /// A step from one moment to another: a resource begins, or it has ended. One without contents begins and ends at once.
  struct Step {
    uint32_t to;
    uint32_t wait;       // index of the relationship; or one of those below
    Catalogs::Unit unit; // whose code makes the step
  };
  static constexpr uint32_t contents = 0xFFFFFFFF, passes = 0xFFFFFFFE; // what a class has in it; a class ends after it began

  void check_body(std::span<const Wait> of_body, Findings& findings);
  std::vector<std::vector<Step>> steps_of_classes(std::span<const DeclaredResource> declared);
  std::string written_reference(NamedResource r) const;
  bool is_class(NamedResource r) const { return numbers_.type(r) == sym::class_; }
  static uint32_t begin_of(NamedResource r) { return 2 * r; }
  uint32_t end_of(NamedResource r) const { return is_class(r) ? 2 * r + 1 : 2 * r; }

  ResourceNumbers& numbers_;
  std::vector<Wait> waits_;
  std::vector<Contained> contained_;
  std::set<std::pair<const SourceFile*, uint32_t>> told_; // relationships of circles within a body
};

} // namespace pupc::compiler
