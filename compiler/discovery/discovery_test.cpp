#include "compiler/discovery/gitignore.h"
#include "compiler/discovery/repository.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;

/// A directory that goes away with it.
class Tree {
public:
  Tree() : root(fs::temp_directory_path() / ("pupc-discovery-" + std::to_string(::getpid()))) { fs::remove_all(root); }
  ~Tree() { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text = "") {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  /// The files found below a path, relative to the root, sorted.
  std::vector<std::string> found(const std::string& path = "") const {
    std::vector<std::string> out;
    for (const RepositoryFile& file : discover_files({(root / path).string()})) out.push_back(fs::relative(file.path, root).string());
    std::sort(out.begin(), out.end());
    return out;
  }
  fs::path root;
};

TEST(Discovery, KindsFollowNames) {
  EXPECT_EQ(kind_of_file("a/manifests/init.pp"), FileKind::Manifest);
  EXPECT_EQ(kind_of_file("a/templates/x.epp"), FileKind::Epp);
  EXPECT_EQ(kind_of_file("a/templates/x.erb"), FileKind::Erb);
  EXPECT_EQ(kind_of_file("a/metadata.json"), FileKind::Metadata);
  EXPECT_EQ(kind_of_file("a/README.md"), std::nullopt);
}

TEST(Discovery, LeavesOutWhatIsHiddenOrIgnored) {
  Tree tree;
  tree.write("manifests/site.pp");
  tree.write("manifests/.hidden.pp");
  tree.write(".git/HEAD");
  tree.write(".gitignore", "generated/\n*.tmp.pp\n");
  tree.write("generated/a.pp");
  tree.write("manifests/b.tmp.pp");
  EXPECT_EQ(tree.found(), std::vector<std::string>{"manifests/site.pp"});
}

TEST(Discovery, APathMeansItselfThoughItIsIgnored) {
  Tree tree;
  tree.write(".gitignore", "a.pp\n");
  tree.write("a.pp");
  EXPECT_EQ(tree.found("a.pp"), std::vector<std::string>{"a.pp"});
}

TEST(Discovery, DataOfAModuleIsWhatHieraReads) {
  Tree tree;
  for (const char* file : {"environment.conf", "data/nodes/x.yaml", "modules/a/manifests/init.pp", "modules/a/data/common.yaml",
                           "modules/a/data/users.yaml", "modules/b/hiera.yaml", "modules/b/manifests/init.pp", "modules/b/data/users.yaml"})
    tree.write(file);
  EXPECT_EQ(tree.found(),
            (std::vector<std::string>{"data/nodes/x.yaml", "environment.conf", "modules/a/data/common.yaml", "modules/a/manifests/init.pp",
                                      "modules/b/data/users.yaml", "modules/b/hiera.yaml", "modules/b/manifests/init.pp"}));
}

TEST(Discovery, KnowsModulesAndEnvironmentsHoweverDeepTheyAre) {
  Tree tree;
  for (const char* file : {"team/modules/web/manifests/init.pp", "team/modules/db/lib/puppet/functions/db/x.rb",
                           "envs/production/environment.conf", "envs/production/modules/web/manifests/init.pp", "notes/a.pp"})
    tree.write(file);
  const std::vector<Repository> found = discover({tree.root.string()}, {});
  ASSERT_EQ(found.size(), 2U);
  const bool first = found[0].whole;
  const Repository &whole = found[first ? 0 : 1], &rest = found[first ? 1 : 0];
  EXPECT_TRUE(whole.root.ends_with("/envs/production"));
  EXPECT_EQ(whole.files.size(), 2U);
  std::vector<std::string> names;
  for (const auto& module : rest.extras.named_modules) names.push_back(module.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"db", "web"}));
  EXPECT_FALSE(rest.whole);
}

TEST(Discovery, ReadsThePuppetfile) {
  const PuppetfileModules modules = read_puppetfile(
      "moduledir 'thirdparty'\nmod 'puppetlabs-stdlib', '9.6.0'\nmod 'profiles', local: true\n");
  EXPECT_EQ(modules.directory, "thirdparty");
  EXPECT_EQ(modules.names, (std::vector<std::string>{"stdlib", "profiles"}));
  EXPECT_EQ(modules.directory_of(0), "thirdparty");
  EXPECT_EQ(modules.directory_of(1), "");
}

} // namespace
} // namespace pupc::compiler
