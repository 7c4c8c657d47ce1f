/*
 * shim.cpp - registers the plugin with clang's new pass manager; all else is C (unit.c).
 *
 * The pass runs at the end of the optimizer, at -O0 too. Plugins are registered before clang's own
 * sanitizer passes, so the ThreadSanitizer pass that -fsanitize=thread asks for runs after ours and
 * finds every function marked as done.
 */
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

extern "C" void pf_plugin_run(LLVMModuleRef module);

namespace
{
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
