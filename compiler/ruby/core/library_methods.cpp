// Libraries that come with Ruby or with Puppet: IPAddr, Digest, Base64, CGI, Puppet::Util::Package.
#include "compiler/ruby/core/methods.h"

#include "catalog/base/split_text.h"
#include "catalog/value/base64.h"
#include "catalog/value/digest.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

/// The address as IPAddr#to_string writes it: IPv6 in full, with all eight groups of four digits.
std::string full_text(const std::array<uint8_t, 16>& bytes, int family) {
  if (family == 4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::string out;
  for (size_t i = 0; i < 16; i += 2) out += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", bytes[i], bytes[i + 1]);
  return out;
}

/// The address as IPAddr#to_s writes it: it shortens the first of the longest runs of zeros to "::" and writes an IPv4 address that is
/// embedded in IPv6 in dotted form.
std::string short_text(const IpAddress& a) {
  if (a.family == 4) return full_text(a.bytes, 4);
  uint16_t groups[8];
  for (size_t i = 0; i < 8; ++i) groups[i] = static_cast<uint16_t>(a.bytes[2 * i] << 8 | a.bytes[2 * i + 1]);
  size_t begin = 0, length = 0;
  for (size_t i = 0; i < 8; ++i) {
    size_t n = 0;
    while (i + n < 8 && groups[i + n] == 0) ++n;
    if (n > length) begin = i, length = n;
  }
  const bool mapped = begin == 0 && length == 5 && groups[5] == 0xffff;
  if ((begin == 0 && length == 6) || mapped)
    return fmt::format("::{}{}.{}.{}.{}", mapped ? "ffff:" : "", a.bytes[12], a.bytes[13], a.bytes[14], a.bytes[15]);
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (length >= 2 && i == begin) {
      out += "::";
      i += length - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) out += ':';
    out += fmt::format("{:x}", groups[i]);
  }
  return out;
}

std::array<uint8_t, 16> mask_of(const IpAddress& a) {
  std::array<uint8_t, 16> mask{};
  for (int bit = 0; bit < a.prefix; ++bit) mask[static_cast<size_t>(bit / 8)] |= static_cast<uint8_t>(0x80 >> (bit % 8));
  return mask;
}

std::string reversed(const IpAddress& a) {
  if (a.family == 4) return fmt::format("{}.{}.{}.{}.in-addr.arpa", a.bytes[3], a.bytes[2], a.bytes[1], a.bytes[0]);
  std::string out;
  for (size_t i = 16; i-- > 0;) out += fmt::format("{:x}.{:x}.", a.bytes[i] & 0xF, a.bytes[i] >> 4);
  return out + "ip6.arpa";
}

constexpr int64_t af_inet = 2, af_inet6 = 10; // Socket's constants on Linux

} // namespace

std::string address_text(const RubyValue& v) { return short_text(v.address->value); }

std::string inspect_address(const RubyValue& v) {
  const IpAddress& a = v.address->value;
  return fmt::format("#<IPAddr: IPv{}:{}/{}>", a.family, full_text(a.bytes, a.family), full_text(mask_of(a), a.family));
}

/// Raises IPAddr's error for a text that is no address or no network, by IPAddr's steps: the address, then its prefix.
void check_address(Core& core, const MethodCall& c, std::string_view text) {
  const auto fail = [&](std::string message, RubyClass error) { throw RubyError{c.line, std::move(message), error}; };
  const size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  std::string error;
  const std::optional<IpAddress> address = parse_ip_address(host, error);
  if (!address) {
    const auto octets = split_views(host, '.');
    const auto number = [](std::string_view s) { return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos; };
    if (octets.size() == 4 && std::all_of(octets.begin(), octets.end(), number))
      for (const std::string_view octet : octets) {
        if (octet.size() > 3 || std::stoi(std::string(octet)) > 255) break;
        if (octet.size() > 1 && octet.starts_with('0'))
          fail("zero-filled number in IPv4 address is ambiguous: ", RubyClass::InvalidAddressError);
      }
    fail("invalid address: ", RubyClass::InvalidAddressError); // IPAddr's message does not contain the text here
  }
  if (slash == std::string_view::npos) return;
  const std::string_view prefix = text.substr(slash + 1);
  const std::string plain = core.to_s(core.send(core.heap.address(*address), MethodId::m_to_i, {}, c.line), c.line);
  if (!prefix.empty() && prefix.find_first_not_of("0123456789") == std::string_view::npos) {
    if (prefix.size() > 1 && prefix.starts_with('0')) fail("leading zeros in prefix", RubyClass::InvalidPrefixError);
    if (prefix.size() > 3 || std::stoi(std::string(prefix)) > address->prefix)
      fail("invalid length: " + plain, RubyClass::InvalidPrefixError);
    return;
  }
  const RubyValue mask_text = core.str(std::string(prefix));
  const RubyValue mask = make_address(core, {c.self, c.method, c.name, {&mask_text, 1}, nullptr, c.line});
  if (mask.address->value.family != address->family) fail("address family is not same: " + plain, RubyClass::InvalidPrefixError);
  if (!parse_ip_address(text, error)) fail(fmt::format("invalid mask {}: {}", prefix, plain), RubyClass::InvalidPrefixError);
}

