// The syntax of Puppet 8, LL(1) throughout. README.md beside this file says how it relates to Puppet's grammar.
//
// Puppet has no statement separator, and several characters mean one thing after an expression and another where an operand
// may start. The token stream (compiler/parse/token_stream.cpp) therefore delivers them as different tokens:
//   after a complete expression            where an operand may start
//   ACCESS  [  CALL_PAREN (  BODY {        LBRACK [  LPAREN (  LBRACE { (a hash)
//   MINUS   -  TIMES      *                NEGATE -  SPLAT  *
// Further splits: KEY (name of an attribute), SPLAT_KEY (* before =>), LAMBDA_PIPE (| after a call), SEL_FARROW (=> of a selector
// without braces), COLLECT_BODY ({ after a collector), EPP_BRACE ({ after <%=), CLASS_RES (class before {),
// TYPE_DEF/TYPE_NAME/TYPE and FUNCTION_DEF/FUNCTION (keyword, call, bare), ALIAS_ACCESS/ALIAS_BODY (right side of a type alias).
//
// Expressions are flat: operands and operators go to the builder `b`, which applies precedence (table in README.md). The tree
// is built in the actions; `start` is the index of a construct's first token. Trailing commas and semicolons are allowed by
// `(COMMA x?)*`; `b->comma()` refuses two in a row.
parser grammar PuppetParser;

options { language = Cpp; superClass = ParserBase; }

tokens {
  VARIABLE, NAME, WORD, CLASSREF, NUMBER, STRING, DQPRE, DQMID, DQPOST, HEREDOC, REGEX, BOOLEAN,
  CASE, CLASS, DEFAULT, DEFINE, IF, ELSIF, ELSE, INHERITS, NODE, AND, OR, UNDEF, IN, UNLESS, FUNCTION, TYPE, ATTR, PRIVATE, PLAN, APPLY,
  LBRACK, RBRACK, LBRACE, SELBRACE, RBRACE, LPAREN, RPAREN,
  EQUALS, APPENDS, DELETES, ISEQUAL, NOTEQUAL, MATCH, NOMATCH, GREATEREQUAL, GREATERTHAN, LESSEQUAL, LESSTHAN, FARROW, PARROW,
  LSHIFT, RSHIFT, PLUS, MINUS, DIV, TIMES, MODULO, NOT, DOT, PIPE, AT, ATAT, COLON, COMMA, SEMIC, QMARK, TILDE,
  LCOLLECT, LLCOLLECT, RCOLLECT, RRCOLLECT, IN_EDGE, IN_EDGE_SUB, OUT_EDGE, OUT_EDGE_SUB,
  EPP_START, EPP_END, EPP_END_TRIM, RENDER_STRING, RENDER_EXPR, OTHER, LEX_ERROR,
  // made by splitting
  ACCESS, CALL_PAREN, BODY, NEGATE, SPLAT, KEY, SPLAT_KEY, LAMBDA_PIPE, SEL_FARROW, COLLECT_BODY, EPP_BRACE, CLASS_RES,
  TYPE_DEF, TYPE_NAME, FUNCTION_DEF, ALIAS_ACCESS, ALIAS_BODY
}

@parser::postinclude {
#include "compiler/parse/parser_base.h"
}

@parser::members {
  // The state tables, which only error messages need. (The build takes out the generated code's eager copy of this.)
  static void load_atn() { static Initializer once; }
}

program
  : statements EOF { b->finish_program(); }
  | EPP_START epp_parameters statements EOF { b->finish_epp(); }
  ;

epp_parameters
@init { const auto mark = b->begin_parameters(); bool given = false; }
  : ( PIPE { given = true; } parameters PIPE )? { b->epp_parameters(mark, given); }
  ;

// ---- statements ------------------------------------------------------------------------------------------------------------

statements
@init { const auto mark = b->begin_block(); }
  : ( statement ( SEMIC? statement )* )? { b->end_block(mark); }
  ;

// A comma list as a statement is the argument list of the statement call before it: `include a, b`.
statement
@init { auto s = b->begin_statement(); }
  : assignment { b->statement(); } ( COMMA { b->statement_comma(s); } assignment { b->statement(); } )* { b->end_statement(s); }
  ;
  catch [antlr4::RecognitionException&] { b->recover_statement(s); }
  catch [pupc::compiler::SyntaxFailure&] { b->recover_statement(s); }

block
@init { const auto start = b->next(); }
  : ( BODY | LBRACE ) statements RBRACE { b->block(start); }
  ;

// ---- assignment, relationships, resources -----------------------------------------------------------------------------------

