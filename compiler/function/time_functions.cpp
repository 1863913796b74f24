// strftime.
#include "catalog/value/time_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"

#include <ctime>

namespace pupc::compiler {
namespace {

std::string_view zone(FunctionCall& c, size_t i) { return c.given(i) ? c.args[i].str() : std::string_view(); }

Value of_timespan(FunctionCall& c) { return c.string(format_timespan(c.args[0].i, c.args[1].str())); }
Value of_timestamp(FunctionCall& c) { return c.string(format_timestamp(c.args[0].i, c.args[1].str(), zone(c, 2))); }
Value of_now(FunctionCall& c) {
  c.warn_once("legacy#strftime",
              "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime documentation and "
              "Timespan type for more info",
              true);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return c.string(format_timestamp(static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec, c.args[0].str(), zone(c, 1)));
}

const FunctionEntry time_table[] = {
    {"strftime",
     "Text of a timestamp or timespan by a format; a timezone may be given for a timestamp.",
     {{"Timespan $time_object, String $format", of_timespan},
      {"Timestamp $time_object, String $format, String $timezone?", of_timestamp},
      {"String $format, String $timezone?", of_now}}},
};

} // namespace

FunctionTable time_functions() { return time_table; }

} // namespace pupc::compiler
