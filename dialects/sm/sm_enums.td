#ifndef ALGCTL_SM_ENUMS
#define ALGCTL_SM_ENUMS

include "dialects/sm/sm_dialect.td"
include "mlir/IR/EnumAttr.td"

def Sm_RoleKind : I32EnumAttr<"RoleKind", "what the warpgroups of a role do", [
    I32EnumAttrCase<"Load", 0, "load">,
    I32EnumAttrCase<"Multiply", 1, "multiply">]> {
  let cppNamespace = "::sm";
}

#endif