assignment
@init { auto a = b->begin_assignment(); }
  : resource { b->assignment_operand(a); }
    ( ( IN_EDGE | IN_EDGE_SUB | OUT_EDGE | OUT_EDGE_SUB | EQUALS | APPENDS | DELETES ) { b->assignment_operator(a); }
      resource { b->assignment_operand(a); }
    )*
    { b->end_assignment(a); }
  ;

resource
@init { auto r = b->begin_resource(); }
  : ( ( AT | ATAT ) { b->resource_at(r); } )*
    ( expression { b->resource_left(r); }
    | CLASS_RES ( BODY | LBRACE ) { b->class_resource(r); } resource_bodies RBRACE { b->end_resource(r, true); }
    )
    ( BODY { b->resource_brace(r); }
      ( resource_bodies RBRACE { b->end_resource(r, true); }
      | attribute_operations RBRACE { b->end_resource(r, false); }
      )
    )*
    { b->finish_resource(r); }
  ;

resource_bodies
  : resource_body ( SEMIC { b->semicolon(); } resource_body? )*
  ;

resource_body
@init { const auto mark = b->begin_attributes(); }
  : expression { b->title(); } COLON { b->expect_keys(); } attribute_operations { b->resource_body(mark); }
  ;

attribute_operations
  : attribute_operation? ( COMMA { b->comma(); b->expect_keys(); } attribute_operation? )*
  ;

attribute_operation
@init { const auto start = b->next(); }
  : KEY { b->expect_arrow(); } ( FARROW | PARROW ) expression { b->attribute(start); }
  | SPLAT_KEY FARROW expression { b->splat_attribute(start); }
  ;

// ---- expressions -------------------------------------------------------------------------------------------------------------

expression
@init { pupc::compiler::ExpressionFrame f; b->begin_expression(f); }
  : ( ( NOT | NEGATE | SPLAT ) { b->prefix_operator(); } )* operand
    ( ACCESS { b->open(); } access_arguments RBRACK { b->access(); }
    | CALL_PAREN { b->open_call(); } arguments RPAREN { b->call(); }
    | DOT ( NAME | TYPE | TYPE_NAME ) { b->method(); }
    | lambda { b->attach_lambda(); }
    | ( LCOLLECT { b->open(); } expression? { b->query(); } RCOLLECT | LLCOLLECT { b->open(); } expression? { b->query(); } RRCOLLECT )
      { b->collector(); }
      ( COLLECT_BODY { b->open(); b->expect_keys(); } attribute_operations RBRACE { b->collector_body(); } )?
    | QMARK { b->selector(); }
      ( SELBRACE { b->open(); } selector_entry ( COMMA { b->comma(); } selector_entry? )* RBRACE { b->end_selector(); }
      | { b->bare_selector(); } ( ( NOT | NEGATE | SPLAT ) { b->prefix_operator(); } )* operand
      )
    | ( IN | MATCH | NOMATCH | TIMES | DIV | MODULO | PLUS | MINUS | LSHIFT | RSHIFT | NOTEQUAL | ISEQUAL
      | GREATEREQUAL | GREATERTHAN | LESSTHAN | LESSEQUAL | AND | OR | SEL_FARROW ) { b->binary_operator(); }
      ( ( NOT | NEGATE | SPLAT ) { b->prefix_operator(); } )* operand
    )*
    { b->end_expression(f); }
  ;

selector_entry
  : expression { b->selector_match(); } FARROW expression { b->selector_value(); }
  ;

access_arguments
  : access_argument ( COMMA { b->comma(); } access_argument? )*
  ;

access_argument
@init { b->entry_start(pupc::compiler::EntryKind::Access); }
  : assignment ( FARROW { b->entry_key(); } assignment { b->entry_pair(); } | { b->access_entry(); } )
  ;

arguments
  : ( argument ( COMMA { b->comma(); } argument? )* )?
  ;

argument
@init { b->entry_start(pupc::compiler::EntryKind::Argument); }
  : assignment ( FARROW { b->entry_key(); } assignment { b->entry_pair(); } | { b->entry(); } )
  ;

list_entry
@init { b->entry_start(pupc::compiler::EntryKind::List); }
  : assignment ( FARROW { b->entry_key(); } assignment { b->entry_pair(); } | { b->entry(); } )
  ;

hash_entries
  : ( hash_entry ( COMMA { b->comma(); } hash_entry? )* )?
  ;

hash_entry
@init { b->entry_start(pupc::compiler::EntryKind::Hash); }
  : assignment FARROW { b->entry_key(); } assignment { b->hash_value(); }
  ;

