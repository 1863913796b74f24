// Finds the brackets, their roles, and where lines break.
#include "compiler/format/layout.h"

#include "compiler/ast/children.h"

#include <stdexcept>

namespace pupc::compiler {
namespace {

bool is_opener(Tok kind) {
  switch (kind) {
  case Tok::LBrack:
  case Tok::ListStart:
  case Tok::LBrace:
  case Tok::SelBrace:
  case Tok::LParen:
  case Tok::WsLParen:
  case Tok::LCollect:
  case Tok::LLCollect: return true;
  default: return false;
  }
}

bool is_closer(Tok kind) {
  switch (kind) {
  case Tok::RBrack:
  case Tok::RBrace:
  case Tok::RParen:
  case Tok::RCollect:
  case Tok::RRCollect: return true;
  default: return false;
  }
}

} // namespace

Layout::Layout(std::string_view source, const TokenList& tokens, const ParsedFile& file, bool keep_wide)
    : text(source), list(tokens), keep_wide_(keep_wide) {
  const std::vector<SourceToken> all = source_tokens(text, list);
  places.resize(all.size());
  by_offset_.reserve(all.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    places[i].token = all[i];
    places[i].breaks = std::min(all[i].line_ends, 2u);
    if (!all[i].is_comment() && all[i].kind != Tok::End) by_offset_.emplace(all[i].offset, i);
  }
  code_before_.resize(places.size(), none);
  code_after_.resize(places.size(), static_cast<uint32_t>(places.size()) - 1);
  for (uint32_t i = 1; i < places.size(); ++i) code_before_[i] = is_comment(i - 1) ? code_before_[i - 1] : i - 1;
  for (size_t i = places.size() - 1; i-- > 0;)
    code_after_[i] = is_comment(static_cast<uint32_t>(i) + 1) ? code_after_[i + 1] : static_cast<uint32_t>(i) + 1;
  if (file.body != nullptr) visit(*file.body);
  find_brackets();
  find_roles(file);
  find_starts();
  join_lines();
  move_arrows();
  break_lines();
  add_commas();
  find_spaces();
}

bool Layout::on_one_line(uint32_t first, uint32_t last) const {
  for (uint32_t i = first; i <= last; ++i)
    if ((i != first && places[i].breaks != 0) || text_of(i).find('\n') != std::string_view::npos) return false;
  return true;
}

uint32_t Layout::width(uint32_t first, uint32_t last) const {
  uint32_t sum = 0;
  for (uint32_t i = first; i <= last; ++i)
    sum += count_characters(text_of(i)) + (i != first ? places[i].spaces : 0) + (places[i].comma_after ? 1 : 0);
  return sum;
}

uint32_t Layout::source_column(uint32_t i) const {
  const uint32_t offset = places[i].token.offset;
  const size_t line = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const size_t start = line == std::string_view::npos || offset == 0 ? 0 : line + 1;
  return count_characters(text.substr(start, offset - start));
}

uint32_t Layout::at(uint32_t offset) const {
  const auto found = by_offset_.find(offset);
  return found == by_offset_.end() ? none : found->second;
}

// ---- the tree ----------------------------------------------------------------------------------------------------------------

void Layout::statement(uint32_t offset) {
  uint32_t i = at(offset);
  if (i == none) return;
  // The offset of a virtual or exported resource is that of its type: step back over the @ or @@.
  for (uint32_t before = code_before(i); before != none && (kind(before) == Tok::At || kind(before) == Tok::AtAt); before = code_before(i))
    i = before;
  places[i].starts = true;
}

/// Marks where the statements below a node start, and records its operators. Returns the offset of the node's first token.
uint32_t Layout::visit(const Node& node) {
  uint32_t first = node.offset;
  const bool block = node.kind == NodeKind::Block;
  for_each_child(node, [&](const Node* child) {
    const uint32_t child_first = visit(*child);
    if (block && child->kind != NodeKind::Nop) statement(child_first);
    first = std::min(first, child_first);
  });
  switch (node.kind) {
  case NodeKind::TypeAlias:
  case NodeKind::TypeDefinition:
  case NodeKind::TypeMapping:
    // The node's offset is that of the name: step back to the keyword `type`.
    if (const uint32_t i = at(first); i != none && i > 0 && kind(code_before(i)) == Tok::Type) first = places[code_before(i)].token.offset;
    break;
  case NodeKind::Relationship: relationship_operators_.insert(node.as<Binary>().op_offset); [[fallthrough]];
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment: binary_operators_.insert(node.as<Binary>().op_offset); break;
  case NodeKind::Lambda: lambdas_.insert(node.offset); break;
  case NodeKind::Block: return std::numeric_limits<uint32_t>::max(); // the offset of an implicit block is not that of a token
  default: break;
  }
  return first;
}

void Layout::find_brackets() {
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < places.size(); ++i) {
    Place& p = places[i];
    p.parent = open.empty() ? none : open.back();
    if (p.token.is_comment()) continue;
    const Tok k = p.token.kind;
    const bool pipe = k == Tok::Pipe;
    if (is_opener(k) || (pipe && lambdas_.contains(p.token.offset))) {
      p.opens = true;
      p.role = pipe ? BracketRole::Pipes : k == Tok::SelBrace ? BracketRole::Selector : BracketRole::Other;
      open.push_back(i);
    } else if (is_closer(k) || pipe) {
      if (open.empty()) throw std::logic_error("a closing bracket without an opening one");
      p.closes = true;
      p.partner = open.back();
      places[open.back()].partner = i;
      open.pop_back();
      p.parent = open.empty() ? none : open.back();
    }
  }
  if (!open.empty()) throw std::logic_error("an opening bracket without a closing one");
}

