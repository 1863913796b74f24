#pragma once
// Writes JSON directly into one growing buffer, compact or indented by two blanks, as Ruby's json library prints it.
// Does not escape non-ASCII text or `/`. Control characters become \b \f \n \r \t or \u00XX.
#include "catalog/base/utf8.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pupc::catalog {

class JsonWriter {
public:
  explicit JsonWriter(std::string& out, bool pretty = false) : out_(out), pretty_(pretty) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// The bytes of the buffer.
  size_t size() const { return out_.size(); }
  /// Writes the name of the next member of an object.
  void key(std::string_view name) {
    separate();
    quoted(name);
    out_ += pretty_ ? ": " : ":";
    after_key_ = true;
  }
  void string(std::string_view text) {
    separate();
    quoted(text);
  }
  void integer(int64_t value);
  /// Writes a float as Ruby prints it. NaN and infinities have no JSON form, so they become null.
  void floating(double value);
  void boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
  }
  void null() {
    separate();
    out_ += "null";
  }

  /// Lets `write` append one complete JSON text to the buffer, as the next element or value.
  template <class Write> void raw(Write write) {
    separate();
    write(out_);
  }

  // Shorthands for members.
  void member(std::string_view name, std::string_view text) {
    key(name);
    string(text);
  }
  /// A line or column: null when it is 0, which means unknown.
  void place_member(std::string_view name, uint32_t number) {
    key(name);
    if (number == 0)
      null();
    else
      integer(number);
  }

private:
  void open(char c);
  void close(char c);
  /// Writes the comma and line break before an element or key, as needed.
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (depth_ == 0) return;
    if (filled_) out_ += ',';
    filled_ = true;
    if (pretty_) new_line();
  }
  void new_line();
  void quoted(std::string_view text);

  std::string& out_;
  bool pretty_;
  bool after_key_ = false;
  size_t depth_ = 0;    // how many objects and arrays are open
  bool filled_ = false; // whether the innermost one has an element yet: those around it have one
};

} // namespace pupc::catalog
