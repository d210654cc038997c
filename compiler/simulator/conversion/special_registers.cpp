// Special registers: nvvm.read.ptx.sreg.* -> sm_special_register(site, which).
#include "compiler/simulator/conversion/conversion_list.h"
#include "compiler/simulator/model/calls.h"

using namespace mlir;

namespace compiler {

void addSpecialRegisters(ConversionList &list) {
  static constexpr std::pair<llvm::StringLiteral, sm_register> registers[] = {
      {"tid.x", sm_tid_x},
      {"tid.y", sm_tid_y},
      {"tid.z", sm_tid_z},
      {"ntid.x", sm_ntid_x},
      {"ntid.y", sm_ntid_y},
      {"ntid.z", sm_ntid_z},
      {"ctaid.x", sm_ctaid_x},
      {"ctaid.y", sm_ctaid_y},
      {"ctaid.z", sm_ctaid_z},
      {"nctaid.x", sm_nctaid_x},
      {"nctaid.y", sm_nctaid_y},
      {"nctaid.z", sm_nctaid_z},
      {"laneid", sm_laneid},
      {"warpid", sm_warpid},
      {"nwarpid", sm_nwarpid},
      {"warpsize", sm_warpsize},
      {"clusterid.x", sm_clusterid_x},
      {"clusterid.y", sm_clusterid_y},
      {"clusterid.z", sm_clusterid_z},
      {"nclusterid.x", sm_nclusterid_x},
      {"nclusterid.y", sm_nclusterid_y},
      {"nclusterid.z", sm_nclusterid_z},
      {"cluster.ctaid.x", sm_cluster_ctaid_x},
      {"cluster.ctaid.y", sm_cluster_ctaid_y},
      {"cluster.ctaid.z", sm_cluster_ctaid_z},
      {"cluster.nctaid.x", sm_cluster_nctaid_x},
      {"cluster.nctaid.y", sm_cluster_nctaid_y},
      {"cluster.nctaid.z", sm_cluster_nctaid_z},
      {"cluster.ctarank", sm_cluster_ctarank},
      {"cluster.nctarank", sm_cluster_nctarank},
      {"dynamic.smem.size", sm_dynamic_smem_size},
  };
  for (auto [name, which] : registers)
    list[("nvvm.read.ptx.sreg." + name).str()] = [which = which](Operation *op, CallBuilder &call) {
      if (!op->getResult(0).getType().isInteger(32))
        return call.refuse("the register is read as another type than i32");
      call.replace(call.callI32("sm_special_register", {call.i32(which)}));
    };
}

} // namespace compiler