void Layout::role_of_closer(uint32_t end_offset, BracketRole role, uint32_t anchor_offset) {
  const uint32_t closer = at(end_offset - 1);
  if (closer == none || kind(closer) != Tok::RBrace) return;
  Place& open = places[places[closer].partner];
  open.role = role;
  if (anchor_offset != none) open.anchor = at(anchor_offset);
}

/// Finds the braces of the branches. An implicit block has only the offsets of its statements, so search backward from what follows it.
void Layout::roles_of_if(const If& node) {
  uint32_t closer = at(node.offset + node.length - 1); // closing brace of the last block
  if (const Node* rest = node.else_part; rest != nullptr) {
    uint32_t next = none; // the else or elsif
    if (rest->kind == NodeKind::If) {
      next = at(rest->offset);
    } else if (closer != none && places[closer].closes) {
      places[places[closer].partner].role = BracketRole::Block;
      next = code_before(places[closer].partner);
    }
    closer = next == none ? none : code_before(next);
  }
  if (closer == none || !places[closer].closes) return;
  Place& open = places[places[closer].partner];
  open.role = BracketRole::Block;
  open.anchor = at(node.offset);
}

void Layout::role_of_parameters(const Seq<Parameter>& parameters) {
  if (parameters.empty()) return;
  const uint32_t variable = at(parameters[0].offset);
  const uint32_t open = variable == none ? none : places[variable].parent;
  if (open != none && places[open].role == BracketRole::Other) places[open].role = BracketRole::Parameters;
}

void Layout::find_roles(const ParsedFile& file) {
  std::vector<const Node*> open = {file.body};
  while (!open.empty()) {
    const Node& n = *open.back();
    open.pop_back();
    const uint32_t end = n.offset + n.length;
    switch (n.kind) {
    case NodeKind::ClassDef:
    case NodeKind::DefineDef:
    case NodeKind::FunctionDef: role_of_parameters(n.as<Definition>().parameters); [[fallthrough]];
    case NodeKind::NodeDef:
    case NodeKind::TypeDefinition: role_of_closer(end, BracketRole::Block, n.offset); break;
    case NodeKind::Lambda: role_of_closer(end, BracketRole::Block); break;
    case NodeKind::If: roles_of_if(n.as<If>()); break;
    case NodeKind::Case:
      role_of_closer(end, BracketRole::Case, n.offset);
      for (const CaseOption& option : n.as<Case>().options) role_of_closer(option.offset + option.length, BracketRole::Block);
      break;
    case NodeKind::ResourceExpr: role_of_closer(end, BracketRole::Resource); break;
    case NodeKind::ResourceDefaults:
    case NodeKind::ResourceOverride: role_of_closer(end, BracketRole::Attributes); break;
    case NodeKind::Collector:
      if (!n.as<Collector>().operations.empty()) role_of_closer(end, BracketRole::Attributes);
      break;
    case NodeKind::HashLiteral:
      if (const uint32_t i = at(n.offset); i != none && kind(i) == Tok::LBrace) places[i].role = BracketRole::Hash;
      break;
    case NodeKind::ListLiteral:
      if (const uint32_t i = at(n.offset); i != none && places[i].opens) places[i].role = BracketRole::List;
      break;
    default: break;
    }
    for_each_child(n, [&](const Node* child) { open.push_back(child); });
  }
}

