// The attributes of the alg dialect: the algebra, and the two ways to cut a dimension.
#ifndef ALG_ATTRIBUTES_TD
#define ALG_ATTRIBUTES_TD

include "dialects/alg/alg_dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Alg_Attribute<string className, string attributeName> : AttrDef<Alg_Dialect, className> {
  let mnemonic = attributeName;
}

def Alg_OutputMode : I32EnumAttr<"OutputMode", "the index of c[i,j,k] that a contraction leaves open", [
    I32EnumAttrCase<"Product", 0, "k">,
    I32EnumAttrCase<"ActivationGradient", 1, "i">,
    I32EnumAttrCase<"WeightGradient", 2, "j">]> {
  let cppNamespace = "::alg";
}

def Alg_Reduction : I32EnumAttr<"Reduction", "what becomes of the elements that are reduced", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Maximum", 1, "maximum">]> {
  let cppNamespace = "::alg";
}

def Alg_Extent : I32EnumAttr<"Extent", "the dimensions of a view that are reduced", [
    I32EnumAttrCase<"Columns", 0, "columns">,
    I32EnumAttrCase<"Rows", 1, "rows">,
    I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::alg";
}

def Alg_AlgebraAttr : Alg_Attribute<"Algebra", "algebra"> {
  let summary = "An algebra with the proved facts about it";
  let description = [{
    Carries the construction of an algebra as text; the exact table of structure constants is expanded on demand. The
    text is an expression: `Q(n)`, `path(n)`, `D(n)`, `M(n)`, `T(n)`, `graph(3; 0->1, 1->2)` with the number of vertices
    and the edges, `quiver('a:1->2, b:2->3', relations='a*b')` with the named arrows of a quiver and the combinations of
    its paths that vanish, `path_algebra(GRAPH, n)` with the paths of fewer than n arrows, `poset(GRAPH)` with the
    incidence algebra of an order, `table({...})` with the JSON of a table, `*` tensor product, `^n` tensor power, `+`
    direct product, parentheses. Single quotes may stand for double ones. `graph(FILE)`, `table(FILE)`,
    `path_algebra(FILE, n)` and `poset(FILE)` are read, relative to the working directory, when the attribute is parsed;
    the attribute then carries the content of the file, so that its printed form does not depend on the file.

    ```mlir
    #alg.algebra<"Q(32)">
    #alg.algebra<"Q(2)^2*M(4)">
    #alg.algebra<"graph(3; 0->1, 1->2)", field = "GF(7)">
    #alg.algebra<"quiver('a:1->2, b:2->3', relations='a*b')">
    #alg.algebra<"path_algebra(path(4), 3)">
    #alg.algebra<"poset(4; 0->1, 0->2, 1->3, 2->3)">
    #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
    #alg.algebra<"Q(32)", associative = true, unital = true, rank = [2016, 2016]>
    ```

    `field` is `"Q"` where it is left out. The structural facts are derived when the attribute is built and are always
    printed; where they are written in the source, they have to agree with the derived ones. `rank` is the pair of the
    proved bounds on the bilinear rank, `?` where a bound is not known.

    An algebra that is not associative is refused, unless the attribute says `allow_nonassociative`. Then the products
    are still well defined, but no product may be composed with another one.
  }];
  let parameters = (ins
    AttrParameter<"::alg::DerivedAlgebra", "the algebra, its canonical text and its facts">:$derived,
    "bool":$allowNonassociative);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    // Throws algebras::InputError where the algebra claims what is not so.
    AttrBuilder<(ins "const ::algebras::Algebra &":$algebra, CArg<"bool", "false">:$allowNonassociative)>,
  ];
  let extraClassDeclaration = [{
    /// The self-contained expression, which parses back to the same algebra.
    ::llvm::StringRef getText() const;
    const ::algebras::Algebra &getAlgebra() const;
    const ::algebras::Facts &getFacts() const;
    /// Null for the row lift of an algebra that is not matrix-like.
    const ::algebras::Lift *getLift(::algebras::Lift::Kind kind) const;
    /// The same lift transposed, as the gradient of the activations reads it.
    const ::algebras::Lift *getTransposedLift(::algebras::Lift::Kind kind) const;
    bool isAssociative() const;
  }];
}

def Alg_GroupsAttr : Alg_Attribute<"Groups", "groups"> {
  let summary = "A dimension cut into contiguous groups";
  let description = [{
    The text is `count x width` where all groups are equally wide, and the list of widths otherwise. A list of equal
    widths is the same attribute as the short form.

    ```mlir
    #alg.groups<32 x 64>
    #alg.groups<[640, 512, 896]>
    ```
  }];
  // The short form stays short in memory: a count in the billions must not allocate.
  let parameters = (ins
    "int64_t":$count,
    DefaultValuedParameter<"int64_t", "0", "0 where the widths differ">:$width,
    ArrayRefParameter<"int64_t", "empty where the widths are equal">:$widths);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "const ::algebras::Groups &":$groups)>,
  ];
  let extraClassDeclaration = [{
    ::algebras::Groups getGroups() const;
    /// The width of the whole dimension.
    int64_t getTotal() const;
    int64_t getWidth(int64_t group) const;
    int64_t getWidest() const;
    bool isEqual() const { return getWidths().empty(); }
    /// `factor` consecutive groups joined into one; null where the count is not divisible.
    GroupsAttr join(int64_t factor) const;
  }];
}

def Alg_RowTypeKind : I32EnumAttr<"RowTypeKind", "how the types of rows follow from their positions", [
    I32EnumAttrCase<"Cyclic", 0, "cyclic">,
    I32EnumAttrCase<"Interval", 1, "interval">,
    I32EnumAttrCase<"Explicit", 2, "explicit">]> {
  let cppNamespace = "::alg";
}

def Alg_RowTypesAttr : Alg_Attribute<"RowTypes", "row_types"> {
  let summary = "The schedule that gives every row its type";
  let description = [{
    With the absolute position `p = row + offset`: `cyclic q` is the type `p mod q`; `interval q x width` is
    `floor((p mod q*width) / width)`, runs of `width` consecutive rows, and `cyclic q` where that is 1; `explicit q` reads the type of each row from a
    vector.

    ```mlir
    #alg.row_types<cyclic 32>
    #alg.row_types<interval 4 x 192>
    #alg.row_types<explicit 4>
    ```
  }];
  let parameters = (ins
    EnumParameter<Alg_RowTypeKind>:$kind,
    "int64_t":$count,
    DefaultValuedParameter<"int64_t", "1", "rows in a run, 1 unless interval">:$width);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "const ::algebras::RowTypes &":$types)>,
  ];
  let extraClassDeclaration = [{
    ::algebras::RowTypes getRowTypes() const;
    /// The schedule repeats after this many rows; 0 for an explicit one.
    int64_t getPeriod() const;
  }];
}

#endif
