#include "tests/mutation/mutations.h"

#include "compiler/simulator/conversion/sites.h"
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mutation_test {

namespace {

std::vector<Operation *> operations(ModuleOp module) {
  std::vector<Operation *> all;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  return all;
}

} // namespace

Enumerator::Enumerator(ModuleOp module) : all_(operations(module)) {
  llvm::StringMap<int> seen;
  for (Operation *op : all_)
    ordinals_.push_back(seen[op->getName().getStringRef()]++);
}

std::vector<Mutation> Enumerator::run() {
  for (current_ = 0; current_ < all_.size(); ++current_) {
    Operation *op = all_[current_];
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      kernel(function);
    else if ((reduces_ && reduction(op)) || (has_layers_ && layers(op)))
      continue;
    else if (auto flip = dyn_cast<LLVM::XOrOp>(op))
      phase(flip);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isGlobal(store.getAddr()))
      result(store);
    else if (store && isOfCluster(store.getAddr()))
      sent(store);
    else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isa<VectorType>(load.getType()))
      received();
    else if (store && copies_for_themselves_)
      elementStore(store);
    else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isElement(load))
      elementLoad(load);
    else if (load && isOfOperand(load))
      operandLoad(load);
    else if (load && isOfList(load))
      listLoad();
    else if (auto comparison = dyn_cast<LLVM::ICmpOp>(op); comparison && copies_for_themselves_)
      mask(comparison);
    else if (isa<NVVM::ClusterId>(op))
      rank();
    else if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
      exchange(shuffle);
    else if (isInstruction(op) && !isPlain(op))
      instruction(op);
  }
  return std::move(found_);
}

void Enumerator::add(const std::string &kind, const std::string &what,
                     std::function<void(Operation *)> edit) {
  Operation *op = all_[current_];
  std::string name =
      kind + " " + op->getName().getStringRef().str() + " #" + std::to_string(ordinals_[current_]);
  if (!what.empty())
    name += " " + what;
  std::string text;
  if (!isa<LLVM::LLVMFuncOp>(op)) {
    AsmState names(op->getParentOfType<LLVM::LLVMFuncOp>());
    text = compiler::siteText(op, names);
  }
  found_.push_back(
      {kind, name, text, [index = current_, edit](ModuleOp module) { edit(operations(module)[index]); }});
}

void Enumerator::kernel(LLVM::LLVMFuncOp function) {
  auto description = function->getAttrOfType<DictionaryAttr>("sm.kernel");
  if (!description)
    return;
  copies_for_themselves_ = description.contains("vector");
  reduces_ = description.contains("slices");
  if (copies_for_themselves_)
    return; // nobody reads the boxes of such a kernel
  has_layers_ = description.getAs<DictionaryAttr>("boxes").contains("next_w");
  for (const char *operand : {"x", "w", "y", "next_w"}) {
    auto box = description.getAs<DictionaryAttr>("boxes").getAs<DictionaryAttr>(operand);
    if (!box)
      continue;
    for (int64_t swizzle : {0, 32, 64, 128})
      if (swizzle != box.getAs<IntegerAttr>("swizzle").getInt())
        add("swizzle", std::string(operand) + " " + std::to_string(swizzle), [=](Operation *op) {
          Builder build(op->getContext());
          NamedAttrList whole(op->getAttrOfType<DictionaryAttr>("sm.kernel"));
          NamedAttrList boxes(cast<DictionaryAttr>(whole.get("boxes")));
          NamedAttrList one(cast<DictionaryAttr>(boxes.get(operand)));
          one.set("swizzle", build.getI64IntegerAttr(swizzle));
          boxes.set(operand, one.getDictionary(op->getContext()));
          whole.set("boxes", boxes.getDictionary(op->getContext()));
          op->setAttr("sm.kernel", whole.getDictionary(op->getContext()));
        });
  }
}

void Enumerator::instruction(Operation *op) {
  if (isa<NVVM::PrefetchOp>(op)) // whether and when it asks is a matter of time alone
    return add("address", "+16 bytes", furtherOn(0, 16));
  remove(op);
  swap(op);
  late(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::MBarrierInitOp init) {
        const unsigned index = indexOf(op, init.getCount());
        add("count", "+1", operand<LLVM::AddOp>(index, 1));
        add("count", "-1", operand<LLVM::AddOp>(index, -1));
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp expect) {
        const unsigned index = indexOf(op, expect.getTxcount());
        add("bytes", "+16", operand<LLVM::AddOp>(index, 16));
        add("bytes", "-16", operand<LLVM::AddOp>(index, -16));
      })
      .Case([&](NVVM::MBarrierTryWaitOp wait) {
        add("parity", "", operand<LLVM::XOrOp>(indexOf(op, wait.getStateOrPhase()), 1));
        scope(wait);
      })
      .Case([&](NVVM::MBarrierArriveOp arrive) { scope(arrive); })
      .Case([&](NVVM::BarrierOp barrier) { namedBarrier(barrier); })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp) {
        add("pending", "+1", [](Operation *op) {
          auto wait = cast<NVVM::WgmmaWaitGroupSyncOp>(op);
          wait.setGroup(wait.getGroup() + 1);
        });
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp) { storeWait(); })
      .Case([&](NVVM::WgmmaMmaAsyncOp product) { wgmma(product); })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load) {
        coordinates(load.getCoordinates());
        multicast(load);
      })
      .Case([&](NVVM::MapaOp address) {
        add("block", "other", operand<LLVM::XOrOp>(indexOf(op, address.getB()), 1));
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp store) { coordinates(store.getCoordinates()); })
      .Case([&](NVVM::CpAsyncBulkTensorReduceOp store) { coordinates(store.getCoordinates()); })
      .Case([&](NVVM::StMatrixOp) {
        add("matrix", "transposed", [](Operation *op) {
          auto store = cast<NVVM::StMatrixOp>(op);
          store.setLayout(store.getLayout() == NVVM::MMALayout::row ? NVVM::MMALayout::col
                                                                    : NVVM::MMALayout::row);
        });
        add("matrix", "+16 bytes", furtherOn(0, 16));
      })
      .Case([&](NVVM::CpAsyncOp copy) { threadCopy(copy); })
      .Case([&](NVVM::CpAsyncWaitGroupOp) {
        add("pending", "+1", [](Operation *op) {
          auto wait = cast<NVVM::CpAsyncWaitGroupOp>(op);
          wait.setN(wait.getN() + 1);
        });
      })
      .Case([&](NVVM::LdMatrixOp) {
        add("matrix", "transposed", [](Operation *op) {
          auto load = cast<NVVM::LdMatrixOp>(op);
          load.setLayout(load.getLayout() == NVVM::MMALayout::row ? NVVM::MMALayout::col
                                                                  : NVVM::MMALayout::row);
        });
        add("matrix", "+16 bytes", furtherOn(0, 16));
        add("matrix", "+64 bytes", furtherOn(0, 64));
      })
      .Case([&](NVVM::MmaOp product) { warpProduct(product); })
      .Case([&](NVVM::FenceProxyOp) {
        add("proxy", "global", [](Operation *op) {
          auto fence = cast<NVVM::FenceProxyOp>(op);
          fence.setKind(NVVM::ProxyKind::async_global);
          fence.removeSpaceAttr();
        });
      });
}

std::vector<Mutation> mutations(ModuleOp module) { return Enumerator(module).run(); }

} // namespace mutation_test