operand
@init { const auto start = b->next(); }
  : VARIABLE { b->variable(); }
  | NAME { b->name(); }
  | ( STRING | WORD ) { b->string(); }
  | CLASSREF { b->reference(); }
  | NUMBER { b->number(); }
  | BOOLEAN { b->boolean(); }
  | UNDEF { b->undef(); }
  | DEFAULT { b->default_literal(); }
  | REGEX { b->regex(); }
  | dq_string { b->dq_operand(start); }
  | HEREDOC ( STRING { b->heredoc_string(); } | dq_string ) { b->heredoc(start); }
  | TYPE_NAME { b->name(); }
  | ( TYPE | FUNCTION ) { b->bare_keyword(); }
  | ( ATTR | PRIVATE ) { b->reserved_word(); }
  | LPAREN assignment RPAREN { b->parenthesized(start); }
  | list
  | hash
  | if_expression
  | unless_expression
  | case_expression
  | class_definition
  | define_definition
  | node_definition
  | function_definition
  | type_definition
  | plan_definition
  | apply_expression
  | RENDER_STRING { b->render_string(); }
  | RENDER_EXPR ( expression ( EPP_END | EPP_END_TRIM ) { b->render_expression(start); } | epp_braces )
  ;

dq_string
@init { auto m = b->begin_interpolation(); }
  : DQPRE { b->interpolation_text(); } assignment { b->interpolation_part(); }
    ( DQMID { b->interpolation_text(); } assignment { b->interpolation_part(); } )*
    DQPOST { b->interpolation_text(); b->end_interpolation(m); }
  ;

list
@init { const auto start = b->next(); auto m = b->begin_list(); }
  : LBRACK ( list_entry ( COMMA { b->comma(); } list_entry? )* )? RBRACK { b->list(start, m); }
  ;

hash
@init { const auto start = b->next(); auto m = b->begin_hash(); }
  : LBRACE hash_entries RBRACE { b->hash(start, m); }
  ;

// `<%= { … } %>` is a block of statements, or a hash when => follows its first expression.
epp_braces
@init { const auto start = b->next(); const auto block = b->begin_block(); const auto m = b->begin_hash(); auto s = b->begin_statement(); }
  : EPP_BRACE
    ( RBRACE { b->hash(start, m); b->end_block(block); } given_expression
    | { b->entry_start(pupc::compiler::EntryKind::Hash); } assignment
      ( FARROW { b->entry_key(); } assignment { b->hash_value(); }
        ( COMMA { b->comma(); } hash_entry? )* RBRACE { b->hash(start, m); b->end_block(block); } given_expression
      | { b->statement(); } ( COMMA { b->statement_comma(s); } assignment { b->statement(); } )* { b->end_statement(s); }
        ( SEMIC? statement )* { b->end_block(block); } RBRACE { b->render_block(start); }
      )
    )
    ( EPP_END | EPP_END_TRIM ) { b->finish_render(start); }
  ;

// The rest of an expression whose first operand was read already.
given_expression
@init { pupc::compiler::ExpressionFrame f; b->continue_expression(f); }
  : ( ACCESS { b->open(); } access_arguments RBRACK { b->access(); }
    | CALL_PAREN { b->open_call(); } arguments RPAREN { b->call(); }
    | DOT ( NAME | TYPE | TYPE_NAME ) { b->method(); }
    | lambda { b->attach_lambda(); }
    | QMARK { b->selector(); } SELBRACE { b->open(); } selector_entry ( COMMA { b->comma(); } selector_entry? )* RBRACE { b->end_selector(); }
    | ( IN | MATCH | NOMATCH | TIMES | DIV | MODULO | PLUS | MINUS | LSHIFT | RSHIFT | NOTEQUAL | ISEQUAL
      | GREATEREQUAL | GREATERTHAN | LESSTHAN | LESSEQUAL | AND | OR ) { b->binary_operator(); }
      ( ( NOT | NEGATE | SPLAT ) { b->prefix_operator(); } )* operand
    )*
    { b->end_expression(f); }
  ;

// ---- conditionals ------------------------------------------------------------------------------------------------------------

if_expression
@init { const auto start = b->next(); auto i = b->begin_if(); }
  : IF expression { b->if_test(); } block { b->if_then(); }
    ( ELSIF { b->elsif(); } expression { b->if_test(); } block { b->if_then(); } )*
    ( ELSE block { b->if_else(); } )?
    { b->end_if(start, i); }
  ;

unless_expression
@init { const auto start = b->next(); auto i = b->begin_if(); }
  : UNLESS expression { b->if_test(); } block { b->if_then(); }
    ( ELSE block { b->if_else(); } )?
    { b->end_unless(start, i); }
  ;

case_expression
@init { const auto start = b->next(); auto c = b->begin_case(); }
  : CASE expression { b->case_test(c); } ( BODY | LBRACE ) { b->operand_next(); }
    ( case_option )+
    RBRACE { b->end_case(start, c); }
  ;

