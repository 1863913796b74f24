#pragma once
// What an HTTP message is made of, for both sides of a connection.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::http {

/// Header fields in their order. Names are compared without regard to case.
class Headers {
public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  /// The value of the first field of that name; null when there is none.
  const std::string* find(std::string_view name) const;
  /// The same; "" when there is none.
  std::string_view get(std::string_view name) const;
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

private:
  std::vector<Field> fields_;
};

/// Whether two names are equal but for the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b);
/// The words that belong to a status: "Not Found"; "Unknown" for a number without any.
std::string_view reason_of(unsigned status);
/// A time as HTTP writes it: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(long long seconds);
/// The text in gzip's form, by libdeflate's fastest level: half the cost of zlib's, and smaller. What a server answers is compressed by
/// tools/server/compression.h, whose library has no form that is linked into `pupc`.
std::string gzip(std::string_view text);
/// Whether a value of Accept-Encoding takes gzip: named, or by `*`, with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

} // namespace pupc::http
