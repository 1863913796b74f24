#pragma once
// What is known of one line of a parsed file: its text when no resource can stand for it, else its fields.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// A field of a record: a text, a list of texts, or known to be absent, which differs from a field that nobody has set (and is no entry).
struct RecordField {
  bool absent = false, list = false;
  std::vector<std::string> texts;

  static RecordField of(std::string text) { return {false, false, {std::move(text)}}; }
  static RecordField of(std::vector<std::string> all) { return {false, true, std::move(all)}; }
  static RecordField none() { return {true, false, {}}; }
};

struct FileRecord {
  std::string line;                                       // of a comment or a blank line; without its end
  bool is_text = false;                                   // such a line
  std::string kind;                                       // where a file has records of several kinds
  std::map<std::string, RecordField, std::less<>> fields; // by property, "name" too
  std::string target;                                     // the file or crontab; empty = not decided yet
  std::string ensure = "absent";
  bool on_disk = false;      // among the records that are written
  bool name_is_made = false; // the name was made up to tell it from others and is not written

  bool there() const { return ensure != "absent"; }
  const RecordField* find(std::string_view field) const {
    auto it = fields.find(field);
    return it == fields.end() ? nullptr : &it->second;
  }
  /// The text of a field; nothing when it is absent, unknown or a list.
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

} // namespace pupc
