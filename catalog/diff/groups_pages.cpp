// The report of many nodes as a comment on a change request, and as a searchable page.
#include "catalog/diff/diff_text.h"
#include "catalog/diff/groups.h"
#include "catalog/diff/html_text.h"
#include "catalog/diff/unified_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pupc::catalog {
namespace {

std::string joined(const std::vector<std::string>& names, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) out += fmt::format(" and {} more", names.size() - most);
  return out;
}

std::string count_text(size_t n, std::string_view one, std::string_view more) { return fmt::format("{} {}", n, n == 1 ? one : more); }

/// "2 resources changed, 1 added"
std::string what_changed(const CatalogDiff& diff) {
  size_t changed = 0, added = 0, removed = 0;
  for (const ResourceDiff& r : diff.resources) (!r.in_before ? added : !r.in_after ? removed : changed) += 1;
  std::string out;
  auto add = [&](size_t n, std::string_view what) {
    if (n == 0) return;
    out += out.empty() ? fmt::format("{} {}", count_text(n, "resource", "resources"), what) : fmt::format(", {} {}", n, what);
  };
  add(changed, "changed");
  add(added, "added");
  add(removed, "removed");
  const size_t other = diff.classes_added.size() + diff.classes_removed.size() + diff.edges_added.size() + diff.edges_removed.size() +
                       (diff.environment_before != diff.environment_after);
  if (other != 0) out += (out.empty() ? "" : ", ") + count_text(other, "class or edge", "classes and edges");
  return out;
}

constexpr size_t most_impacts = 30; // in a comment on a change request, which has a limit and readers

std::string title_of(const DiffReport& report) { return fmt::format("Catalogs: {} to {}", report.before, report.after); }

/// A Markdown code fence that is longer than any run of backticks in the text.
std::string fence_for(std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

} // namespace