/// Marks the starts of the elements in brackets other than blocks, and the prefix operators.
void Layout::find_starts() {
  uint32_t before = none;
  for (uint32_t i = 0; i < places.size(); ++i) {
    Place& p = places[i];
    if (p.token.is_comment()) continue;
    const uint32_t around = p.parent;
    const BracketRole role = around == none ? BracketRole::None : places[around].role;
    const Tok last = kind(before);
    if (role == BracketRole::Resource && p.token.kind == Tok::Colon) p.title_end = true;
    if (p.closes) {
    } else if (role == BracketRole::Case) {
      p.starts = before == around ||
                 (last == Tok::RBrace && places[before].parent == around && places[places[before].partner].role == BracketRole::Block);
      if (last == Tok::Comma) p.starts = true; // the next value of an option
    } else if (around != none && role != BracketRole::Block) {
      p.starts = before == around || ((last == Tok::Comma || last == Tok::Semicolon) && places[before].parent == around) ||
                 (places[before].title_end && places[before].parent == around);
    }
    switch (p.token.kind) {
    case Tok::Minus:
    case Tok::Times: p.prefix = !binary_operators_.contains(p.token.offset); break;
    case Tok::Not:
    case Tok::At:
    case Tok::AtAt: p.prefix = true; break;
    case Tok::Else:
    case Tok::Elsif:
      if (last == Tok::RBrace && (role == BracketRole::Block || role == BracketRole::None)) p.starts = true;
      break;
    default: break;
    }
    before = i;
  }
}

// ---- where lines break -------------------------------------------------------------------------------------------------------

/// Removes line ends that the style guide does not allow: before braces, else, commas and operators that assign a value.
void Layout::join_lines() {
  for (uint32_t i = 1; i < places.size(); ++i) {
    Place& p = places[i];
    if (p.token.is_comment() || is_comment(i - 1) || p.breaks == 0) continue;
    bool join = false;
    if (p.opens) {
      join = p.role == BracketRole::Block || p.role == BracketRole::Case || p.role == BracketRole::Resource ||
             p.role == BracketRole::Attributes || p.role == BracketRole::Selector || p.role == BracketRole::Parameters;
    } else if (p.closes) {
      // Join empty brackets. Also join when an inner bracket opens on the line of this one and closes just before its end: foo({ … }).
      join = p.partner == i - 1 || (places[i - 1].closes && places[p.partner + 1].breaks == 0 &&
                                    (places[p.partner].role == BracketRole::Other || places[p.partner].role == BracketRole::List));
    } else {
      switch (p.token.kind) {
      case Tok::Comma:
      case Tok::FatArrow:
      case Tok::PlusArrow: join = true; break;
      case Tok::Colon: join = true; break;
      case Tok::Equals: join = binary_operators_.contains(p.token.offset); break;
      case Tok::Else:
      case Tok::Elsif: join = p.starts && kind(i - 1) == Tok::RBrace; break;
      default: break;
      }
    }
    if (join) p.breaks = 0;
  }
  if (!places.empty()) places[0].breaks = 0;
}

/// Moves the arrow of a relationship to the line of its right side.
void Layout::move_arrows() {
  for (uint32_t i = 1; i + 1 < places.size(); ++i) {
    Place& p = places[i];
    if ((p.token.kind != Tok::InEdge && p.token.kind != Tok::InEdgeSub) || is_comment(i + 1)) continue;
    Place& next = places[i + 1];
    if (next.breaks == 0) continue;
    p.breaks = std::max(p.breaks, next.breaks);
    next.breaks = 0;
  }
}

