#pragma once
// External node classifiers: what a program or a YAML file says about a node.
#include "compiler/build/compile.h"

#include <string>

namespace pupc {

/// Asks `classifier` about a node, whose name is in `data`: a program (an absolute path and arguments, the name is added as the last; no
/// shell) or, when it ends in .yaml or .yml, a file. Puts its classes (a list, or a hash with parameters) and parameters into `data` and
/// returns the environment that it names, or "". Throws CompileError in the words of Puppet's exec terminus, with "Failed when
/// searching for node …" before them.
std::string classify_node(const std::string& classifier, NodeData& data);

} // namespace pupc