std::string report_markdown(const DiffReport& report) {
  std::string out = fmt::format("### {}\n\n{}.\n", escape_html(printable(title_of(report))), report.summary());
  if (!report.impacts.empty()) out += '\n';
  for (size_t i = 0; i < report.impacts.size(); ++i) {
    if (i == most_impacts) {
      out += fmt::format("- and {} more\n", report.impacts.size() - i);
      break;
    }
    out += fmt::format("- {}\n", escape_html(impact_text(report.impacts[i], report)));
  }
  for (const DiffGroup& g : report.groups) {
    const std::string text = diff_text(g.changes), fence = fence_for(text);
    const std::string names = g.nodes.size() == report.compared && g.nodes.size() > 1 ? "all" : joined(g.nodes, 5);
    out += fmt::format("\n<details><summary><b>{}</b> ({}): {}</summary>\n\n{}diff\n{}{}\n\n", count_text(g.nodes.size(), "node", "nodes"),
                       escape_html(printable(names)), what_changed(g.changes), fence, text, fence);
    if (g.nodes.size() > 5 && names != "all") out += fmt::format("Nodes: {}\n\n", escape_html(printable(joined(g.nodes, g.nodes.size()))));
    out += "</details>\n";
  }
  auto list = [&](std::string_view head, const std::vector<std::string>& names) {
    if (!names.empty()) out += fmt::format("\n**{}**: {}\n", head, escape_html(printable(joined(names, names.size()))));
  };
  list("Nodes added", report.nodes_added);
  list("Nodes removed", report.nodes_removed);
  for (const NodeFailure& f : report.failures) {
    const char* what = f.before.empty() ? "compiles no more" : f.after.empty() ? "compiles now; before" : "does not compile";
    const std::string error = printable(f.after.empty() ? f.before : f.after), fence = fence_for(error);
    out += fmt::format("\n**{}** {}:\n\n{}\n{}\n{}\n", escape_html(printable(f.node)), what, fence, error, fence);
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// the page

namespace {

constexpr std::string_view style = R"(body { font: 15px/1.45 system-ui, sans-serif; margin: 0; color: #1c1e21; background: #f4f5f7; }
header { position: sticky; top: 0; background: #fff; border-bottom: 1px solid #d0d4da; padding: .6rem 1.2rem; z-index: 1; }
h1 { font-size: 1.15rem; margin: 0; } header p { margin: .2rem 0 .5rem; color: #555; }
label { margin-right: 1rem; } input, select { font: inherit; padding: .15rem .3rem; max-width: 20rem; }
main { padding: .6rem 1.2rem; } section { margin-bottom: 1.2rem; content-visibility: auto; contain-intrinsic-size: auto 12rem; } section.impact { margin-bottom: .3rem; }
article.delete, article.stop, article.restart, article.abandon { border-left-color: #c0392b; } h2 { font-size: 1rem; margin: .8rem 0 .3rem; }
article { background: #fff; border: 1px solid #d0d4da; border-left: 4px solid #b58900; border-radius: 4px; margin: .4rem 0; padding: .4rem .8rem; overflow-x: auto; }
article.added { border-left-color: #2a8a3e; } article.removed { border-left-color: #c0392b; }
h3 { font-size: .95rem; margin: 0; font-family: ui-monospace, monospace; } h3 small { font-weight: normal; color: #667; margin-left: .6rem; }
table { border-collapse: collapse; margin: .3rem 0; } td { padding: .1rem .7rem .1rem 0; vertical-align: top; font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: .2rem 0; font: 13px/1.35 ui-monospace, monospace; } del, .del { color: #9b1c1c; background: #fdecea; text-decoration: none; }
ins, .ins { color: #12632a; background: #e8f6ec; text-decoration: none; } .at { color: #667; } details { color: #444; } [hidden] { display: none; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e3e5e8; } header, article { background: #1f2227; border-color: #3a3f47; } del, .del { color: #ff9b93; background: #3a2020; } ins, .ins { color: #8be0a4; background: #1b3324; } header p, details { color: #aab; } }
)";

constexpr std::string_view page_script = R"(<script>
'use strict';
const field = name => document.getElementById(name);
const sections = [...document.querySelectorAll('section')].map(s => ({
  at: s, nodes: s.dataset.nodes.split('\n'),
  changes: [...s.querySelectorAll('article')].map(a => ({ at: a, type: a.dataset.type, text: a.textContent.toLowerCase() })) }));
function apply() {
  const node = field('node').value, type = field('type').value, search = field('search').value.toLowerCase();
  let shown = 0, all = 0;
  for (const s of sections) {
    const counted = !s.at.classList.contains('impact');
    let here = 0;
    for (const c of s.changes) {
      const wanted = (!node || s.nodes.includes(node)) && (!type || c.type === type) && (!search || c.text.includes(search));
      c.at.hidden = !wanted;
      here += wanted;
      if (counted) all += 1;
    }
    s.at.hidden = here === 0;
    if (counted) shown += here;
  }
  field('shown').textContent = shown === all ? `${all} changes` : `${shown} of ${all} changes`;
}
function keep() {
  const words = new URLSearchParams();
  for (const name of ['node', 'type', 'search']) if (field(name).value) words.set(name, field(name).value);
  history.replaceState(null, '', '#' + words);
  apply();
}
function restore() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of ['node', 'type', 'search']) field(name).value = words.get(name) || '';
  apply();
}
for (const name of ['node', 'type', 'search']) field(name).addEventListener('input', keep);
window.addEventListener('hashchange', restore);
restore();
</script>
)";

std::string diff_lines(std::string_view before, std::string_view after) {
  std::string out = "<pre>";
  for (const DiffHunk& hunk : unified_diff(before, after)) {
    out += fmt::format("<span class=\"at\">{}</span>\n", hunk.head());
    for (const DiffLine& line : hunk.lines) {
      const char* mark = line.sign == '-' ? "del" : line.sign == '+' ? "ins" : nullptr;
      const std::string text = line.sign + escape_html(line.text);
      out += mark != nullptr ? fmt::format("<span class=\"{}\">{}</span>\n", mark, text) : text + "\n";
    }
  }
  return out + "</pre>";
}

std::string parameter_row(const ParameterDiff& p) {
  std::string cell;
  auto shown = [&](const char* tag, const Value* v) {
    if (v == nullptr) return;
    const std::string text = p.sensitive ? "(sensitive)" : has_lines(*v) ? std::string(v->str()) : json_of(*v);
    cell += fmt::format("{}<{}>{}</{}>", cell.empty() ? "" : "\n", tag, escape_html(text), tag);
  };
  if (!p.sensitive && p.before != nullptr && p.after != nullptr && has_lines(*p.before) && has_lines(*p.after)) {
    cell = diff_lines(p.before->str(), p.after->str());
  } else {
    shown("del", p.before);
    shown("ins", p.after);
  }
  return fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape_html(p.name), cell);
}

std::string resource_article(const ResourceDiff& r) {
  const char* change = !r.in_after ? "removed" : !r.in_before ? "added" : "changed";
  const std::string& place = r.in_after ? r.after_place : r.before_place;
  std::string out = fmt::format("<article class=\"{}\" data-type=\"{}\">\n<h3>{}<small>{}{}{}</small></h3>\n", change,
                                escape_html(r.reference.substr(0, r.reference.find('['))), escape_html(r.reference), change,
                                place.empty() ? "" : ", ", escape_html(place));
  std::string rows;
  auto row = [&](std::string_view name, std::string_view before, std::string_view after) {
    rows += fmt::format("<tr><td>{}</td><td>", name);
    if (!before.empty()) rows += fmt::format("<del>{}</del>", escape_html(before));
    if (!before.empty() && !after.empty()) rows += '\n';
    if (!after.empty()) rows += fmt::format("<ins>{}</ins>", escape_html(after));
    rows += "</td></tr>\n";
  };
  if (r.place_changed) row("at", r.before_place, r.after_place);
  if (r.exported_changed) row("exported", "", "changed");
  for (const ParameterDiff& p : r.parameters) rows += parameter_row(p);
  for (std::string_view tag : r.tags_removed) row("tag", tag, "");
  for (std::string_view tag : r.tags_added) row("tag", "", tag);
  if (!rows.empty()) out += "<table>\n" + rows + "</table>\n";
  return out + "</article>\n";
}

/// A change that does not belong to a resource: a class, an edge, the environment.
std::string plain_article(std::string_view change, std::string_view type, std::string_view text) {
  return fmt::format("<article class=\"{}\" data-type=\"{}\">\n<h3>{}<small>{}</small></h3>\n</article>\n", change, type, escape_html(text),
                     change);
}

std::string group_section(std::string_view head, const std::vector<std::string>& nodes, const std::string& articles) {
  std::string all;
  for (const auto& n : nodes) all += (all.empty() ? "" : "\n") + n;
  std::string out = fmt::format("<section data-nodes=\"{}\">\n<h2>{}</h2>\n", escape_html(all), escape_html(head));
  if (nodes.size() > 5)
    out += fmt::format("<details><summary>all of them</summary>{}</details>\n", escape_html(joined(nodes, nodes.size())));
  return out + articles + "</section>\n";
}

std::string group_articles(const CatalogDiff& diff, std::set<std::string>& types) {
  std::string out;
  for (const ResourceDiff& r : diff.resources) {
    types.insert(r.reference.substr(0, r.reference.find('[')));
    out += resource_article(r);
  }
  auto plain = [&](const char* change, const char* type, const auto& texts, std::string_view before) {
    for (const auto& t : texts) {
      types.insert(type);
      out += plain_article(change, type, fmt::format("{}{}", before, t));
    }
  };
  if (diff.environment_before != diff.environment_after)
    out += plain_article("changed", "environment", fmt::format("environment {} to {}", diff.environment_before, diff.environment_after));
  plain("removed", "class", diff.classes_removed, "class ");
  plain("added", "class", diff.classes_added, "class ");
  plain("removed", "edge", diff.edges_removed, "");
  plain("added", "edge", diff.edges_added, "");
  return out;
}

/// What the change does, one article for each; node, type and search select among them as among the changes.
std::string impact_sections(const DiffReport& report, std::set<std::string>& types) {
  std::string out;
  for (const DiffImpact& i : report.impacts) {
    const std::string type = i.what.reference.substr(0, i.what.reference.find('['));
    types.insert(type);
    std::string all;
    for (const auto& n : i.nodes) all += (all.empty() ? "" : "\n") + n;
    out += fmt::format(
        "<section class=\"impact\" data-nodes=\"{}\">\n<article class=\"{}\" data-type=\"{}\">\n<h3>{}<small>{}</small></h3>\n"
        "</article>\n</section>\n",
        escape_html(all), impact_name(i.what.kind), escape_html(type), escape_html(impact_text(i, report)), impact_name(i.what.kind));
  }
  return out.empty() ? out : "<h2>What this does</h2>\n" + out + "<h2>What changes</h2>\n";
}

} // namespace

std::string report_html(const DiffReport& report) {
  std::set<std::string> types, nodes;
  std::string body = impact_sections(report, types);
  for (const DiffGroup& g : report.groups) {
    nodes.insert(g.nodes.begin(), g.nodes.end());
    body += group_section(nodes_text(g.nodes, report), g.nodes, group_articles(g.changes, types));
  }
  auto catalogs = [&](const char* change, const std::vector<std::string>& names) {
    if (names.empty()) return;
    nodes.insert(names.begin(), names.end());
    for (const auto& name : names) body += group_section(name, {name}, plain_article(change, "catalog", "the catalog"));
    types.insert("catalog");
  };
  catalogs("added", report.nodes_added);
  catalogs("removed", report.nodes_removed);
  for (const NodeFailure& f : report.failures) {
    nodes.insert(f.node);
    types.insert("error");
    const char* what = f.before.empty() ? "compiles no more" : f.after.empty() ? "compiles now" : "does not compile";
    std::string article = fmt::format("<article class=\"{}\" data-type=\"error\">\n<h3>{}</h3>\n<pre>{}</pre>\n</article>\n",
                                      f.after.empty() ? "added" : "removed", what, escape_html(f.after.empty() ? f.before : f.after));
    body += group_section(f.node, {f.node}, article);
  }
  auto options = [](const std::set<std::string>& names) {
    std::string out = "<option value=\"\">all</option>";
    for (const auto& n : names) out += fmt::format("<option>{}</option>", escape_html(n));
    return out;
  };
  return html_head(title_of(report), style) +
         fmt::format("<body>\n<header>\n<h1>{}</h1>\n<p>{}</p>\n<label>Search <input id=\"search\" type=\"search\"></label>\n"
                     "<label>Node <select id=\"node\">{}</select></label>\n<label>Type <select id=\"type\">{}</select></label>\n"
                     "<output id=\"shown\"></output>\n</header>\n<main>\n{}</main>\n",
                     escape_html(title_of(report)), escape_html(report.summary()), options(nodes), options(types), body) +
         std::string(page_script) + "</body>\n</html>\n";
}

} // namespace pupc::catalog
