#include "tests/mutation/mutations.h"

#include "compiler/simulator/conversion/sites.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace mutation_test {
namespace {

bool isInstruction(Operation *op) {
  return op->getName().getDialectNamespace() == "nvvm" || op->getName().getStringRef() == "sm.settle";
}

/// Ops that compute something and have no other effect: their absence is not a fault of synchronisation.
bool isPlain(Operation *op) {
  return op->getName().getStringRef().starts_with("nvvm.read.ptx.sreg.") ||
         isa<NVVM::ConvertF32x2ToBF16x2Op>(op);
}

std::vector<Operation *> operations(ModuleOp module) {
  std::vector<Operation *> all;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  return all;
}

Value constant(OpBuilder &build, Location location, Type type, std::int64_t value) {
  return LLVM::ConstantOp::create(build, location, type, build.getIntegerAttr(type, value));
}

/// Operand number `index` becomes f(operand, constant).
template <typename Arithmetic> std::function<void(Operation *)> operand(unsigned index, std::int64_t value) {
  return [=](Operation *op) {
    OpBuilder build(op);
    Value old = op->getOperand(index);
    op->setOperand(index, Arithmetic::create(build, op->getLoc(), old,
                                             constant(build, op->getLoc(), old.getType(), value)));
  };
}

/// The address that is operand number `index` lies that many bytes further on.
std::function<void(Operation *)> furtherOn(unsigned index, std::int32_t bytes) {
  return [=](Operation *op) {
    OpBuilder build(op);
    Value address = op->getOperand(index);
    op->setOperand(index, LLVM::GEPOp::create(build, op->getLoc(), address.getType(), build.getI8Type(),
                                              address, ArrayRef<LLVM::GEPArg>{bytes}));
  };
}

/// Operands `a` and `b` change places.
std::function<void(Operation *)> exchanged(unsigned a, unsigned b) {
  return [=](Operation *op) {
    Value first = op->getOperand(a);
    op->setOperand(a, op->getOperand(b));
    op->setOperand(b, first);
  };
}

unsigned indexOf(Operation *op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value)
      return operand.getOperandNumber();
  llvm_unreachable("not an operand");
}

class Enumerator {
public:
  explicit Enumerator(ModuleOp module) : all(operations(module)) {
    llvm::StringMap<int> seen;
    for (Operation *op : all)
      ordinals.push_back(seen[op->getName().getStringRef()]++);
  }

  std::vector<Mutation> run() {
    for (current = 0; current < all.size(); ++current) {
      Operation *op = all[current];
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
        kernel(function);
      else if (auto flip = dyn_cast<LLVM::XOrOp>(op))
        phase(flip);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isGlobal(store.getAddr()))
        result(store);
      else if (store && isOfCluster(store.getAddr()))
        sent(store);
      else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isa<VectorType>(load.getType()))
        received();
      else if (store && copies_for_themselves)
        elementStore(store);
      else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isElement(load))
        elementLoad(load);
      else if (auto comparison = dyn_cast<LLVM::ICmpOp>(op); comparison && copies_for_themselves)
        mask(comparison);
      else if (isa<NVVM::ClusterId>(op))
        rank();
      else if (isInstruction(op) && !isPlain(op))
        instruction(op);
    }
    return std::move(found);
  }

