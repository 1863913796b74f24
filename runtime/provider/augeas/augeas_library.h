#pragma once
// libaugeas, loaded when the first augeas resource needs it: runs without one neither need nor pay for it.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pupc {

/// An expression that libaugeas cannot evaluate.
class AugeasError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One tree of libaugeas. Calls follow its C functions; -1 is failure where a number is returned.
class AugeasTree {
public:
  static constexpr unsigned type_check = 1 << 2, no_load = 1 << 5, no_autoload = 1 << 6;

  /// Whether the library is on this machine.
  static bool available();
  /// Opens a tree. Throws AugeasError when it cannot be made.
  AugeasTree(const std::string& root, const std::string& load_path, unsigned flags);
  ~AugeasTree();
  AugeasTree(const AugeasTree&) = delete;
  AugeasTree& operator=(const AugeasTree&) = delete;

  bool load();
  bool save();
  std::optional<std::string> get(const std::string& path);
  /// Paths that match. Throws AugeasError for a wrong expression.
  std::vector<std::string> match(const std::string& path);
  bool set(const std::string& path, const std::string& value);
  bool clear(const std::string& path);
  int set_many(const std::string& base, const std::string& sub, const std::string* value); // null clears
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

} // namespace pupc