case_option
@init { auto o = b->begin_option(); }
  : expression { b->option_value(); } ( COMMA expression { b->option_value(); } )*
    COLON { b->option_colon(o); } ( BODY | LBRACE ) statements RBRACE { b->end_option(o); }
  ;

// ---- calls -------------------------------------------------------------------------------------------------------------------

lambda
@init { const auto start = b->next(); auto m = b->begin_parameters(); }
  : LAMBDA_PIPE { b->operand_next(); } parameters PIPE ( RSHIFT return_type )? ( BODY | LBRACE ) statements RBRACE { b->lambda(start, m); }
  ;

parameters
  : ( parameter ( COMMA { b->comma(); } parameter? )* )?
  ;

parameter
  : ( type_expression { b->parameter_type(); } | { b->no_parameter_type(); } ) ( ( TIMES | SPLAT ) { b->captures_rest(); } )?
    VARIABLE { b->parameter_name(); } ( EQUALS expression { b->parameter_default(); } )? { b->parameter(); }
  ;

type_expression
@init { const auto start = b->next(); }
  : CLASSREF { b->type_reference(); } ( ACCESS { b->open(); } access_arguments RBRACK { b->type_access(start); } )?
  ;

return_type
  : type_expression { b->return_type(); }
  ;

// ---- definitions -------------------------------------------------------------------------------------------------------------

class_name
  : ( NAME | WORD | CLASSREF | CLASS | CLASS_RES | STRING ) { b->class_name(); }
  ;

parameter_list
  : ( ( LPAREN | CALL_PAREN ) { b->operand_next(); } parameters RPAREN )?
  ;

class_definition
@init { const auto start = b->next(); auto m = b->begin_parameters(); }
  : CLASS class_name { b->push_namespace(); } parameter_list ( INHERITS ( class_name | DEFAULT ) { b->parent_name(); } )?
    ( BODY | LBRACE ) statements RBRACE { b->class_definition(start, m); }
  ;

define_definition
@init { const auto start = b->next(); auto m = b->begin_parameters(); }
  : DEFINE class_name { b->defined_name(); } parameter_list ( BODY | LBRACE ) statements RBRACE { b->define_definition(start, m); }
  ;

function_definition
@init { const auto start = b->next(); auto m = b->begin_parameters(); }
  : FUNCTION_DEF class_name { b->defined_name(); } parameter_list ( RSHIFT return_type )? ( BODY | LBRACE ) statements RBRACE
    { b->function_definition(start, m); }
  ;

// Plans and what they apply: only texts that may hold plans have these keywords.
plan_definition
@init { const auto start = b->next(); auto m = b->begin_parameters(); }
  : PLAN class_name { b->push_namespace(); } parameter_list ( BODY | LBRACE ) statements RBRACE { b->plan_definition(start, m); }
  ;

apply_expression
@init { const auto start = b->next(); pupc::compiler::BodyPlace around; }
  : APPLY ( LPAREN | CALL_PAREN ) { b->open_apply(); } argument ( COMMA { b->comma(); } argument? )* RPAREN { around = b->begin_apply(); }
    ( BODY | LBRACE ) statements RBRACE { b->apply_expression(start, around); }
  ;

node_definition
@init { const auto start = b->next(); auto m = b->begin_node(); }
  : NODE host_name ( COMMA { b->comma(); } host_name? )* ( INHERITS { b->node_parent(m); } host_name )?
    ( BODY | LBRACE ) statements RBRACE { b->node_definition(start, m); }
  ;

host_name
@init { const auto start = b->next(); }
  : ( ( NAME | NUMBER ) ( DOT ( NAME | NUMBER ) )* { b->dotted_name(start); }
    | ( STRING | WORD ) { b->string(); }
    | DEFAULT { b->default_literal(); }
    | REGEX { b->regex(); }
    | dq_string { b->dq_operand(start); }
    | HEREDOC ( STRING { b->heredoc_string(); } | dq_string ) { b->heredoc(start); }
    ) { b->host_name(); }
  ;

type_definition
@init { const auto start = b->next(); }
  : TYPE_DEF type_expression
    ( EQUALS { b->operand_next(); }
      ( CLASSREF { b->alias_reference(); }
        ( ALIAS_BODY { b->alias_hash(); } hash_entries RBRACE { b->alias_object(start); }
        | ALIAS_ACCESS { b->open(); } access_arguments RBRACK { b->alias_access(start); }
        )?
      | hash { b->alias_hash_only(start); }
      | list { b->alias_list(start); }
      ) { b->type_alias(start); }
    | { b->type_has_body(); } ( INHERITS CLASSREF { b->type_parent(); } )? ( BODY | LBRACE ) statements RBRACE { b->type_body(start); }
    )
  ;
