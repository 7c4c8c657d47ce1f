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
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/Compression.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
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

unsigned char *pf_llvm_pack(const char *data, size_t n, size_t *packed)
{
    llvm::SmallVector<uint8_t, 0> out;
    llvm::compression::zstd::compress(
        llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(data), n), out, 3);
    *packed = out.size();
    auto *copy = static_cast<unsigned char *>(malloc(out.size() + 1));
    if (!copy)
        abort();
    std::copy(out.begin(), out.end(), copy);
    return copy;
}

bool pf_llvm_unpack(const unsigned char *data, size_t n, unsigned char *to, size_t size)
{
    size_t got = size;
    llvm::ArrayRef<uint8_t> packed(data, n);
    bool zstd = n > 3 && data[0] == 0x28 && data[1] == 0xb5 && data[2] == 0x2f && data[3] == 0xfd;
    llvm::Error e = zstd ? llvm::compression::zstd::decompress(packed, to, got)
                         : llvm::compression::zlib::decompress(packed, to, got);
    bool failed = bool(e);
    llvm::consumeError(std::move(e));
    return !failed && got == size;
}

void pf_llvm_delete_blocks(const LLVMBasicBlockRef *blocks, size_t n)
{
    llvm::SmallVector<llvm::BasicBlock *, 64> dead;
    for (size_t i = 0; i < n; i++)
        dead.push_back(llvm::unwrap(blocks[i]));
    llvm::DeleteDeadBlocks(dead);
}

void pf_llvm_keep_reachable(LLVMBasicBlockRef first, LLVMBasicBlockRef to)
{
    llvm::BasicBlock *block = llvm::unwrap(first);
    if (!to) {
        llvm::EliminateUnreachableBlocks(*block->getParent());
        return;
    }
    block->getTerminator()->eraseFromParent();
    llvm::BranchInst *end = llvm::BranchInst::Create(llvm::unwrap(to), block);
    /* the old blocks describe the variables in memory, which all bodies share */
    for (llvm::BasicBlock &old : *block->getParent())
        for (llvm::Instruction &inst : old)
            for (llvm::DbgVariableRecord &about : llvm::filterDbgVars(inst.getDbgRecordRange()))
                if (&old != block && about.isDbgDeclare())
                    block->insertDbgRecordBefore(about.clone(), end->getIterator());
    llvm::EliminateUnreachableBlocks(*block->getParent());
}

void pf_llvm_drop_definition(LLVMValueRef global)
{
    auto *g = llvm::unwrap<llvm::GlobalValue>(global);
    if (g->isDeclaration())
        return;
    if (auto *f = llvm::dyn_cast<llvm::Function>(g)) {
        f->deleteBody();
        f->clearMetadata();
    } else if (auto *v = llvm::dyn_cast<llvm::GlobalVariable>(g)) {
        v->setInitializer(nullptr);
        v->clearMetadata();
        v->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
}

void pf_llvm_replace_thread_local(LLVMValueRef variable, LLVMValueRef function)
{
    auto *g = llvm::unwrap<llvm::GlobalVariable>(variable);
    auto *f = llvm::unwrap<llvm::Function>(function);
    g->removeDeadConstantUsers();
    llvm::convertUsersOfConstantsToInstructions({g});
    while (!g->use_empty()) {
        llvm::Use &use = *g->use_begin();
        auto *user = llvm::cast<llvm::Instruction>(use.getUser());
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        llvm::Instruction *at = phi ? phi->getIncomingBlock(use)->getTerminator() : user;
        llvm::CallInst *call = llvm::CallInst::Create(f, "", at);
        call->setDebugLoc(at->getDebugLoc());
        auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        if (intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
            intrinsic->replaceAllUsesWith(call);
            intrinsic->eraseFromParent();
        } else if (phi) {
            llvm::BasicBlock *from = phi->getIncomingBlock(use);
            for (unsigned i = 0; i < phi->getNumIncomingValues(); i++)
                if (phi->getIncomingBlock(i) == from && phi->getIncomingValue(i) == g)
                    phi->setIncomingValue(i, call);
        } else {
            use.set(call);
        }
    }
}

static llvm::GlobalObject *declarationOf(llvm::GlobalValue *g)
{
    llvm::Module *m = g->getParent();
    if (auto *type = llvm::dyn_cast<llvm::FunctionType>(g->getValueType()))
        return llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", m);
    return new llvm::GlobalVariable(*m, g->getValueType(), false,
                                    llvm::GlobalValue::ExternalLinkage, nullptr, "");
}

void pf_llvm_make_foreign(LLVMValueRef global, const char *name, bool has_body)
{
    auto *g = llvm::unwrap<llvm::GlobalValue>(global);
    auto *object = llvm::dyn_cast<llvm::GlobalObject>(g);
    if (has_body || !object || llvm::isa<llvm::GlobalIFunc>(g)) {
        llvm::GlobalObject *other = declarationOf(g);
        if (auto *f = llvm::dyn_cast<llvm::Function>(g))
            llvm::cast<llvm::Function>(other)->copyAttributesFrom(f);
        if (!name)
            other->takeName(g);
        g->replaceAllUsesWith(other);
        if (!has_body)
            g->eraseFromParent();
        object = other;
    }
    if (auto *f = llvm::dyn_cast<llvm::Function>(object)) {
        f->setPersonalityFn(nullptr);
        f->setPrefixData(nullptr);
        f->setPrologueData(nullptr);
    }
    object->setComdat(nullptr);
    object->setSection("");
    object->setVisibility(llvm::GlobalValue::DefaultVisibility);
    object->setDSOLocal(false);
    if (name) {
        object->setName(name);
        object->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    } else if (!object->hasExternalWeakLinkage()) {
        object->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    object->setDSOLocal(false);
}

void pf_llvm_keep_global(LLVMValueRef global)
{
    auto *g = llvm::unwrap<llvm::GlobalVariable>(global);
    auto *f = llvm::cast<llvm::Function>(g->getInitializer()->getOperand(2));
    llvm::appendToCompilerUsed(*g->getParent(), {g});
    f->setComdat(nullptr);
    f->setSection("");
    f->setName(f->getName() + ".event");
    f->setLinkage(llvm::GlobalValue::InternalLinkage);
    f->setVisibility(llvm::GlobalValue::DefaultVisibility);
    f->setDSOLocal(true);
}

void pf_llvm_drop_unused(LLVMModuleRef module)
{
    llvm::Module *m = llvm::unwrap(module);
    /* Otherwise a debugger finds these descriptions, without a location, before those of the
     * program. */
    for (llvm::DICompileUnit *unit : m->debug_compile_units())
        unit->replaceGlobalVariables(llvm::MDTuple::get(m->getContext(), {}));
    for (llvm::Function &f : llvm::make_early_inc_range(*m))
        if (f.isDeclaration() && f.use_empty())
            f.eraseFromParent();
    for (llvm::GlobalVariable &v : llvm::make_early_inc_range(m->globals())) {
        v.removeDeadConstantUsers();
        if (v.use_empty() && !v.hasAppendingLinkage())
            v.eraseFromParent();
    }
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
