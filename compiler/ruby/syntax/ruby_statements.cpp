// Finds statements, calls, blocks and method definitions in Ruby tokens.
#include "compiler/ruby/syntax/ruby_static.h"

#include <algorithm>

namespace pupc::compiler {

namespace {

// Whether an opening brace begins a block rather than a hash.
bool block_brace(const RubyRange& range, uint32_t at) {
  if (at == range.begin) return false;
  const RubyToken& p = range[at - 1];
  switch (p.kind) {
  case RubyTokenKind::Identifier:
  case RubyTokenKind::Constant: return true;
  case RubyTokenKind::Operator: return p.text == ")" || p.text == "]";
  case RubyTokenKind::Symbol:
  case RubyTokenKind::String:
  case RubyTokenKind::Words:
  case RubyTokenKind::Symbols:
  case RubyTokenKind::Variable: return true; // Ruby rejects `foo :x { … }`, so in code that runs the block is foo's
  default: return false;
  }
}

// Whether token `i`, which follows a method's name, begins an argument.
bool argument_follows(const RubyRange& range, uint32_t i) {
  if (i >= range.end) return false;
  const RubyToken& t = range[i];
  if (t.kind == RubyTokenKind::Newline) return false;
  if (t.kind == RubyTokenKind::Keyword)
    return t.text != "do" && t.text != "if" && t.text != "unless" && t.text != "while" && t.text != "until" && t.text != "rescue" &&
           t.text != "and" && t.text != "or" && t.text != "then" && t.text != "in";
  if (t.kind != RubyTokenKind::Operator) return true;
  if (t.text == "->") return true;
  if (!t.space_before) return false;
  if (t.text == "(" || t.text == "[" || t.text == "::" || t.text == "!") return true;
  bool tight = i + 1 < range.end && !range[i + 1].space_before; // foo *list, foo &block, foo -1
  return tight && (t.text == "*" || t.text == "&" || t.text == "**" || t.text == "-");
}

void trim(RubyRange& r) {
  while (!r.empty() && r[r.begin].kind == RubyTokenKind::Newline) ++r.begin;
  while (!r.empty() && r[r.end - 1].kind == RubyTokenKind::Newline) --r.end;
}

} // namespace

uint32_t skip_element(const RubyRange& range, uint32_t i) {
  const RubyToken& t = range[i];
  if (t.match == RubyToken::no_match || t.match <= i) return i + 1;
  // The match of an endless def is the newline or end of file after it, which does not belong to it.
  if (is_keyword(t, "def") && (t.match >= range.file->tokens.tokens.size() || range[t.match].kind == RubyTokenKind::Newline))
    return std::min(t.match, range.end);
  return std::min(t.match + 1, range.end);
}

bool next_statement(RubyRange& rest, RubyRange& statement) {
  while (!rest.empty() && rest[rest.begin].kind == RubyTokenKind::Newline) ++rest.begin;
  if (rest.empty()) return false;
  statement = rest;
  uint32_t i = rest.begin;
  while (i < rest.end && rest[i].kind != RubyTokenKind::Newline) i = skip_element(rest, i);
  statement.end = i;
  rest.begin = i;
  return true;
}

std::vector<RubyRange> split_commas(RubyRange range) {
  std::vector<RubyRange> out;
  RubyRange part = range;
  auto add = [&](uint32_t end) {
    part.end = end;
    RubyRange item = part;
    trim(item);
    if (!item.empty()) out.push_back(item);
  };
  for (uint32_t i = range.begin; i < range.end;) {
    if (is_op(range[i], ",")) {
      add(i);
      part.begin = ++i;
      continue;
    }
    i = skip_element(range, i);
  }
  add(range.end);
  return out;
}

void read_block(const RubyRange& range, uint32_t at, RubyRange& parameters, RubyRange& body) {
  body = range;
  body.begin = at + 1;
  body.end = range[at].match;
  parameters = body;
  parameters.end = parameters.begin;
  uint32_t i = body.begin;
  while (i < body.end && body[i].kind == RubyTokenKind::Newline) ++i;
  if (i < body.end && is_op(body[i], "||")) body.begin = i + 1;
  if (i >= body.end || !is_op(body[i], "|")) return;
  for (uint32_t j = i + 1; j < body.end; j = skip_element(body, j)) {
    if (!is_op(body[j], "|")) continue;
    parameters.begin = i + 1;
    parameters.end = j;
    body.begin = j + 1;
    return;
  }
}

uint32_t find_modifier(const RubyRange& statement) {
  for (uint32_t i = statement.begin; i < statement.end; i = skip_element(statement, i)) {
    const RubyToken& t = statement[i];
    if (i > statement.begin && t.kind == RubyTokenKind::Keyword && t.match == RubyToken::no_match &&
        (t.text == "if" || t.text == "unless" || t.text == "while" || t.text == "until" || t.text == "rescue"))
      return i;
  }
  return 0;
}

RubyCall read_call(const RubyRange& range, uint32_t at) {
  RubyCall call;
  call.name = range[at].text;
  call.arguments = range;
  uint32_t i = at + 1;
  if (i < range.end && is_op(range[i], "(") && !range[i].space_before) {
    call.arguments.begin = i + 1;
    call.arguments.end = range[i].match;
    i = range[i].match + 1;
  } else if (!argument_follows(range, i)) {
    call.arguments.begin = call.arguments.end = i;
  } else {
    call.arguments.begin = i;
    while (i < range.end) {
      const RubyToken& t = range[i];
      if (is_keyword(t, "do") || (is_op(t, "{") && block_brace(range, i))) break;
      i = skip_element(range, i);
    }
    call.arguments.end = i;
  }
  if (i < range.end && (is_keyword(range[i], "do") || is_op(range[i], "{"))) {
    call.has_block = true;
    read_block(range, i, call.block_parameters, call.block);
    i = range[i].match + 1;
  }
  call.end = i;
  return call;
}

std::vector<RubyBranch> read_if(const RubyRange& range, uint32_t at) {
  std::vector<RubyBranch> out;
  uint32_t end = range[at].match, i = at + 1;
  bool is_else = false;
  auto part = [&](uint32_t from, uint32_t to) {
    RubyRange r = range;
    r.begin = from;
    r.end = std::max(from, to);
    return r;
  };
  while (i < end) {
    RubyBranch branch;
    uint32_t begin = i;
    if (!is_else) {
      while (i < end && range[i].kind != RubyTokenKind::Newline && !is_keyword(range[i], "then")) i = skip_element(range, i);
      branch.condition = part(begin, i);
      begin = std::min(i + 1, end);
      i = begin;
    }
    while (i < end && !is_keyword(range[i], "elsif") && !is_keyword(range[i], "else")) i = skip_element(range, i);
    branch.body = part(begin, i);
    out.push_back(branch);
    if (i < end) is_else = is_keyword(range[i], "else");
    ++i;
  }
  return out;
}

bool read_def(const RubyRange& range, uint32_t at, std::string& name, RubyMethod& method) {
  uint32_t end = range[at].match, i = at + 1;
  if (i >= end) return false;
  bool self = false;
  if (i + 1 < end && is_op(range[i + 1], ".")) {
    if (!is_keyword(range[i], "self")) return false;
    self = true;
    i += 2;
  }
  if (i >= end) return false;
  name = (self ? "self." : "") + std::string(range[i].text);
  ++i;
  method.parameters = method.body = range;
  method.parameters.begin = method.parameters.end = i;
  if (i < end && is_op(range[i], "(")) {
    method.parameters.begin = i + 1;
    method.parameters.end = range[i].match;
    i = range[i].match + 1;
  } else if (!(i < end && is_op(range[i], "="))) { // def x a, b
    while (i < end && range[i].kind != RubyTokenKind::Newline) ++i;
    method.parameters.end = i;
  }
  if (i < end && is_op(range[i], "=")) ++i; // endless
  method.body.begin = std::min(i, end);
  method.body.end = end;
  return true;
}

} // namespace pupc::compiler
