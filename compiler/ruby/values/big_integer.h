#pragma once
// Integers of more than 64 bits.
#include "compiler/ruby/values/ruby_value.h"

#include <boost/multiprecision/cpp_int.hpp>

namespace pupc::compiler::ruby {

using BigInteger = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

struct RubyBig {
  BigInteger value; // never one that 64 bits hold
};

} // namespace pupc::compiler::ruby
