#pragma once
// What the generated parser and lexer use of ANTLR's runtime. They include "antlr4-runtime.h", which otherwise brings all of it: half
// of the component's compile time, and a header (misc/InterpreterDataReader.h) that clang refuses.
#include <ANTLRInputStream.h>
#include <CommonTokenStream.h>
#include <FailedPredicateException.h>
#include <InputMismatchException.h>
#include <Lexer.h>
#include <NoViableAltException.h>
#include <Parser.h>
#include <ParserRuleContext.h>
#include <Vocabulary.h>
#include <atn/ATNDeserializer.h>
#include <atn/LexerATNSimulator.h>
#include <atn/ParserATNSimulator.h>
#include <atn/PredictionContext.h>
#include <atn/RuleTransition.h>
#include <dfa/DFA.h>
#include <misc/Interval.h>
#include <misc/IntervalSet.h>
#include <tree/TerminalNode.h>