private:
  void add(const std::string &kind, const std::string &what, std::function<void(Operation *)> edit) {
    Operation *op = all[current];
    std::string name =
        kind + " " + op->getName().getStringRef().str() + " #" + std::to_string(ordinals[current]);
    if (!what.empty())
      name += " " + what;
    std::string text;
    if (!isa<LLVM::LLVMFuncOp>(op)) {
      AsmState names(op->getParentOfType<LLVM::LLVMFuncOp>());
      text = compiler::siteText(op, names);
    }
    found.push_back(
        {kind, name, text, [index = current, edit](ModuleOp module) { edit(operations(module)[index]); }});
  }

  void kernel(LLVM::LLVMFuncOp function) {
    auto description = function->getAttrOfType<DictionaryAttr>("sm.kernel");
    if (!description)
      return;
    copies_for_themselves = description.contains("vector");
    if (copies_for_themselves)
      return; // nobody reads the boxes of such a kernel
    for (const char *operand : {"x", "w", "y"}) {
      auto box = description.getAs<DictionaryAttr>("boxes").getAs<DictionaryAttr>(operand);
      for (std::int64_t swizzle : {0, 32, 64, 128})
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

  /// A ring's parity is flipped where the ring begins anew: parity XOR zext(it does). That of an exchange is
  /// flipped with every tile: parity XOR 1.
  void phase(LLVM::XOrOp flip) {
    if (!isa<BlockArgument>(flip.getLhs()))
      return;
    if (auto one = flip.getRhs().getDefiningOp<LLVM::ConstantOp>()) {
      if (auto value = dyn_cast<IntegerAttr>(one.getValue()); value && value.getInt() == 1)
        add("phase", "never", [](Operation *op) { op->getResult(0).replaceAllUsesWith(op->getOperand(0)); });
      return;
    }
    if (!flip.getRhs().getDefiningOp<LLVM::ZExtOp>())
      return;
    add("phase", "never", [](Operation *op) { op->getResult(0).replaceAllUsesWith(op->getOperand(0)); });
    add("phase", "always", [](Operation *op) {
      OpBuilder build(op);
      op->setOperand(1, constant(build, op->getLoc(), op->getOperand(1).getType(), 1));
    });
  }

  void instruction(Operation *op) {
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

  void remove(Operation *op) {
    if (op->getNumResults() == 0)
      return add("delete", "", [](Operation *op) { op->erase(); });
    if (op->use_empty()) // the state of an arrival
      return add("delete", "", [](Operation *op) { op->erase(); });
    if (isa<NVVM::MBarrierTryWaitOp, NVVM::ElectSyncOp>(op)) // what it answers is always yes
      return add("delete", "", [](Operation *op) {
        OpBuilder build(op);
        op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 1));
        op->erase();
      });
    if (isa<NVVM::MapaOp>(op)) // the address in this block
      return add("delete", "", [](Operation *op) {
        OpBuilder build(op);
        op->getResult(0).replaceAllUsesWith(LLVM::AddrSpaceCastOp::create(
            build, op->getLoc(), op->getResult(0).getType(), op->getOperand(0)));
        op->erase();
      });
    if (isa<NVVM::LdMatrixOp>(op)) // what it reads is zeros
      return add("delete", "", [](Operation *op) {
        OpBuilder build(op);
        op->getResult(0).replaceAllUsesWith(
            LLVM::ZeroOp::create(build, op->getLoc(), op->getResult(0).getType()));
        op->erase();
      });
    if (isa<NVVM::MmaOp>(op)) // the sums stay what they were
      return add("delete", "", [](Operation *op) {
        OpBuilder build(op);
        Value sums = LLVM::PoisonOp::create(build, op->getLoc(), op->getResult(0).getType());
        for (auto [i, sum] : llvm::enumerate(cast<NVVM::MmaOp>(op).getOperandC()))
          sums = LLVM::InsertValueOp::create(build, op->getLoc(), sums, sum, static_cast<std::int64_t>(i));
        op->getResult(0).replaceAllUsesWith(sums);
        op->erase();
      });
    // A settle or a product: what goes in comes out.
    Value through =
        isa<NVVM::WgmmaMmaAsyncOp>(op) ? cast<NVVM::WgmmaMmaAsyncOp>(op).getInouts() : op->getOperand(0);
    const unsigned index = indexOf(op, through);
    add("delete", "", [index](Operation *op) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(index));
      op->erase();
    });
  }

  static Operation *nextInstruction(Operation *op) {
    do
      op = op->getNextNode();
    while (op && (!isInstruction(op) || isPlain(op)));
    return op;
  }

  void swap(Operation *op) {
    if (op->getNumResults() != 0)
      return;
    if (Operation *next = nextInstruction(op); next && next->getName() != op->getName())
      add("swap", "with " + next->getName().getStringRef().str(),
          [](Operation *op) { op->moveAfter(nextInstruction(op)); });
  }

  /// The last instruction of a block goes to where all ways from there meet again, where its operands reach
  /// so far.
  void late(Operation *op) {
    if (op->getNumResults() != 0 || nextInstruction(op) != nullptr)
      return;
    Block *meeting = meetingPoint(op);
    const bool reaches = meeting != nullptr && llvm::all_of(op->getOperands(), [&](Value value) {
                           return DominanceInfo().properlyDominates(value, &meeting->front());
                         });
    if (reaches)
      add("late", "", [](Operation *op) {
        Block *meeting = meetingPoint(op);
        op->moveBefore(meeting, meeting->begin());
      });
  }

  static Block *meetingPoint(Operation *op) {
    PostDominanceInfo dominance;
    auto *node = dominance.getDomTree(op->getParentRegion()).getNode(op->getBlock());
    return node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
  }

  void namedBarrier(NVVM::BarrierOp barrier) {
    if (barrier.getBarrierId())
      add("barrier", "+1", operand<LLVM::AddOp>(indexOf(barrier, barrier.getBarrierId()), 1));
    if (barrier.getNumberOfThreads()) {
      const unsigned index = indexOf(barrier, barrier.getNumberOfThreads());
      add("count", "+32", operand<LLVM::AddOp>(index, 32));
      add("count", "-32", operand<LLVM::AddOp>(index, -32));
    }
  }

  void storeWait() {
    add("pending", "+1", [](Operation *op) {
      auto wait = cast<NVVM::CpAsyncBulkWaitGroupOp>(op);
      wait.setGroup(wait.getGroup() + 1);
    });
    // The other way round would only wait longer.
    if (!cast<NVVM::CpAsyncBulkWaitGroupOp>(all[current]).getRead())
      add("read", "", [](Operation *op) {
        cast<NVVM::CpAsyncBulkWaitGroupOp>(op).setReadAttr(UnitAttr::get(op->getContext()));
      });
  }

  void wgmma(NVVM::WgmmaMmaAsyncOp product) {
    const std::pair<const char *, unsigned> descriptors[] = {
        {"a", indexOf(product, product.getDescriptorA())}, {"b", indexOf(product, product.getDescriptorB())}};
    for (auto [name, index] : descriptors) {
      auto which = [name = name](const char *field) { return std::string(name) + " " + field; };
      add("descriptor", which("start +16 bytes"), operand<LLVM::AddOp>(index, 1));
      add("descriptor", which("start +1024 bytes"), operand<LLVM::AddOp>(index, 64));
      add("descriptor", which("leading +16 bytes"), operand<LLVM::AddOp>(index, std::int64_t{1} << 16));
      add("descriptor", which("stride +16 bytes"), operand<LLVM::AddOp>(index, std::int64_t{1} << 32));
      add("descriptor", which("base 1"), operand<LLVM::XOrOp>(index, std::int64_t{1} << 49));
      add("descriptor", which("swizzle low"), operand<LLVM::XOrOp>(index, std::int64_t{1} << 62));
      add("descriptor", which("swizzle high"),
          operand<LLVM::XOrOp>(index, std::numeric_limits<std::int64_t>::min()));
    }
    using Layout = NVVM::MMALayout;
    add("layout", "a", [](Operation *op) {
      auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
      product.setLayoutA(product.getLayoutA() == Layout::row ? Layout::col : Layout::row);
    });
    add("layout", "b", [](Operation *op) {
      auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
      product.setLayoutB(product.getLayoutB() == Layout::row ? Layout::col : Layout::row);
    });
    add("sign", "a", [](Operation *op) {
      auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
      using Scale = NVVM::WGMMAScaleIn;
      product.setScaleA(product.getScaleA() == Scale::one ? Scale::neg : Scale::one);
    });
    add("sign", "b", [](Operation *op) {
      auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
      using Scale = NVVM::WGMMAScaleIn;
      product.setScaleB(product.getScaleB() == Scale::one ? Scale::neg : Scale::one);
    });
    add("sign", "d", [](Operation *op) {
      auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
      using Scale = NVVM::WGMMAScaleOut;
      product.setScaleD(product.getScaleD() == Scale::one ? Scale::zero : Scale::one);
    });
  }

  /// What other blocks shall see, or this one of them, at the scope of a block.
  template <typename Op> void scope(Op op) {
    if (op.getScope() != NVVM::MemScopeKind::CTA)
      add("scope", "block", [](Operation *op) { cast<Op>(op).setScope(NVVM::MemScopeKind::CTA); });
  }

  static bool isOfCluster(Value address) {
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 7;
  }

  /// Sums that go to another block.
  void sent(LLVM::StoreOp store) {
    const unsigned address = indexOf(store, store.getAddr());
    add("delete", "", [](Operation *op) { op->erase(); });
    add("address", "+16 bytes", furtherOn(address, 16));
  }

  /// Sums that have come.
  void received() {
    add("address", "+16 bytes", furtherOn(0, 16));
    add("address", "+2048 bytes", furtherOn(0, 2048));
  }

  static bool isGlobal(Value address) {
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 1;
  }

  /// cp.async: target, source, and how many bytes are there.
  void threadCopy(NVVM::CpAsyncOp copy) {
    const auto bytes = static_cast<std::int32_t>(copy.getSize());
    add("address", "target +1 vector", furtherOn(0, bytes));
    add("address", "source +1 vector", furtherOn(1, bytes));
    const unsigned size = indexOf(copy, copy.getCpSize());
    add("bytes", "none", [=](Operation *op) {
      OpBuilder build(op);
      op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), 0));
    });
    add("bytes", "all", [=](Operation *op) {
      OpBuilder build(op);
      op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), bytes));
    });
    add("bytes", "one element less", [=](Operation *op) {
      OpBuilder build(op);
      op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), bytes - 2));
    });
  }

  /// Which block of the cluster this is.
  void rank() {
    for (const std::int64_t flip : {1, 2})
      add("rank", "other by " + std::to_string(flip), [=](Operation *op) {
        OpBuilder build(op);
        build.setInsertionPointAfter(op);
        Value other = LLVM::XOrOp::create(build, op->getLoc(), op->getResult(0),
                                          constant(build, op->getLoc(), build.getI32Type(), flip));
        op->getResult(0).replaceAllUsesExcept(other, other.getDefiningOp());
      });
  }

  /// The blocks that a copy goes to.
  void multicast(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load) {
    if (!load.getMulticastMask())
      return;
    const unsigned index = indexOf(load, load.getMulticastMask());
    for (const std::int64_t block : {0, 1, 2})
      add("mask", "block " + std::to_string(block), operand<LLVM::XOrOp>(index, std::int64_t{1} << block));
    add("mask", "all", operand<LLVM::OrOp>(index, 0xf));
    add("mask", "none", [](Operation *op) {
      cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op).getMulticastMaskMutable().clear();
    });
  }

  void warpProduct(NVVM::MmaOp product) {
    const unsigned a = product.getOperandA().getBeginOperandIndex(),
                   b = product.getOperandB().getBeginOperandIndex(),
                   c = product.getOperandC().getBeginOperandIndex();
    add("operands", "a 0 and 1", exchanged(a, a + 1));
    add("operands", "a 1 and 2", exchanged(a + 1, a + 2));
    add("operands", "b 0 and 1", exchanged(b, b + 1));
    add("operands", "c 0 and 2", exchanged(c, c + 2));
    add("operands", "sums from nothing", [=](Operation *op) {
      OpBuilder build(op);
      for (unsigned i = 0; i < 4; ++i)
        op->setOperand(c + i, LLVM::ZeroOp::create(build, op->getLoc(), build.getF32Type()));
    });
  }

  /// A store of sums to global memory.
  void result(LLVM::StoreOp store) {
    add("delete", "", [](Operation *op) { op->erase(); });
    const DataLayout layout = DataLayout::closest(store);
    add("address", "+1",
        furtherOn(1,
                  static_cast<std::int32_t>(layout.getTypeSize(store.getValue().getType()).getFixedValue())));
    add("predicate", "none", [](Operation *op) {
      // What the branch to its block asks holds always.
      auto branch = cast<LLVM::CondBrOp>(op->getBlock()->getSinglePredecessor()->getTerminator());
      OpBuilder build(branch);
      branch.getConditionMutable().assign(constant(build, op->getLoc(), build.getI1Type(), 1));
    });
  }

  /// A single element on its way through a register: one of global memory, then itself or zero.
  bool isElement(LLVM::LoadOp load) {
    return copies_for_themselves && isGlobal(load.getAddr()) && load.getType().isInteger(16);
  }

  void elementLoad(LLVM::LoadOp load) {
    add("address", "+1 element", furtherOn(0, 2));
    add("address", "unmasked", [](Operation *op) {
      // Not where an element is for certain, but where this one would be.
      auto from = op->getOperand(0).getDefiningOp<LLVM::SelectOp>();
      op->setOperand(0, from.getTrueValue());
    });
    auto chosen = [](Operation *op) { return cast<LLVM::SelectOp>(*op->getUsers().begin()); };
    add("element", "unmasked",
        [=](Operation *op) { chosen(op).getResult().replaceAllUsesWith(op->getResult(0)); });
    add("element", "zero",
        [=](Operation *op) { chosen(op).getResult().replaceAllUsesWith(chosen(op).getFalseValue()); });
  }

  void elementStore(LLVM::StoreOp store) {
    add("delete", "", [](Operation *op) { op->erase(); });
    add("address", "+1 element", furtherOn(1, 2));
    add("address", "+16 bytes", furtherOn(1, 16));
  }

  /// A coordinate within its extent: of copies, of stores.
  void mask(LLVM::ICmpOp comparison) {
    if (comparison.getPredicate() != LLVM::ICmpPredicate::ult)
      return;
    add("mask", "one further",
        [](Operation *op) { cast<LLVM::ICmpOp>(op).setPredicate(LLVM::ICmpPredicate::ule); });
    add("mask", "never", [](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 0));
      op->erase();
    });
    add("mask", "always", [](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 1));
      op->erase();
    });
    add("coordinate", "+1", operand<LLVM::AddOp>(0, 1));
  }

  void coordinates(OperandRange values) {
    for (unsigned i = 0; i < values.size(); ++i) {
      const unsigned index = values.getBeginOperandIndex() + i;
      add("coordinate", std::to_string(i) + " +1", operand<LLVM::AddOp>(index, 1));
      add("coordinate", std::to_string(i) + " -1", operand<LLVM::AddOp>(index, -1));
    }
  }

  std::vector<Operation *> all;
  std::vector<int> ordinals;
  std::size_t current = 0;
  bool copies_for_themselves = false; ///< the kernel's threads
  std::vector<Mutation> found;
};

} // namespace

std::vector<Mutation> mutations(ModuleOp module) { return Enumerator(module).run(); }

} // namespace mutation_test
