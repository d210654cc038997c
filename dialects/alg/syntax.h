// The spellings that attributes, the type and the operations share.
#pragma once
#include "dialects/alg/alg.h"

namespace alg {

/// `32 x 64`, `[640, 512, 896]` or an attribute `#alg.groups<...>`; null after an error has been emitted.
GroupsAttr parseGroups(mlir::AsmParser &parser);
void printGroups(mlir::AsmPrinter &printer, GroupsAttr groups);

/// `cyclic 32`, `interval 4 x 192`, `explicit 4`; null after an error has been emitted.
RowTypesAttr parseRowTypes(mlir::AsmParser &parser);
void printRowTypes(mlir::AsmPrinter &printer, RowTypesAttr types);

/// What `rows(...)` may hold: row types or groups, spelt out or as an attribute.
mlir::Attribute parseRows(mlir::AsmParser &parser);
void printRows(mlir::AsmPrinter &printer, mlir::Attribute rows);

/// How groups and row types read in a diagnostic: "32 groups of 64", "cyclic 32".
std::string describe(GroupsAttr groups);
std::string describe(RowTypesAttr types);

} // namespace alg
