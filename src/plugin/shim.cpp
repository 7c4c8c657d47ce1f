/*
 * shim.cpp - registers the plugin with clang's new pass manager; the pass itself is in C
 * (module_pass.c).
 *
 * The pass runs at the end of the optimizer pipeline, at -O0, too. A second pass at the beginning
 * applies the ignore list and records source positions. Plugins are registered before clang's own
 * sanitizer passes, so the ThreadSanitizer pass of -fsanitize=thread runs after ours and finds that
 * all functions are excluded from it.
 *
 * The rest of the file implements llvm_shim.h.
 */
#include "llvm_shim.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdaterBulk.h"
#include <cstdlib>

extern "C" void pf_plugin_begin(LLVMModuleRef module, bool optimizes);
extern "C" void pf_plugin_run(LLVMModuleRef module);

namespace
{
struct Begin : llvm::PassInfoMixin<Begin> {
    bool optimizes;
    explicit Begin(bool optimizes) : optimizes(optimizes) {}
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &)
    {
        pf_plugin_begin(llvm::wrap(&m), optimizes);
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

struct Instrument : llvm::PassInfoMixin<Instrument> {
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &)
    {
        pf_plugin_run(llvm::wrap(&m));
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

void registerCallbacks(llvm::PassBuilder &builder)
{
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager &passes, llvm::OptimizationLevel level) {
            passes.addPass(Begin(level != llvm::OptimizationLevel::O0));
        });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
            passes.addPass(Instrument());
        });
    builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                               llvm::ModulePassManager &passes,
                                               llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "photofinish")
            return false;
        passes.addPass(Instrument());
        return true;
    });
}
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "photofinish", "1", registerCallbacks};
}

LLVMBasicBlockRef pf_llvm_split_edges(LLVMBasicBlockRef to, const LLVMBasicBlockRef *from,
                                      unsigned n)
{
    llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
    for (unsigned i = 0; i < n; i++)
        blocks.push_back(llvm::unwrap(from[i]));
    return llvm::wrap(llvm::SplitBlockPredecessors(llvm::unwrap(to), blocks, ""));
}

LLVMBasicBlockRef pf_llvm_split_before(LLVMValueRef inst)
{
    auto *at = llvm::unwrap<llvm::Instruction>(inst);
    return llvm::wrap(at->getParent()->splitBasicBlock(at));
}

int pf_llvm_shuffle_lane(LLVMValueRef shuffle, unsigned i)
{
    return llvm::unwrap<llvm::ShuffleVectorInst>(shuffle)->getMaskValue(i);
}

struct pf_llvm_merges {
    llvm::SSAUpdaterBulk updater;
};

pf_llvm_merges *pf_llvm_merges_new() { return new pf_llvm_merges; }

/* Uses of inst outside of its own block, which see inst itself. */
static void usesElsewhere(llvm::Instruction *inst, llvm::SmallVectorImpl<llvm::Use *> &uses)
{
    for (llvm::Use &use : inst->uses()) {
        auto *user = llvm::cast<llvm::Instruction>(use.getUser());
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        llvm::BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
        if (where != inst->getParent())
            uses.push_back(&use);
    }
}

void pf_llvm_merge(pf_llvm_merges *merges, LLVMValueRef inst, const LLVMValueRef *values,
                   const LLVMBasicBlockRef *blocks, unsigned n)
{
    auto *at = llvm::unwrap<llvm::Instruction>(inst);
    llvm::SmallVector<llvm::Use *, 16> uses;
    usesElsewhere(at, uses);
    if (uses.empty())
        return;
    unsigned variable = merges->updater.AddVariable("", at->getType());
    merges->updater.AddAvailableValue(variable, at->getParent(), at);
    for (unsigned i = 0; i < n; i++)
        merges->updater.AddAvailableValue(variable, llvm::unwrap(blocks[i]),
                                          llvm::unwrap(values[i]));
    for (llvm::Use *use : uses)
        merges->updater.AddUse(variable, use);
}

void pf_llvm_merge_pair(pf_llvm_merges *merges, LLVMValueRef a, LLVMValueRef b)
{
    auto *first = llvm::unwrap<llvm::Instruction>(a), *second = llvm::unwrap<llvm::Instruction>(b);
    llvm::SmallVector<llvm::Use *, 16> uses;
    usesElsewhere(first, uses);
    usesElsewhere(second, uses);
    if (uses.empty())
        return;
    unsigned variable = merges->updater.AddVariable("", first->getType());
    merges->updater.AddAvailableValue(variable, first->getParent(), first);
    merges->updater.AddAvailableValue(variable, second->getParent(), second);
    for (llvm::Use *use : uses)
        merges->updater.AddUse(variable, use);
}

void pf_llvm_merges_finish(pf_llvm_merges *merges, LLVMValueRef fn)
{
    llvm::DominatorTree tree(*llvm::unwrap<llvm::Function>(fn));
    merges->updater.RewriteAllUses(&tree);
    delete merges;
}

struct pf_llvm_members {
    llvm::StringSet<> names;
};

pf_llvm_members *pf_llvm_members_new(LLVMModuleRef module)
{
    auto *members = new pf_llvm_members;
    llvm::DebugInfoFinder finder;
    finder.processModule(*llvm::unwrap(module));
    for (const llvm::DIType *type : finder.types())
        if (type->getTag() == llvm::dwarf::DW_TAG_member)
            members->names.insert(type->getName());
    return members;
}

