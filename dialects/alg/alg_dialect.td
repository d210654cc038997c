// The alg dialect itself. The descriptions of these files are the dialect's manual: docs/dialects/alg.md is
// generated from them.
#ifndef ALG_DIALECT_TD
#define ALG_DIALECT_TD

include "mlir/IR/OpBase.td"

def Alg_Dialect : Dialect {
  let name = "alg";
  let cppNamespace = "::alg";
  let summary = "What is computed: a contraction over the structure constants of an algebra";
  let description = [{
    With structure constants `c[i,j,k]` (slot `i` of `x` times slot `j` of `w` goes to slot `k`), all computations of a
    layer are one trilinear form

        T(x, w, ybar) = sum over i, j, k of c[i,j,k] < x_i w_j , ybar_k >

    read in one of three directions: the product (`k`), the gradient of the activations (`i`), the gradient of the
    weight matrix (`j`). The dialect therefore has one contraction, `alg.contract`, with an output mode. It works on
    *slot views* of ordinary row-major tensors. `alg.slots` makes a view and `alg.gather` turns it back into a tensor;
    `alg.map` computes element by element, and `alg.reduce` sums over rows or columns. A function is a *program*: any
    graph of contractions, maps and reductions. Statistics are plain tensors and are added with `arith.addf`.

    ```mlir
    #q32 = #alg.algebra<"Q(32)">
    func.func @up(%x: tensor<?x2048xbf16>, %w: tensor<2048x6144xbf16>, %p0: index) -> tensor<?x6144xbf16> {
      %xs = alg.slots %x rows(cyclic 32, %p0) cols(32 x 64) : tensor<?x2048xbf16>
      %ws = alg.slots %w rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
      %ys = alg.contract %xs, %ws by #q32 -> k
          : !alg.slots<?x2048xbf16, rows(cyclic 32), cols(32 x 64)>,
            !alg.slots<2048x6144xbf16, rows(32 x 64), cols(32 x 192)>
      %y = alg.gather %ys : !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)>
      return %y : tensor<?x6144xbf16>
    }
    ```

    An algebra becomes a layer in one of two ways, its *lifts*. In the row lift basis elements sit at positions `(i, j)`
    and multiply as `(i, k)(k, j)`: a token carries one row of positions, chosen by its row type, and the weight matrix
    carries all rows. In the slot lift a token carries every slot. The kind of the views says which lift a contraction
    uses.

    The dialect has no tiles, buffers or threads; these belong to the `tile` dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOperations();
    void registerAliases();
  }];
}

#endif
