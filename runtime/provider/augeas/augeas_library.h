#pragma once
// libaugeas, loaded when the first augeas resource needs it. Runs without such resources do not need the library.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pupc::runtime {

/// An expression that libaugeas cannot evaluate.
class AugeasError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One libaugeas tree. The methods follow the C functions; those that return a number return -1 on failure.
class AugeasTree {
public:
  static constexpr unsigned type_check = 1 << 2, no_load = 1 << 5, no_autoload = 1 << 6;

  /// Whether the library is installed on this machine.
  static bool available();
  /// Opens a tree. Throws AugeasError when libaugeas cannot create it.
  AugeasTree(const std::string& root, const std::string& load_path, unsigned flags);
  ~AugeasTree();
  AugeasTree(const AugeasTree&) = delete;
  AugeasTree& operator=(const AugeasTree&) = delete;

  bool load();
  /// Saves as /augeas/save says. pupc lets it only tell what would change: libaugeas writes by path, where others may have put a link.
  bool save();
  /// The text that a file would have: what the lens makes of the nodes below `path` and of the file's present text. Nothing when the lens
  /// cannot do it.
  std::optional<std::string> text_of_file(const std::string& lens, const std::string& path, const std::string& present);
  /// Loads a module of lenses, which stays unknown when it cannot be loaded.
  void load_module(const std::string& name);
  std::optional<std::string> get(const std::string& path);
  /// The paths that match an expression. Throws AugeasError for an invalid expression.
  std::vector<std::string> match(const std::string& path);
  bool set(const std::string& path, const std::string& value);
  bool clear(const std::string& path);
  int set_many(const std::string& base, const std::string& sub, const std::string* value); // null clears the nodes' values
  int remove(const std::string& path);
  int insert(const std::string& path, const std::string& label, bool before);
  int move(const std::string& from, const std::string& to);
  int rename(const std::string& path, const std::string& label);
  bool define_variable(const std::string& name, const std::string& expression);
  bool define_node(const std::string& name, const std::string& expression, const std::string& value);

private:
  struct Functions;
  static const Functions* functions();
  const Functions& f_;
  void* tree_ = nullptr;
};

} // namespace pupc::runtime
