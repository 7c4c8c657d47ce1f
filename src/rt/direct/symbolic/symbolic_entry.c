/*
 * symbolic_entry.c - the entry points of symbolic bodies (pf_abi.def).
 */
#include "entry.h"
#include "rt.h"
#include "stack.h"
#include "symbolic.h"

uint32_t __pf_symbolic_node(uint32_t what, uint64_t labels, uint64_t a, uint64_t b)
{
    if (!labels)
        return 0;
    unsigned op = what & 0xff;
    uint32_t second = op == PF_EXPR_EXTRACT ? what >> 24 : (uint32_t)(labels >> 32);
    struct pf_symbolic_record n = pf_expression_record(op, what >> 8 & 0xff, (uint32_t)labels,
                                                       second, what >> 16 & 0xff, a, b);
    return pf_expression_make(&n);
}

uint32_t __pf_symbolic_select(uint32_t bits, uint32_t label, uint32_t condition, uint64_t labels,
                              uint64_t a, uint64_t b)
{
    if (!label) /* the condition is concrete */
        return condition ? (uint32_t)labels : labels >> 32;
    return pf_expression_make(&(struct pf_symbolic_record){.op = PF_EXPR_SELECT,
                                                           .bits = (uint16_t)bits,
                                                           .a = (uint32_t)labels,
                                                           .b = labels >> 32,
                                                           .c = label,
                                                           .x = a,
                                                           .y = b});
}

uint32_t __pf_symbolic_load(void *at, uint32_t size)
{
    return pf_label_memory_any(at, size) ? pf_label_memory_load(at, size) : 0;
}

void __pf_symbolic_store(void *at, uint32_t size, uint32_t label, uint64_t value)
{
    if (label || pf_label_memory_any(at, size))
        pf_label_memory_store(at, size, label, value);
}

uint64_t __pf_symbolic_clean(void *at, uint64_t size, uint64_t clean)
{
    if (!clean)
        clean = pf_label_memory_changes();
    return clean != UINT64_MAX && !pf_label_memory_any(at, size) ? clean : UINT64_MAX;
}

void __pf_symbolic_copy(void *to, void *from, uint64_t n) { pf_label_memory_copy(to, from, n); }
void __pf_symbolic_fill(void *at, uint32_t label, uint64_t n)
{
    pf_label_memory_fill(at, label, n);
}

void __pf_symbolic_branch(uint32_t label, uint32_t condition, uint32_t site)
{
    pf_symbolic_condition(PF_REASON_BRANCH, label, condition, site, 0);
}

/* Conditions that are recorded for a switch, in addition to that of the case that was taken. */
#define CASES_MAX 64

void __pf_symbolic_switch(uint32_t label, uint64_t value, uint32_t bits, void *table, uint32_t n,
                          uint32_t site)
{
    const uint64_t *cases = table;
    if (!label)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (i < CASES_MAX || cases[i] == value)
            pf_symbolic_condition(PF_REASON_SWITCH,
                                  pf_expression_two(PF_EXPR_EQ, 1, bits,
                                                    (struct pf_expression_operand){label, value},
                                                    (struct pf_expression_operand){0, cases[i]}),
                                  cases[i] == value, site, i);
}

void __pf_symbolic_address(uint32_t label, void *at, uint32_t what)
{
    pf_symbolic_address(label, (uintptr_t)at, what & 0xffff, what >> 16 & 1, what >> 17 & 1);
}

uint32_t __pf_symbolic_load_at(void *at, uint32_t what, uint32_t address)
{
    uint32_t size = what & 0xffff;
    if (address) {
        struct pf_expression_operand in_table;
        bool is_variable, found = pf_symbolic_table(at, size, address, &is_variable, &in_table);
        if (!found || (is_variable && what >> 17 & 1)) /* other threads may use the variable */
            __pf_symbolic_address(address, at, what);
        if (found)
            return in_table.label;
    }
    return __pf_symbolic_load(at, size);
}

void __pf_symbolic_lost(uint32_t why, uint64_t labels)
{
    if (labels)
        pf_symbolic_lose(why, "");
}

uint32_t __pf_symbolic_called(void *call)
{
    const struct pf_symbolic_call *c = call;
    return pf_symbolic_model(c);
}
