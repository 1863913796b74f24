#pragma once
// Runs functions that modules write in Ruby with our interpreter, without a Ruby process.
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/core/ruby_host.h"

#include <memory>
#include <vector>

namespace pupc::compiler {

/// The runner of one compile, with what its templates have defined.
class NativeRubyOfCompile : public NativeRuby {
public:
  std::span<const TemplateMethodCode> template_methods() const override { return codes_; }
  void leave_template_methods_to_ruby() override { methods_.clear(); }
  const ruby::TemplateMethods& known_methods() const { return methods_; }
  /// Where the messages wait of the interpreted code that has called what runs now; null where none has.
  std::vector<ruby::RubyHost::Log>* waiting_logs = nullptr;
  void define_method(std::string_view name, std::shared_ptr<const ruby::RubyScript> program, const ruby::Def& def, std::string_view path);

private:
  ruby::TemplateMethods methods_;
  std::vector<TemplateMethodCode> codes_;
};

std::unique_ptr<NativeRuby> make_native_ruby();

} // namespace pupc::compiler
