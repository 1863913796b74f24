#pragma once
// One line of a parsed file: its fields when a resource can manage it, else its text.
#include "runtime/provider/managed_resource.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// A field of a record: a text, a list of texts, or absent. A field that nobody has set is not absent: it has no entry at all.
struct RecordField {
  bool absent = false, list = false;
  std::vector<std::string> texts;

  static RecordField of(std::string text) { return {false, false, {std::move(text)}}; }
  static RecordField of(std::vector<std::string> all) { return {false, true, std::move(all)}; }
  static RecordField none() { return {true, false, {}}; }
};

struct FileRecord : HandlerData {
  std::string line;                                       // text of a comment or blank line, without line end
  bool is_text = false;                                   // is a comment or a blank line
  std::string kind;                                       // for files with several kinds of records
  std::map<std::string, RecordField, std::less<>> fields; // by property; also "name"
  std::string target;                                     // the file or crontab; empty = not known yet
  std::string ensure = "absent";
  bool on_disk = false;      // the record is written to its target
  bool name_is_made = false; // the name was made up to identify the record; the file does not get it

  bool there() const { return ensure != "absent"; }
  const RecordField* find(std::string_view field) const {
    auto it = fields.find(field);
    return it == fields.end() ? nullptr : &it->second;
  }
  /// The text of a field; nothing when the field is absent, unknown or a list.
  std::optional<std::string> text(std::string_view field) const {
    const RecordField* f = find(field);
    return f == nullptr || f->absent || f->list || f->texts.empty() ? std::nullopt : std::optional(f->texts[0]);
  }
  void set(std::string_view field, RecordField value) { fields.insert_or_assign(std::string(field), std::move(value)); }
  void set(std::string_view field, std::string value) { set(field, RecordField::of(std::move(value))); }

  static FileRecord text_line(std::string_view text) {
    FileRecord r;
    r.line = text;
    r.is_text = true;
    return r;
  }
};

} // namespace pupc::runtime