/// IPAddr.new with a text, or with a number and the family.
RubyValue make_address(Core& core, const MethodCall& c) {
  core.need(c, 1, 2);
  if (!c.args[0].is_string() && c.args.size() == 1)
    throw RubyError{c.line, "address family must be specified", RubyClass::AddressFamilyError};
  if (c.args[0].is(RubyKind::Big) && c.args.size() == 2 && c.args[1].is_integer() && c.args[1].i == af_inet6) {
    const RubyValue hex = core.send(c.args[0], MethodId::m_to_s, {RubyValue::integer(16)}, c.line);
    const std::string& digits = hex.s->text;
    if (digits.starts_with('-') || digits.size() > 32) core.unknown(c);
    IpAddress a;
    a.family = 6;
    a.prefix = 128;
    const std::string padded = std::string(32 - digits.size(), '0') + digits;
    for (size_t i = 0; i < 16; ++i) a.bytes[i] = static_cast<uint8_t>(std::stoi(padded.substr(2 * i, 2), nullptr, 16));
    return core.heap.address(a);
  }
  if (c.args[0].is_integer()) {
    if (c.args.size() != 2 || !c.args[1].is_integer()) core.unknown(c);
    IpAddress a;
    a.family = c.args[1].i == af_inet ? 4 : 6;
    if (c.args[0].i < 0 || (a.family == 4 && c.args[0].i > 0xFFFFFFFF) || (a.family == 6 && c.args[1].i != af_inet6)) core.unknown(c);
    a.prefix = a.family == 4 ? 32 : 128;
    const size_t size = a.family == 4 ? 4 : 16;
    for (size_t i = 0; i < std::min<size_t>(size, 8); ++i) a.bytes[size - 1 - i] = static_cast<uint8_t>(c.args[0].i >> (8 * i));
    return core.heap.address(a);
  }
  core.need(c, 1);
  std::string error;
  const std::string_view text = core.string_argument(c, 0);
  if (text.find('%') != std::string_view::npos) core.unknown(c); // an IPv6 zone, which IPAddr keeps in its text
  std::optional<IpAddress> address = parse_ip_address(text, error);
  if (!address || text.find('/') != std::string_view::npos) check_address(core, c, text);
  if (!address) core.unknown(c);
  const auto mask = mask_of(*address);
  for (size_t i = 0; i < 16; ++i) address->bytes[i] &= mask[i];
  return core.heap.address(*address);
}

