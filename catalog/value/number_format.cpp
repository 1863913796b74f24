#include "catalog/value/number_format.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace pupc::catalog {

std::string format_float(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-Infinity" : "Infinity";
  if (d == 0) return std::signbit(d) ? "-0.0" : "0.0";
  char buf[40];
  auto r = std::to_chars(buf, buf + sizeof buf, d, std::chars_format::scientific);
  std::string_view s(buf, static_cast<size_t>(r.ptr - buf));
  std::string out;
  if (s[0] == '-') {
    out += '-';
    s.remove_prefix(1);
  }
  size_t e = s.find('e');
  int exponent = std::atoi(std::string(s.substr(e + 1)).c_str());
  std::string digits(1, s[0]);
  if (e > 2) digits += s.substr(2, e - 2);
  int n = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 15) {
    out += digits[0];
    out += '.';
    out += n > 1 ? digits.substr(1) : "0";
    out += exponent < 0 ? "e-" : "e+";
    int magnitude = std::abs(exponent);
    if (magnitude < 10) out += '0';
    out += std::to_string(magnitude);
  } else if (exponent < 0) {
    out += "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  } else if (n <= exponent + 1) {
    out += digits + std::string(static_cast<size_t>(exponent + 1 - n), '0') + ".0";
  } else {
    out += digits.substr(0, static_cast<size_t>(exponent + 1)) + "." + digits.substr(static_cast<size_t>(exponent + 1));
  }
  return out;
}

} // namespace pupc::catalog
