#include "catalog/diff/html_text.h"

#include <fmt/format.h>

namespace pupc::catalog {

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default:
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7f)
        out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      else
        out += c;
    }
  }
  return out;
}

std::string html_head(std::string_view title, std::string_view style) {
  return fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                     "script-src 'unsafe-inline'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n",
                     escape_html(title), style);
}

} // namespace pupc::catalog
