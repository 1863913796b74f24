#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {

std::string_view ruby_type_class(TypeKind kind) {
  switch (kind) {
  case TypeKind::Any: return "PAnyType";
  case TypeKind::Undef: return "PUndefType";
  case TypeKind::Unit: return "PUnitType";
  case TypeKind::NotUndef: return "PNotUndefType";
  case TypeKind::Default: return "PDefaultType";
  case TypeKind::Scalar: return "PScalarType";
  case TypeKind::ScalarData: return "PScalarDataType";
  case TypeKind::Data:
  case TypeKind::RichData:
  case TypeKind::RichDataKey:
  case TypeKind::TypeAlias: return "PTypeAliasType";
  case TypeKind::Numeric: return "PNumericType";
  case TypeKind::Integer: return "PIntegerType";
  case TypeKind::Float: return "PFloatType";
  case TypeKind::Boolean: return "PBooleanType";
  case TypeKind::String: return "PStringType";
  case TypeKind::Enum: return "PEnumType";
  case TypeKind::Pattern: return "PPatternType";
  case TypeKind::Regexp: return "PRegexpType";
  case TypeKind::Collection: return "PCollectionType";
  case TypeKind::Array: return "PArrayType";
  case TypeKind::Hash: return "PHashType";
  case TypeKind::Tuple: return "PTupleType";
  case TypeKind::Struct: return "PStructType";
  case TypeKind::Variant: return "PVariantType";
  case TypeKind::Optional: return "POptionalType";
  case TypeKind::Type: return "PTypeType";
  case TypeKind::Callable: return "PCallableType";
  case TypeKind::Iterable: return "PIterableType";
  case TypeKind::Iterator: return "PIteratorType";
  case TypeKind::Sensitive: return "PSensitiveType";
  case TypeKind::Binary: return "PBinaryType";
  case TypeKind::Timestamp: return "PTimestampType";
  case TypeKind::Timespan: return "PTimespanType";
  case TypeKind::SemVer: return "PSemVerType";
  case TypeKind::SemVerRange: return "PSemVerRangeType";
  case TypeKind::Uri: return "PURIType";
  case TypeKind::Init: return "PInitType";
  case TypeKind::Runtime: return "PRuntimeType";
  case TypeKind::TypeReference: return "PTypeReferenceType";
  case TypeKind::TypeSet: return "PTypeSetType";
  case TypeKind::Object:
  case TypeKind::Deferred:
  case TypeKind::Error: return "PObjectType";
  case TypeKind::Resource: return "PResourceType";
  case TypeKind::Class: return "PClassType";
  case TypeKind::CatalogEntry: return "PCatalogEntryType";
  case TypeKind::ObjectExtension: return "PObjectTypeExtension";
  }
  return "PAnyType";
}

std::string ruby_class_name(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "NilClass";
  case Kind::Default: return "Symbol";
  case Kind::Bool: return v.b ? "TrueClass" : "FalseClass";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::String: return "String";
  case Kind::Regex: return "Regexp";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  case Kind::Type: return fmt::format("Puppet::Pops::Types::{}", ruby_type_class(as_type(v)->kind));
  case Kind::Ref: return "Puppet::Resource";
  case Kind::Sensitive: return "Puppet::Pops::Types::PSensitiveType::Sensitive";
  case Kind::Deferred: return "Puppet::Pops::Types::DeferredType";
  case Kind::Timestamp: return "Puppet::Pops::Time::Timestamp";
  case Kind::Timespan: return "Puppet::Pops::Time::Timespan";
  case Kind::SemVer: return "SemanticPuppet::Version";
  case Kind::SemVerRange: return "SemanticPuppet::VersionRange";
  case Kind::Binary: return "Puppet::Pops::Types::PBinaryType::Binary";
  case Kind::Uri: {
    static constexpr std::pair<std::string_view, const char*> schemes[] = {
        {"http:", "URI::HTTP"}, {"https:", "URI::HTTPS"},   {"ftp:", "URI::FTP"}, {"file:", "URI::File"},
        {"ldap:", "URI::LDAP"}, {"mailto:", "URI::MailTo"}, {"ws:", "URI::WS"},   {"wss:", "URI::WSS"}};
    for (const auto& [prefix, name] : schemes)
      if (v.str().starts_with(prefix)) return name;
    return "URI::Generic";
  }
  case Kind::Object: return "Object";
  case Kind::Iterator: return "Puppet::Pops::Types::Iterator";
  case Kind::Callable: return "Puppet::Pops::Evaluator::Closure";
  }
  return "Object";
}

std::string label_of(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "an Undef Value";
  case Kind::Default: return "a Default Value";
  case Kind::Bool: return "a Boolean";
  case Kind::Int: return "an Integer";
  case Kind::Float: return "a Float";
  case Kind::String: return "a String";
  case Kind::Regex: return "a Regexp";
  case Kind::List: return "an Array";
  case Kind::Hash: return "a Hash";
  case Kind::Type: return "a Type";
  case Kind::Sensitive: return "a Sensitive";
  case Kind::SemVer: return "a Semver";
  case Kind::SemVerRange: return "a SemverRange";
  case Kind::Timestamp: return "a Timestamp";
  case Kind::Timespan: return "a Timespan";
  case Kind::Binary: return "a Binary";
  default: return "an Object";
  }
}

} // namespace pupc::compiler
