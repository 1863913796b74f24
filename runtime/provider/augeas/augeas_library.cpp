#include "runtime/provider/augeas/augeas_library.h"

#include "runtime/sys/shared_library.h"

#include <cstdlib>
#include <fmt/format.h>

namespace pupc::runtime {

struct AugeasTree::Functions {
  void* (*init)(const char*, const char*, unsigned) = nullptr;
  void (*close)(void*) = nullptr;
  int (*load)(void*) = nullptr;
  int (*save)(void*) = nullptr;
  int (*get)(const void*, const char*, const char**) = nullptr;
  int (*match)(const void*, const char*, char***) = nullptr;
  int (*set)(void*, const char*, const char*) = nullptr;
  int (*setm)(void*, const char*, const char*, const char*) = nullptr;
  int (*rm)(void*, const char*) = nullptr;
  int (*insert)(void*, const char*, const char*, int) = nullptr;
  int (*mv)(void*, const char*, const char*) = nullptr;
  int (*rename)(void*, const char*, const char*) = nullptr;
  int (*defvar)(void*, const char*, const char*) = nullptr;
  int (*text_retrieve)(void*, const char*, const char*, const char*, const char*) = nullptr;
  int (*defnode)(void*, const char*, const char*, const char*, int*) = nullptr;
  bool complete = false;
};

const AugeasTree::Functions* AugeasTree::functions() {
  // Never unload the library: it registers handlers with the C library that outlive dlclose.
  static const Functions loaded = [] {
    Functions f;
    SharedLibrary library({"libaugeas.so.0"}, SharedLibrary::Binding::Own);
    library.find(f.init, "aug_init");
    library.find(f.close, "aug_close");
    library.find(f.load, "aug_load");
    library.find(f.save, "aug_save");
    library.find(f.get, "aug_get");
    library.find(f.match, "aug_match");
    library.find(f.set, "aug_set");
    library.find(f.setm, "aug_setm");
    library.find(f.rm, "aug_rm");
    library.find(f.insert, "aug_insert");
    library.find(f.mv, "aug_mv");
    library.find(f.rename, "aug_rename");
    library.find(f.defvar, "aug_defvar");
    library.find(f.defnode, "aug_defnode");
    library.find(f.text_retrieve, "aug_text_retrieve");
    f.complete = library.complete();
    return f;
  }();
  return loaded.complete ? &loaded : nullptr;
}

bool AugeasTree::available() { return functions() != nullptr; }

namespace {

template <class T> const T& needed(const T* functions) {
  if (functions == nullptr) throw AugeasError("libaugeas is not installed");
  return *functions;
}

} // namespace

AugeasTree::AugeasTree(const std::string& root, const std::string& load_path, unsigned flags) : f_(needed(functions())) {
  tree_ = f_.init(root.c_str(), load_path.c_str(), flags);
  if (tree_ == nullptr) throw AugeasError("Failed to initialize Augeas");
}

AugeasTree::~AugeasTree() { f_.close(tree_); }

bool AugeasTree::load() { return f_.load(tree_) == 0; }
bool AugeasTree::save() { return f_.save(tree_) == 0; }

std::optional<std::string> AugeasTree::text_of_file(const std::string& lens, const std::string& path, const std::string& present) {
  f_.set(tree_, "/pupc/present", present.c_str());
  std::optional<std::string> text;
  if (f_.text_retrieve(tree_, lens.c_str(), "/pupc/present", path.c_str(), "/pupc/text") == 0) text = get("/pupc/text");
  f_.rm(tree_, "/pupc");
  return text;
}

void AugeasTree::load_module(const std::string& name) {
  // To look for a lens of the module loads it, which is all: there are no nodes to make a text of.
  f_.set(tree_, "/pupc/present", "");
  f_.text_retrieve(tree_, (name + ".lns").c_str(), "/pupc/present", "/pupc/none", "/pupc/text");
  f_.rm(tree_, "/pupc");
}

std::optional<std::string> AugeasTree::get(const std::string& path) {
  const char* value = nullptr;
  if (f_.get(tree_, path.c_str(), &value) != 1 || value == nullptr) return std::nullopt;
  return value;
}

std::vector<std::string> AugeasTree::match(const std::string& path) {
  char** found = nullptr;
  const int count = f_.match(tree_, path.c_str(), &found);
  if (count < 0) throw AugeasError(fmt::format("unknown error - Matching path expression '{}' failed", path));
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    out.emplace_back(found[i]);
    std::free(found[i]);
  }
  std::free(found);
  return out;
}

bool AugeasTree::set(const std::string& path, const std::string& value) { return f_.set(tree_, path.c_str(), value.c_str()) == 0; }
bool AugeasTree::clear(const std::string& path) { return f_.set(tree_, path.c_str(), nullptr) == 0; }
int AugeasTree::set_many(const std::string& base, const std::string& sub, const std::string* value) {
  return f_.setm(tree_, base.c_str(), sub.c_str(), value == nullptr ? nullptr : value->c_str());
}
int AugeasTree::remove(const std::string& path) { return f_.rm(tree_, path.c_str()); }
int AugeasTree::insert(const std::string& path, const std::string& label, bool before) {
  return f_.insert(tree_, path.c_str(), label.c_str(), before ? 1 : 0);
}
int AugeasTree::move(const std::string& from, const std::string& to) { return f_.mv(tree_, from.c_str(), to.c_str()); }
int AugeasTree::rename(const std::string& path, const std::string& label) { return f_.rename(tree_, path.c_str(), label.c_str()); }
bool AugeasTree::define_variable(const std::string& name, const std::string& expression) {
  return f_.defvar(tree_, name.c_str(), expression.c_str()) >= 0;
}
bool AugeasTree::define_node(const std::string& name, const std::string& expression, const std::string& value) {
  return f_.defnode(tree_, name.c_str(), expression.c_str(), value.c_str(), nullptr) >= 0;
}

} // namespace pupc::runtime
