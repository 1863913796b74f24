#pragma once
// External node classifiers: a program or a YAML file that knows a node's classes, parameters and environment.
#include "compiler/build/compile.h"

#include <chrono>
#include <string>

namespace pupc::cli {

/// Asks `classifier` about the node that `data` names. `classifier` is a file if it ends in .yaml or .yml. Otherwise it is a program: an
/// absolute path and arguments, to which the node's name is added; no shell runs it. Puts the classes (a list, or a hash with parameters)
/// and the parameters into `data`. Returns the environment that the classifier names, or "". Throws CompileError with the messages of
/// Puppet's exec terminus, prefixed with "Failed when searching for node …".
std::string classify_node(const std::string& classifier, NodeData& data);

/// The two halves of classify_node, for those who keep answers. The first returns the classifier's text; a program that takes longer than
/// `limit` (0: than the work around it may take) is ended with its children, which is a CompileError.
std::string ask_classifier(const std::string& classifier, const std::string& name, std::chrono::milliseconds limit);
std::string take_classification(const std::string& classifier, const std::string& text, NodeData& data);

} // namespace pupc::cli
