#include "runtime/provider/file/file_mode.h"

#include "runtime/provider/provider.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

constexpr uint32_t shift_of(char who) { return who == 'u' ? 6 : who == 'g' ? 3 : 0; }

struct Bits {
  uint32_t special, user, group, other;
  uint32_t& of(char who) { return who == 'u' ? user : who == 'g' ? group : other; }
};

} // namespace

uint32_t apply_mode(std::string_view text, uint32_t current, bool directory) {
  if (text.empty()) throw ResourceError("An empty mode string is illegal");
  if (std::all_of(text.begin(), text.end(), is_octal)) return static_cast<uint32_t>(std::stoul(std::string(text), nullptr, 8));
  const bool any_execute = (current & 0111) != 0;
  Bits mode{(current >> 9) & 7, (current >> 6) & 7, (current >> 3) & 7, current & 7};
  std::string_view rest = text;
  while (true) {
    size_t end = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, end);
    auto wrong = [&](std::string_view what) {
      std::string place = part == text ? "" : fmt::format(" at \"{}\"", part);
      throw ResourceError(fmt::format("{}{} in symbolic mode \"{}\"", what, place, text));
    };
    size_t i = 0;
    std::string who;
    for (; i < part.size() && std::string_view("ugoa").find(part[i]) != std::string_view::npos; ++i) {
      for (char c : part[i] == 'a' ? std::string_view("ugo") : part.substr(i, 1))
        if (who.find(c) == std::string::npos) who += c;
    }
    if (i == part.size()) wrong("Missing action");
    if (who.empty()) who = "ugo";
    const Bits before = mode;
    for (char w : who) {
      uint32_t value = Bits(before).of(w);
      char action = '!';
      auto combine = [&](uint32_t have, uint32_t bits) { return action == '-' ? have & ~bits : have | bits; };
      for (char op : part.substr(i)) {
        switch (op) {
        case '=':
          value = 0;
          action = op;
          break;
        case '+':
        case '-': action = op; break;
        case 'u':
        case 'g':
        case 'o': value = combine(value, Bits(before).of(op)); break;
        case 'r': value = combine(value, 4); break;
        case 'w': value = combine(value, 2); break;
        case 'x': value = combine(value, 1); break;
        case 'X':
          if (action != '+') wrong("X only works with the '+' operator");
          if (directory || any_execute) value |= 1;
          break;
        case 's': mode.special = combine(mode.special, w == 'u' ? 4 : w == 'g' ? 2 : 1); break;
        case 't': mode.special = combine(mode.special, 1); break;
        default: wrong("Unknown operation");
        }
      }
      mode.of(w) = value;
    }
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  return mode.special << 9 | mode.user << shift_of('u') | mode.group << shift_of('g') | mode.other;
}

uint32_t directory_mode(uint32_t mode) {
  if ((mode & 0400) != 0) mode |= 0100;
  if ((mode & 040) != 0) mode |= 010;
  if ((mode & 04) != 0) mode |= 01;
  return mode;
}

std::string mode_text(uint32_t mode) { return fmt::format("{:04o}", mode); }

} // namespace pupc::runtime
