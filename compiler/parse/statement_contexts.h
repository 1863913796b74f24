#pragma once
// Frees ANTLR's rule contexts statement by statement. The runtime keeps every context until the parser dies, which for a
// manifest of 10 MB would be half a gigabyte. Included by the generated parser only.
#include <utility>
#include <vector>

namespace pupc {

class StatementContexts {
public:
  StatementContexts() = default;
  StatementContexts(const StatementContexts&) = delete;
  StatementContexts& operator=(const StatementContexts&) = delete;
  ~StatementContexts() {
    for (auto& t : trackers_) t.reset();
  }

  /// Before a statement: puts the contexts of the enclosing rules aside and frees those of the statement before.
  void enter(antlr4::tree::ParseTreeTracker& current) {
    if (depth_ == trackers_.size()) trackers_.emplace_back();
    trackers_[depth_].reset();
    std::swap(current, trackers_[depth_]);
    ++depth_;
  }

  /// After it: the enclosing rules' contexts are the current ones again. Those of the statement live until the next one
  /// begins, because the error strategy may still ask for the tokens expected after it.
  void leave(antlr4::tree::ParseTreeTracker& current) {
    --depth_;
    std::swap(current, trackers_[depth_]);
  }

private:
  std::vector<antlr4::tree::ParseTreeTracker> trackers_;
  size_t depth_ = 0;
};

} // namespace pupc