/// Spreads the contents of a bracket over several lines if the author put at least one line end directly into it.
void Layout::break_lines() {
  for (uint32_t i = 0; i < places.size(); ++i) {
    if (!places[i].opens) continue;
    if (places[i].role == BracketRole::Resource)
      break_resource(i);
    else
      break_bracket(i);
  }
}

/// Breaks the line before a token; comments before it on the same line move with it.
void Layout::force_break(uint32_t i) {
  while (places[i].breaks == 0 && i > 0 && is_comment(i - 1)) --i;
  places[i].breaks = std::max(places[i].breaks, 1u);
}

void Layout::break_bracket(uint32_t open) {
  const uint32_t close = places[open].partner;
  const BracketRole role = places[open].role;
  bool broken = false;
  // Skip inner brackets: each has a call of its own.
  for (uint32_t i = open + 1; i <= close; ++i) {
    broken = broken || places[i].breaks != 0;
    if (places[i].opens) i = places[i].partner;
  }
  const uint32_t first = code_after(open);
  if (!broken || first == close) return;
  auto force = [&](uint32_t i) { force_break(i); };
  switch (role) {
  case BracketRole::List: force(first); break;
  case BracketRole::Other:
  case BracketRole::None:
    if (places[open + 1].breaks == 0) return;
    break;
  default:
    for (uint32_t i = open + 1; i < close; ++i) {
      // Values of an option may share a line.
      const bool option_value = role == BracketRole::Case && kind(code_before(i)) == Tok::Comma;
      const bool else_part = kind(i) == Tok::Else || kind(i) == Tok::Elsif;
      if (places[i].starts && places[i].parent == open && !option_value && !else_part) force(i);
      if (places[i].opens) i = places[i].partner;
    }
  }
  if (kind(close) != Tok::RCollect && kind(close) != Tok::RRCollect) force(close);
}

void Layout::break_resource(uint32_t open) {
  const uint32_t close = places[open].partner;
  struct Body {
    uint32_t title = none;
    std::vector<uint32_t> attributes;
    bool broken = false;
  };
  std::vector<Body> bodies(1);
  bool broken = places[close].breaks != 0, after_title = false;
  for (uint32_t i = open + 1; i < close; ++i) {
    const Place& p = places[i];
    const bool breaks = p.breaks != 0;
    broken = broken || breaks;
    if (p.token.kind == Tok::Semicolon) {
      bodies.emplace_back();
      after_title = false;
    } else if (p.title_end) {
      after_title = true;
    } else if (after_title) {
      bodies.back().broken = bodies.back().broken || breaks;
      if (p.starts) bodies.back().attributes.push_back(i);
    } else if (p.starts) {
      bodies.back().title = i;
    }
    if (p.opens) i = p.partner;
  }
  if (bodies.back().title == none) bodies.pop_back();
  if (!broken || bodies.empty()) return;
  auto force = [&](uint32_t i) { force_break(i); };
  for (Body& body : bodies) {
    if (bodies.size() > 1) force(body.title);
    if (body.broken || bodies.size() == 1)
      for (const uint32_t i : body.attributes) force(i);
  }
  force(close);
}

/// Adds a trailing comma where each element has a line of its own.
void Layout::add_commas() {
  for (uint32_t open = 0; open < places.size(); ++open) {
    if (!places[open].opens) continue;
    switch (places[open].role) {
    case BracketRole::Resource:
    case BracketRole::Attributes:
    case BracketRole::Hash:
    case BracketRole::Selector:
    case BracketRole::List:
    case BracketRole::Parameters: break;
    default: continue;
    }
    const uint32_t close = places[open].partner;
    const uint32_t last = code_before(close);
    if (places[close].breaks == 0 || last == open || places[last].title_end) continue;
    if (kind(last) != Tok::Comma && kind(last) != Tok::Semicolon) places[last].comma_after = true;
  }
}

uint32_t count_characters(std::string_view text) {
  uint32_t n = 0;
  for (const char c : text) n += (static_cast<uint8_t>(c) & 0xC0) != 0x80 ? 1 : 0;
  return n;
}

} // namespace pupc::compiler
