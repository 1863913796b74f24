#pragma once
// The methods of Ruby's classes: one function for each kind of receiver, and one file for each. They throw what Core's errors throw.
#include "compiler/ruby/core/core.h"
#include "compiler/types/lookup_context.h"

namespace pupc::compiler::ruby {

// -- numbers and ranges
RubyValue number_method(Core& core, const MethodCall& c);
RubyValue integer_method(Core& core, const MethodCall& c);
RubyValue float_method(Core& core, const MethodCall& c);
RubyValue range_method(Core& core, const MethodCall& c);
/// Integers of which one, or the result, has more than 64 bits.
RubyValue big_method(Core& core, const MethodCall& c);
RubyValue integer_of_digits(Core& core, std::string_view digits, int base, bool negative);
RubyValue integer_of_unsigned(Core& core, uint64_t v);
RubyValue integer_of_float(Core& core, double whole);
int compare_integers(const RubyValue& a, const RubyValue& b);
std::string big_text(const RubyValue& v);

// -- texts
RubyValue string_method(Core& core, const MethodCall& c);
RubyValue string_pattern_method(Core& core, const MethodCall& c);
RubyValue string_change_method(Core& core, const MethodCall& c);
RubyValue string_element(Core& core, const MethodCall& c);
RubyValue symbol_method(Core& core, const MethodCall& c);
RubyValue regexp_method(Core& core, const MethodCall& c);
RubyValue match_method(Core& core, const MethodCall& c);
std::vector<std::string> split(Core& core, std::string_view text, const MethodCall& c);
/// The text of sub and gsub.
std::string substitute(Core& core, const MethodCall& c, bool global, bool& changed);
/// Texts of bytes. False: the method is one of every object or, where all bytes are ASCII, one of a text.
bool bytes_method(Core& core, const MethodCall& c, RubyValue& out);
std::string_view text_of_bytes(Core& core, const RubyValue& v, uint32_t line);
/// An argument that may be bytes or a text.
std::string_view any_text(Core& core, const MethodCall& c, size_t i);
std::string inspect_bytes(std::string_view s);
RubyValue join_bytes(Core& core, const MethodCall& c, const std::vector<RubyValue>& items, std::string_view separator);
RubyValue pack(Core& core, const MethodCall& c);
/// unpack and unpack1.
RubyValue unpack(Core& core, const MethodCall& c, std::string_view text);
/// Kernel#format.
std::string format(Core& core, const MethodCall& c, std::string_view format_text, std::span<const RubyValue> args);

// -- lists and hashes
RubyValue array_method(Core& core, const MethodCall& c);
RubyValue array_copy_method(Core& core, const MethodCall& c);
RubyValue array_combination(Core& core, const MethodCall& c);
RubyValue array_change_method(Core& core, const MethodCall& c);
RubyValue hash_method(Core& core, const MethodCall& c);
RubyValue hash_change_method(Core& core, const MethodCall& c);
/// What Array and everything enumerable has, by its elements.
RubyValue enumerable_method(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);
RubyValue enumerator_method(Core& core, const MethodCall& c);
/// Proc#arity: the number of arguments; negative where some may be left out.
int64_t arity_of(const Code& code, bool lambda);
/// String#encode to one of UTF's other forms.
RubyValue encoded(Core& core, const MethodCall& c);
RubyValue make_enumerator(Core& core, const MethodCall& c, std::vector<RubyValue> items);
RubyValue sorted(Core& core, const MethodCall& c, std::vector<RubyValue> items);
RubyValue sorted_by(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);

// -- classes, modules and libraries
RubyValue class_method(Core& core, const MethodCall& c);
RubyValue file_method(Core& core, const MethodCall& c);
bool file_question(Core& core, const MethodCall& c, RubyValue& out);
RubyValue yaml_method(Core& core, const MethodCall& c);
RubyValue library_method(Core& core, const MethodCall& c);
/// What the library's Ruby text asks for (PupcCore), and Math.
RubyValue primitive_method(Core& core, const MethodCall& c);
using Primitive = RubyValue (*)(Core&, const MethodCall&);
/// Null where there is none of this name.
Primitive find_primitive(std::string_view name);
RubyValue math_method(Core& core, const MethodCall& c);
/// A value as YAML or JSON.
RubyValue document(Core& core, const MethodCall& c, const RubyValue& v, const Value& options = {});
Value yaml_options(Core& core, const MethodCall& c, const RubyValue& given);
RubyValue make_address(Core& core, const MethodCall& c);
RubyValue address_method(Core& core, const MethodCall& c);
std::string address_text(const RubyValue& v);
std::string inspect_address(const RubyValue& v);
/// The context of Hiera's functions.
RubyValue context_method(Core& core, const NativeObject& context, const MethodCall& c);

} // namespace pupc::compiler::ruby
