/*
 * inline_asm.c - recognises inline assembly that is one atomic instruction, as in locks and flags
 * of programs that are older than C11's atomics or do not use them.
 *
 * The text and the operands of the statement are examined. Recognised are:
 *     lock ..., xchg ...   a sequentially consistent update of the one memory operand;
 *                          setcc or sbb may follow, and instructions that move values into named
 *                          registers may come before, as before cmpxchg16b
 *     mov ... alone        a store (release) or load (acquire) of the one memory operand, because
 *                          that is what every mov means on x86
 *     mfence, lfence, sfence, a locked instruction on the stack      a fence, if the statement has
 *                          a "memory" clobber and no memory operand
 *
 * Any other text is assumed to order nothing. This includes text with jumps, because it may wait,
 * and an operation that waits must not be between __pf_atomic_begin and __pf_atomic_end.
 */
#include "plugin.h"
#include <string.h>

/* The instruction found in the text. */
struct text {
    const char *name;
    size_t n;
    bool locked;
    bool on_stack; /* the text names the stack pointer */
    bool prepared; /* moves into registers come before it */
};

struct operands {
    LLVMValueRef ptr; /* the only memory operand, or NULL */
    uint64_t size;    /* of the memory operand; 0: unknown */
    bool written;
    bool several;     /* there are several memory operands */
    bool clobbers;    /* has a "memory" clobber */
};

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool ends_statement(char c) { return c == ';' || c == '\n'; }

static bool starts(const char *name, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && !memcmp(name, with, k);
}
static bool is(const char *name, size_t n, const char *word)
{
    return n == strlen(word) && starts(name, n, word);
}

static bool is_move(const struct text *t)
{
    return starts(t->name, t->n, "mov") && (t->n == 3 || (t->n == 4 && strchr("bwlq", t->name[3])));
}

/* True if the instruction, which ends at `end`, moves a value into a named register. */
static bool sets_register(const struct text *t, const char *end)
{
    const char *to = end;
    while (to > t->name && to[-1] != ',')
        to--;
    while (to < end && is_blank(*to))
        to++;
    return is_move(t) && to > t->name && to < end && *to == '%' &&
           !memchr(to, '(', (size_t)(end - to));
}

/* Parses the text. True if it is one instruction, with an optional lock prefix, optionally followed
 * by instructions that save its flags (setcc, sbb). Moves into registers may come before a locked
 * instruction or xchg. */
static bool read_text(const char *at, size_t n, struct text *t)
{
    const char *end = at + n, *last = at; /* last: the end of the instruction before */
    *t = (struct text){0};
    while (at < end) {
        if (is_blank(*at) || ends_statement(*at)) {
            at++;
            continue;
        }
        const char *word = at;
        while (at < end && is_word(*at))
            at++;
        size_t length = (size_t)(at - word);
        if (t->name && !t->locked && sets_register(t, last))
            *t = (struct text){.prepared = true};
        if (is(word, length, "lock")) {
            t->locked = true;
            continue;
        }
        bool keeps_flags = starts(word, length, "set") || starts(word, length, "sbb");
        if (t->name ? !keeps_flags : !length)
            return false;
        if (!t->name)
            *t = (struct text){word, length, t->locked, false, t->prepared};
        for (; at < end && !ends_statement(*at); at++) {
            if (*at == ':' && at == word + length)
                return false; /* a label */
            if (end - at >= 3 && (!memcmp(at, "%fs", 3) || !memcmp(at, "%gs", 3)))
                return false; /* the operand is not an address but an offset in a segment */
            t->on_stack |= end - at >= 3 && (!memcmp(at, "rsp", 3) || !memcmp(at, "esp", 3));
        }
        last = at;
    }
    return t->name && (!t->prepared || t->locked || starts(t->name, t->n, "xchg"));
}

static uint64_t size_pointed_to(struct pf_unit *u, LLVMValueRef call, unsigned argument)
{
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, u->kinds.elementtype);
    LLVMTypeRef type = a ? LLVMGetTypeAttributeValue(a) : NULL;
    return type && LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(u->layout, type) : 0;
}

/* Reads the constraints, which are separated by commas: outputs (=), inputs, clobbers (~), labels
 * (!). Memory outputs and all inputs are arguments of the call. */
static struct operands read_operands(struct pf_unit *u, LLVMValueRef call, LLVMValueRef code)
{
    struct operands o = {0};
    size_t n = 0;
    const char *at = LLVMGetInlineAsmConstraintString(code, &n), *end = at + n;
    unsigned argument = 0;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t length = (size_t)((comma ? comma : end) - at);
        bool output = *at == '=', memory = memchr(at, '*', length) != NULL;
        if (*at == '~') {
            o.clobbers |= is(at, length, "~{memory}");
        } else if (*at != '!' && (!output || memory)) {
            LLVMValueRef ptr = LLVMGetOperand(call, argument);
            if (memory) {
                o.several |= o.ptr && o.ptr != ptr;
                o.ptr = ptr;
                o.size = size_pointed_to(u, call, argument);
                o.written |= output;
            }
            argument++;
        }
        at += length + 1;
    }
    return o;
}

static bool is_size(uint64_t n) { return n && n <= 16 && !(n & (n - 1)); }

/* The size of the access, from the instruction's suffix, or else from the operand. The operand's
 * type comes second because in some programs it is a dummy that is smaller or larger than the
 * access. */
static uint64_t size_of(const struct text *t, uint64_t operand)
{
    static const char *const names[] = {"mov", "xchg", "cmpxchg", "xadd", "add", "sub",
                                        "and", "or",   "xor",     "inc",  "dec", "not",
                                        "neg", "bts",  "btr",     "btc"};
    static const char letters[] = "bwlq";
    if (is(t->name, t->n, "cmpxchg16b"))
        return 16;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        const char *letter = t->n == n + 1 ? strchr(letters, t->name[n]) : NULL;
        if (letter && starts(t->name, t->n, names[i]))
            return 1u << (letter - letters);
    }
    return is_size(operand) ? operand : 0;
}

static bool is_fence(const struct text *t, const struct operands *o)
{
    bool named =
        is(t->name, t->n, "mfence") || is(t->name, t->n, "lfence") || is(t->name, t->n, "sfence");
    return o->clobbers && !o->ptr && (named || (t->locked && t->on_stack));
}

struct pf_inline_asm pf_inline_asm_classify(struct pf_unit *u, LLVMValueRef call)
{
    struct pf_inline_asm none = {.what = PF_ASM_OTHER}, a;
    LLVMValueRef code = LLVMGetCalledValue(call);
    struct text t;
    size_t n = 0;
    const char *text = LLVMGetInlineAsmAsmString(code, &n);
    if (!LLVMIsACallInst(call) || !read_text(text, n, &t))
        return none;
    struct operands o = read_operands(u, call, code);
    if (is_fence(&t, &o))
        return (struct pf_inline_asm){.what = PF_ASM_FENCE};
    a = (struct pf_inline_asm){.ptr = o.ptr, .size = size_of(&t, o.size)};
    if (!o.ptr || o.several || !a.size || LLVMGetPointerAddressSpace(LLVMTypeOf(o.ptr)))
        return none;
    if (t.locked || starts(t.name, t.n, "xchg"))
        a.what = starts(t.name, t.n, "cmpxchg") ? PF_ASM_CMPXCHG : PF_ASM_UPDATE;
    else if (is_move(&t))
        a.what = o.written ? PF_ASM_STORE : PF_ASM_LOAD;
    else
        return none;
    return a;
}
