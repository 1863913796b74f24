#pragma once
// `pupc lookup --explain`: records the steps of a lookup as a tree and prints them as text.
#include "compiler/hiera/explain.h"
#include "compiler/types/type.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc::cli {

/// Collects the events of one lookup. The values must outlive this object. The text is that of `puppet lookup --explain`.
class LookupExplanation final : public Explainer {
public:
  /// `only_options`: explains only the lookup_options, not the lookup of the key itself (--explain-options without --explain).
  explicit LookupExplanation(bool only_options) : only_options_(only_options) {}

  bool explains_data() const override { return !only_options_; }
  void enter(Node node, std::string_view name, std::string_view detail) override;
  void leave() override;
  void found(std::string_view key, const Value& value) override { event(Event::Found, key, value); }
  void found_in_overrides(std::string_view key, const Value& value) override { event(Event::FoundInOverrides, key, value); }
  void found_in_defaults(std::string_view key, const Value& value) override { event(Event::FoundInDefaults, key, value); }
  void not_found(std::string_view key) override { event(Event::NotFound, key, Value::undef()); }
  void merge_source(std::string_view name) override;
  void merge_options(const Value& options) override { current_->options = options; }
  void result(const Value& value) override;
  void begin_secret() override { ++secret_; }
  void end_secret() override { --secret_; }
  void location_not_found() override { current_->event = Event::LocationNotFound; }
  void module_not_found(std::string_view name) override;
  void module_provider_not_found(std::string_view name) override;
  void text(std::string_view text) override { current_->texts.emplace_back(text); }

  /// The whole explanation, lines ending in a newline.
  std::string to_text(TypeContext& types) const;

private:
  enum class Event : uint8_t { None, Found, FoundInOverrides, FoundInDefaults, NotFound, LocationNotFound, Result };
  struct Branch {
    Node node = Node::Key;
    bool line = false; // not a node of the tree: `name` is the whole line
    std::string name, detail, key;
    Event event = Event::None;
    Value value, options;
    std::vector<std::string> texts;
    std::vector<std::unique_ptr<Branch>> branches;
    Branch* parent = nullptr;
  };

  Branch& add();
  void add_line(std::string text);
  void event(Event e, std::string_view key, const Value& value);
  static void print(const Branch& branch, const std::string& indent, TypeContext& types, std::string& out);
  static void print_outcome(const Branch& branch, const std::string& indent, TypeContext& types, std::string& out);

  bool only_options_;
  Branch root_;
  /// The value to show: a secret one only as a placeholder.
  Value shown(const Value& value) { return secret_ > 0 ? Value::sensitive(arena_, Value::undef()) : value; }
  int secret_ = 0;
  Arena arena_;
  Branch* current_ = &root_;
};

} // namespace pupc::cli
