#include "compiler/ruby/types/data_type_file.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

TEST(DataTypeFile, LiteralInterface) {
  auto type = read_data_type(
      "t.rb",
      "# A comment\nPuppet::DataTypes.create_type('M::T') do\n  interface <<-PUPPET\n    attributes => { a => String }\n  PUPPET\nend\n");
  ASSERT_TRUE(type);
  EXPECT_EQ(type->name, "M::T");
  EXPECT_NE(type->interface.find("attributes => { a => String }"), std::string::npos);
  EXPECT_FALSE(type->implemented);
  EXPECT_EQ(read_data_type("t.rb", "Puppet::DataTypes.create_type('M::T') { interface 'x' }")->interface, "x");
}

TEST(DataTypeFile, Implementation) {
  EXPECT_TRUE(read_data_type(
                  "t.rb", "Puppet::DataTypes.create_type('M::T') do\n  interface 'x'\n  implementation do\n    def f; 1; end\n  end\nend")
                  ->implemented);
  EXPECT_TRUE(
      read_data_type(
          "t.rb",
          "require 'x'\nPuppet::DataTypes.create_type('M::T') do\n  interface 'x'\n  load_file('y')\n  implementation_class X::Y\nend")
          ->implemented);
}

TEST(DataTypeFile, AnythingElseMustBeRun) {
  for (const char* text :
       {"", "x = 1", "Puppet::DataTypes.create_type('M::T') do\nend", "Puppet::DataTypes.create_type(name) { interface 'x' }",
        "Puppet::DataTypes.create_type('M::T') { interface \"#{x}\" }",
        "Puppet::DataTypes.create_type('M::T') { interface 'x'; interface 'y' }",
        "Puppet::DataTypes.create_type('M::T') { interface 'x' if y }", "Puppet::DataTypes.create_type('M::T') { interface 'x' }.then { }",
        "Puppet::DataTypes.create_type('M::T') { interface 'x'\n@y = 1 }", "Puppet::DataTypes.create_type('M::T') { interface 'x'",
        "Puppet::DataTypes.create_type('M::T') { interface 'x' }\nPuppet::DataTypes.create_type('M::U') { interface 'x' }"})
    EXPECT_FALSE(read_data_type("t.rb", text)) << text;
}

} // namespace
} // namespace pupc::compiler
