// What all ops of the dialect are made from.
#ifndef ALGCTL_SM_OP
#define ALGCTL_SM_OP

include "dialects/sm/sm_types.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Sm_RunsInOneThread : NativeOpTrait<"RunsInOneThread"> { let cppNamespace = "::sm"; }
def Sm_RunsInAllThreads : NativeOpTrait<"RunsInAllThreads"> { let cppNamespace = "::sm"; }

def Sm_BlockOrBuffer : AnyTypeOf<[Sm_BlockType, Sm_BufferType], "block, or the buffer that it lies in">;

class Sm_Op<string opMnemonic, list<Trait> traits = []> : Op<Sm_Dialect, opMnemonic, traits>;

#endif
