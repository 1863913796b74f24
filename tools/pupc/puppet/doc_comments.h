#pragma once
// Documentation in the comments above definitions, with the tags that Puppet Strings takes: @param, @return, @example, @summary, …
#include "catalog/json/json_writer.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

struct DocTag {
  std::string name;                         // "param"
  std::optional<std::string> text, subject; // subject: the parameter, the example's title
  std::vector<std::string> types;
};

struct DocComment {
  std::string text; // without the tags
  std::vector<DocTag> tags;

  DocTag* find(std::string_view name, std::string_view subject = {});
};

/// The comment right above a line (from 1) of a text.
DocComment doc_comment_above(std::string_view source, uint32_t line);

/// The comment as Puppet Strings writes it: {"text": …, "tags": […]}. `only`: the tags to write; empty: all.
void write_doc_comment(JsonWriter& w, const DocComment& comment, std::span<const std::string_view> only = {});

} // namespace pupc::cli
