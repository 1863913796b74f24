// Prints the result of `pupc why` as a graph: in Graphviz's language, or as an HTML page with a drawing.
#include "catalog/diff/html_text.h"
#include "tools/pupc/why/why.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace pupc::cli {
namespace {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string label_of(const WhyRelation& r) {
  std::string out = r.attribute;
  if (!r.sources.empty() && !r.sources[0].place.text().empty()) out += "\n" + r.sources[0].place.text();
  return out;
}

/// The nodes and arrows of a drawing. Each node has a column: the leftmost is done first.
struct Drawing {
  struct Node {
    std::string name, note;
    int column = 0;
    bool main = false;
  };
  struct Arrow {
    size_t from, to;
    std::string label;
    bool contains = false;
  };
  std::vector<Node> nodes;
  std::vector<Arrow> arrows;
  std::map<std::string, size_t> ids;

  size_t node(const std::string& name, int column, bool main = false, std::string note = {}) {
    auto [it, added] = ids.try_emplace(name, nodes.size());
    if (added) nodes.push_back({name, std::move(note), column, main});
    return it->second;
  }
};

Drawing drawing_of(Why& why, const WhyAnswer& answer) {
  Drawing d;
  const std::string at = answer.declared.empty() ? "" : answer.declared.front().place.text();
  const size_t own = d.node(answer.reference, 1, true, at);
  for (const auto& container : answer.contained_in) d.node(container, 1);
  for (const auto& [outer, inner] : answer.contains) d.arrows.push_back({d.node(outer, 1), d.node(inner, 1), "contains", true});
  auto add = [&](const std::vector<WhyRelation>& relations, int column, bool waits) {
    for (const WhyRelation& r : relations) {
      const std::string name = why.name(waits ? r.first : r.then);
      const size_t other = d.node(name, column), mine = r.through == no_resource ? own : d.node(why.name(r.through), 1);
      d.arrows.push_back({waits ? other : mine, waits ? mine : other, label_of(r), false});
    }
  };
  add(answer.waits_for, 0, true);
  add(answer.waited_for, 2, false);
  return d;
}

Drawing drawing_of(Why& why, const std::vector<WhyRelation>& chain) {
  Drawing d;
  int column = 0;
  for (const WhyRelation& r : chain) {
    const size_t from = d.node(why.name(r.first), column, column == 0);
    ++column;
    const size_t to = d.node(why.name(r.then), column, &r == &chain.back());
    const bool contains = r.attribute == "contains";
    d.arrows.push_back({from, to, contains ? (r.holder == r.first ? "contains" : "is in") : label_of(r), contains});
  }
  return d;
}

std::string dot_of(const Drawing& d) {
  std::string out = "digraph why {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (const auto& n : d.nodes) out += fmt::format("  {}{};\n", dot_quoted(n.name), n.main ? " [style=bold]" : "");
  for (const auto& a : d.arrows) {
    std::string label = a.label;
    std::replace(label.begin(), label.end(), '\n', ' ');
    out += fmt::format("  {} -> {} [label={}{}];\n", dot_quoted(d.nodes[a.from].name), dot_quoted(d.nodes[a.to].name), dot_quoted(label),
                       a.contains ? ", style=dashed" : "");
  }
  return out + "}\n";
}

std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

constexpr std::string_view style = R"(body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem 1.4rem; color: #1c1e21; background: #fff; }
h1 { font-size: 1.2rem; font-family: ui-monospace, monospace; } pre { font: 13px/1.4 ui-monospace, monospace; background: #f4f5f7; padding: .6rem .9rem; border-radius: 4px; overflow-x: auto; }
svg { max-width: 100%; height: auto; } svg text { font: 12px ui-monospace, monospace; fill: #1c1e21; } svg .label { font-size: 10px; fill: #667; }
rect { fill: #eef2f7; stroke: #8895a7; } rect.main { fill: #fff4d6; stroke: #b58900; stroke-width: 2; }
path.arrow { fill: none; stroke: #55606e; } path.contains { stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e3e5e8; } pre { background: #1f2227; } svg text { fill: #e3e5e8; } rect { fill: #262b33; } rect.main { fill: #3a3220; } path.arrow { stroke: #9aa5b4; } }
)";

/// Draws the nodes in columns, and the arrows between their sides (within a column between bottom and top).
std::string svg_of(const Drawing& d) {
  constexpr int width = 270, height = 34, column_gap = 150, row_gap = 26, margin = 20;
  int columns = 0;
  std::map<int, int> rows;
  std::vector<std::pair<int, int>> at(d.nodes.size());
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const int column = d.nodes[i].column;
    columns = std::max(columns, column + 1);
    at[i] = {margin + column * (width + column_gap), margin + rows[column]++ * (height + row_gap)};
  }
  int most = 1;
  for (const auto& [column, n] : rows) most = std::max(most, n);
  const int w = 2 * margin + columns * width + std::max(0, columns - 1) * column_gap, h = 2 * margin + most * (height + row_gap);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n"
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
      "orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#55606e\"/></marker></defs>\n",
      w, h);
  for (const auto& a : d.arrows) {
    const auto [x1, y1] = at[a.from];
    const auto [x2, y2] = at[a.to];
    std::string path;
    int label_x = 0, label_y = 0;
    if (d.nodes[a.from].column == d.nodes[a.to].column) {
      const bool up = y2 < y1, near = std::abs(y2 - y1) <= height + row_gap;
      if (near) {
        path = fmt::format("M{} {} L{} {}", x1 + 30, up ? y1 : y1 + height, x2 + 30, up ? y2 + height : y2);
      } else { // curve around the nodes between
        const int right = x1 + width, out_x = right + 40;
        path = fmt::format("M{} {} C{} {} {} {} {} {}", right, y1 + height / 2, out_x, y1 + height / 2, out_x, y2 + height / 2, right,
                           y2 + height / 2);
      }
      label_x = near ? x1 + 36 : x1 + width + 34;
      label_y = (y1 + y2 + height) / 2 + 3;
    } else {
      const int from_x = x1 + width, middle = (from_x + x2) / 2;
      path = fmt::format("M{} {} C{} {} {} {} {} {}", from_x, y1 + height / 2, middle, y1 + height / 2, middle, y2 + height / 2, x2,
                         y2 + height / 2);
      label_x = from_x + 6;
      label_y = y1 + height / 2 - 4;
    }
    out += fmt::format("<path class=\"arrow{}\" d=\"{}\" marker-end=\"url(#tip)\"><title>{}</title></path>\n",
                       a.contains ? " contains" : "", path, escape_html(a.label));
    out += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n", label_x, label_y,
                       escape_html(a.label.substr(0, a.label.find('\n'))));
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const auto& n = d.nodes[i];
    out += fmt::format(
        "<g class=\"node\"><title>{}{}{}</title><rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/><text x=\"{}\" "
        "y=\"{}\">{}</text></g>\n",
        escape_html(n.name), n.note.empty() ? "" : ", ", escape_html(n.note), n.main ? " class=\"main\"" : "", at[i].first, at[i].second,
        width, height, at[i].first + 8, at[i].second + 21, escape_html(shortened(n.name, 34)));
  }
  return out + "</svg>\n";
}

std::string page(const std::string& title, const Drawing& d, const std::string& text) {
  return html_head(title, style) +
         fmt::format("<body>\n<h1>{}</h1>\n{}<pre>{}</pre>\n</body>\n</html>\n", escape_html(title), svg_of(d), escape_html(text));
}

} // namespace

std::string why_dot(Why& why, const WhyAnswer& answer) { return dot_of(drawing_of(why, answer)); }
std::string chain_dot(Why& why, const std::vector<WhyRelation>& chain) { return dot_of(drawing_of(why, chain)); }

std::string why_html(Why& why, const WhyAnswer& answer) { return page(answer.reference, drawing_of(why, answer), why_text(why, answer)); }

std::string chain_html(Why& why, const std::vector<WhyRelation>& chain, ResourceId a, ResourceId b, bool reversed) {
  return page(fmt::format("{} and {}", why.name(a), why.name(b)), drawing_of(why, chain), chain_text(why, chain, a, b, reversed));
}

} // namespace pupc::cli
