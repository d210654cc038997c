#include "runtime/api/arguments.h"
#include "runtime/api/products.h"
#include "runtime/api/row_product.h"

#include <cstddef>

using namespace algrt;

void algrt::runDx(const LoadedProjection &projection, const algrt_dx_args &args,
                  const PlaceInProgram &place) {
  checkCount("p0", args.p0);
  checkCount("threads", args.threads);
  checkCount("kernel", args.kernel);
  checkRowArguments(projection.bundle.layer(), rowArguments(args));
  if (args.reserved != 0)
    throw Error(ALGRT_UNSUPPORTED, "args: reserved is set, needs 0: update the runtime");
  requireNotNull(args.w, "w");
  RowProduct product(args, place);
  product.map = Map::Dx;
  product.rows = args.dy;
  product.result = args.dx;
  product.rows_name = "dy";
  product.result_name = "dx";
  multiplyRows(projection, product);
}

int algrt_dx(const algrt_bundle *bundle, const algrt_dx_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    runDx(*bundle, readArguments(given, offsetof(algrt_dx_args, kernel) + sizeof(algrt_dx_args::kernel),
                                 algrt_dx_args_init(), "algrt_dx_args_init"));
  });
}
