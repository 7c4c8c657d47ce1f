/* address.c - see address.h. */
#include "address.h"

#define OFFSET_MAX (1 << 20) /* elements */

bool pf_is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

LLVMValueRef pf_gep_base(LLVMValueRef ptr)
{
    while (pf_is_gep(ptr) || LLVMIsABitCastInst(ptr))
        ptr = LLVMGetOperand(ptr, 0);
    return ptr;
}

static bool has_fixed_size(LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind;
}

LLVMValueRef pf_gep_constant_offset(struct pf_unit *u, LLVMValueRef ptr, int64_t *offset)
{
    *offset = 0;
    while (pf_is_gep(ptr) && LLVMGetNumOperands(ptr) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(ptr, 1))) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(ptr);
        int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(ptr, 1));
        if (!has_fixed_size(type) || n > OFFSET_MAX || n < -OFFSET_MAX)
            break;
        *offset += n * (int64_t)LLVMABISizeOfType(u->layout, type);
        ptr = LLVMGetOperand(ptr, 0);
    }
    return ptr;
}

bool pf_gep_each(struct pf_unit *u, LLVMValueRef gep,
                 bool (*add)(void *arg, LLVMValueRef index, int64_t scale), void *arg)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (!has_fixed_size(type))
            return false;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            if (!add(arg, NULL, (int64_t)LLVMOffsetOfElement(u->layout, type, member)))
                return false;
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return false;
        if (i > 1)
            type = LLVMGetElementType(type);
        if (!has_fixed_size(type) || !add(arg, index, (int64_t)LLVMABISizeOfType(u->layout, type)))
            return false;
    }
    return true;
}