bool pf_llvm_members_has(const pf_llvm_members *members, const char *name, size_t n)
{
    return members->names.contains(llvm::StringRef(name, n));
}

void pf_llvm_members_free(pf_llvm_members *members) { delete members; }

struct pf_llvm_loops {
    llvm::DominatorTree tree;
    llvm::LoopInfo loops;
    explicit pf_llvm_loops(llvm::Function &fn) : tree(fn), loops(tree) {}
};

pf_llvm_loops *pf_llvm_loops_new(LLVMValueRef fn)
{
    return new pf_llvm_loops(*llvm::unwrap<llvm::Function>(fn));
}

bool pf_llvm_loops_has(const pf_llvm_loops *loops, LLVMBasicBlockRef inside,
                       LLVMBasicBlockRef block)
{
    const llvm::Loop *loop = loops->loops.getLoopFor(llvm::unwrap(inside));
    return loop && loop->contains(llvm::unwrap(block));
}

void pf_llvm_loops_free(pf_llvm_loops *loops) { delete loops; }

static llvm::StructType *widerType(llvm::Type *type, uint64_t more)
{
    llvm::Type *zone = llvm::ArrayType::get(llvm::Type::getInt8Ty(type->getContext()), more);
    return llvm::StructType::get(type->getContext(), {type, zone});
}

LLVMValueRef pf_llvm_widen_global(LLVMValueRef variable, uint64_t more)
{
    auto *old = llvm::unwrap<llvm::GlobalVariable>(variable);
    llvm::StructType *type = widerType(old->getValueType(), more);
    llvm::Constant *content = llvm::ConstantStruct::get(
        type, {old->getInitializer(), llvm::Constant::getNullValue(type->getElementType(1))});
    auto *wider =
        new llvm::GlobalVariable(*old->getParent(), type, old->isConstant(), old->getLinkage(),
                                 content, "", old, old->getThreadLocalMode());
    wider->copyAttributesFrom(old);
    wider->copyMetadata(old, 0);
    wider->setAlignment(
        std::max(llvm::Align(8), old->getParent()->getDataLayout().getPreferredAlign(old)));
    wider->takeName(old);
    old->replaceAllUsesWith(wider);
    old->eraseFromParent();
    return llvm::wrap(wider);
}

LLVMValueRef pf_llvm_widen_alloca(LLVMValueRef slot, uint64_t more)
{
    auto *old = llvm::unwrap<llvm::AllocaInst>(slot);
    if (old->isUsedWithInAlloca() || old->isSwiftError())
        return nullptr;
    auto *wider =
        new llvm::AllocaInst(widerType(old->getAllocatedType(), more), old->getAddressSpace(),
                             nullptr, std::max(llvm::Align(8), old->getAlign()), "", old);
    wider->setDebugLoc(old->getDebugLoc());
    wider->takeName(old);
    old->replaceAllUsesWith(wider);
    old->eraseFromParent();
    return llvm::wrap(wider);
}

void pf_llvm_drop_debug_values(LLVMValueRef fn)
{
    for (llvm::BasicBlock &block : *llvm::unwrap<llvm::Function>(fn))
        for (llvm::Instruction &inst : block)
            for (llvm::DbgVariableRecord &about :
                 llvm::make_early_inc_range(llvm::filterDbgVars(inst.getDbgRecordRange())))
                if (!about.isDbgDeclare())
                    about.eraseFromParent();
}

void pf_llvm_set_dso_local(LLVMValueRef variable)
{
    llvm::unwrap<llvm::GlobalVariable>(variable)->setDSOLocal(true);
}

void pf_llvm_remove_named_metadata(LLVMModuleRef module, const char *name)
{
    llvm::Module *m = llvm::unwrap(module);
    if (llvm::NamedMDNode *node = m->getNamedMetadata(name))
        m->eraseNamedMetadata(node);
}

LLVMValueRef pf_llvm_clone_function(LLVMValueRef fn, const char *name)
{
    auto *one = llvm::unwrap<llvm::Function>(fn);
    llvm::ValueToValueMapTy map;
    llvm::Function *other = llvm::CloneFunction(one, map);
    other->setLinkage(llvm::GlobalValue::InternalLinkage);
    other->setVisibility(llvm::GlobalValue::DefaultVisibility);
    other->setDSOLocal(true);
    other->setComdat(one->getComdat());
    other->setName(name);
    return llvm::wrap(other);
}

void pf_llvm_swap_bodies(LLVMValueRef fn, LLVMValueRef bodies)
{
    auto *one = llvm::unwrap<llvm::Function>(fn), *other = llvm::unwrap<llvm::Function>(bodies);
    for (unsigned i = 0; i < one->arg_size(); i++) {
        llvm::Argument *mine = one->getArg(i), *its = other->getArg(i);
        llvm::Argument between(mine->getType());
        mine->replaceAllUsesWith(&between);
        its->replaceAllUsesWith(mine);
        between.replaceAllUsesWith(its);
    }
    llvm::Function::iterator first = one->begin();
    one->splice(first, other);
    other->splice(other->end(), one, first, one->end());
    llvm::DISubprogram *about = one->getSubprogram();
    one->setSubprogram(other->getSubprogram());
    other->setSubprogram(about);
}