RubyValue address_method(Core& core, const MethodCall& c) {
  const IpAddress& a = c.self.address->value;
  switch (c.method) {
  case MethodId::m_include_p: {
    core.need(c, 1);
    const RubyValue other = c.args[0].is_string() ? make_address(core, c) : c.args[0];
    if (!other.is(RubyKind::Address)) core.unknown(c);
    return RubyValue::boolean(a.includes(other.address->value));
  }
  case MethodId::m_succ: {
    core.need(c, 0);
    IpAddress next = a;
    size_t i = a.family == 4 ? 4 : 16;
    while (i > 0 && ++next.bytes[i - 1] == 0) --i;
    if (i == 0) core.unknown(c); // behind the last one
    return core.heap.address(next);
  }
  case MethodId::m_ipv4_p: core.need(c, 0); return RubyValue::boolean(a.family == 4);
  case MethodId::m_ipv6_p: core.need(c, 0); return RubyValue::boolean(a.family == 6);
  case MethodId::m_prefix: core.need(c, 0); return RubyValue::integer(a.prefix);
  case MethodId::m_family: core.need(c, 0); return RubyValue::integer(a.family == 4 ? af_inet : af_inet6);
  case MethodId::m_reverse: core.need(c, 0); return core.str(reversed(a));
  case MethodId::m_to_string: core.need(c, 0); return core.str(full_text(a.bytes, a.family));
  case MethodId::m_to_range: {
    core.need(c, 0);
    IpAddress last = a;
    const auto mask = mask_of(a);
    for (size_t i = 0; i < (a.family == 4 ? 4 : 16); ++i) last.bytes[i] |= static_cast<uint8_t>(~mask[i]);
    return core.heap.range(c.self, core.heap.address(last), false);
  }
  case MethodId::m_to_i: {
    core.need(c, 0);
    if (a.family != 4) {
      std::string digits;
      for (const uint8_t byte : a.bytes) digits += fmt::format("{:02x}", byte);
      return integer_of_digits(core, digits, 16, false);
    }
    return RubyValue::integer(int64_t{a.bytes[0]} << 24 | int64_t{a.bytes[1]} << 16 | int64_t{a.bytes[2]} << 8 | a.bytes[3]);
  }
  case MethodId::m_mask: {
    core.need(c, 1);
    if (!c.args[0].is_integer() || c.args[0].i < 0 || c.args[0].i > (a.family == 4 ? 32 : 128)) core.unknown(c);
    IpAddress masked = a;
    masked.prefix = static_cast<int>(c.args[0].i);
    const auto mask = mask_of(masked);
    for (size_t i = 0; i < (a.family == 4 ? 4 : 16); ++i) masked.bytes[i] &= mask[i];
    return core.heap.address(masked);
  }
  case MethodId::Or:
  case MethodId::And: {
    core.need(c, 1);
    if (!c.args[0].is(RubyKind::Address) || c.args[0].address->value.family != a.family) core.unknown(c);
    IpAddress joined = a;
    for (size_t i = 0; i < joined.bytes.size(); ++i) {
      const uint8_t other = c.args[0].address->value.bytes[i];
      joined.bytes[i] = static_cast<uint8_t>(c.method == MethodId::Or ? joined.bytes[i] | other : joined.bytes[i] & other);
    }
    return core.heap.address(joined);
  }
  default: core.unknown(c);
  }
}

RubyValue library_method(Core& core, const MethodCall& c) {
  const RubyClass of = c.self.class_;
  if (of >= RubyClass::Md5 && of <= RubyClass::Sha256 &&
      (c.method == MethodId::m_hexdigest || c.method == MethodId::m_digest || c.method == MethodId::m_base64digest)) {
    core.need(c, 1);
    const std::string_view text = any_text(core, c, 0);
    using enum DigestAlgorithm;
    const DigestAlgorithm algorithm = of == RubyClass::Md5 ? Md5 : of == RubyClass::Sha1 ? Sha1 : Sha256;
    if (c.method == MethodId::m_hexdigest) return core.str(hex_digest(algorithm, text));
    std::string bytes = byte_digest(algorithm, text);
    return c.method == MethodId::m_base64digest ? core.str(base64_encode(bytes)) : core.heap.bytes(std::move(bytes));
  }
  if (of == RubyClass::Base64 && (c.method == MethodId::m_strict_encode64 || c.method == MethodId::m_encode64)) {
    core.need(c, 1);
    std::string all = base64_encode(any_text(core, c, 0));
    if (c.method == MethodId::m_strict_encode64) return core.str(std::move(all));
    std::string lines;
    for (size_t i = 0; i < all.size(); i += 60) lines += all.substr(i, 60) + "\n";
    return core.str(std::move(lines));
  }
  if (of == RubyClass::Cgi && c.method == MethodId::m_escape) {
    core.need(c, 1);
    std::string out;
    for (char ch : core.string_argument(c, 0)) {
      if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
          std::string_view("_.-~").find(ch) != std::string_view::npos)
        out += ch;
      else if (ch == ' ')
        out += '+';
      else
        out += fmt::format("%{:02X}", static_cast<unsigned char>(ch));
    }
    return core.str(std::move(out));
  }
  if (of == RubyClass::PuppetPackage && c.method == MethodId::m_versioncmp) {
    core.need(c, 2);
    Value both[] = {Value::string(core.host.arena().copy(core.string_argument(c, 0))),
                    Value::string(core.host.arena().copy(core.string_argument(c, 1)))};
    return core.from_puppet(core.host.call_function("versioncmp", both, false));
  }
  // Asked for here and not by `unknown`: leaving a native method costs more than most methods do, and loops make thousands of digests.
  if (RubyValue out; core.call_extension(c, out)) return out;
  core.unknown(c);
}

} // namespace pupc::compiler::ruby
