/*
 * label_memory.c - labels of memory: the label plane and the taint map (pf_symbolic.h).
 */
#include "pf_shadow.h"
#include "symbolic.h"
#include "sys.h"

#define MASK ((1ull << PF_APP_BITS) - 1)
#define GRANULE (1ull << PF_TAINT_SHIFT)
#define BYTE_BITS 3

static uint32_t *entry(const volatile void *at)
{
    return (uint32_t *)PF_LABEL_PLANE + ((uintptr_t)at & MASK);
}

static uint8_t *taint(const volatile void *at)
{
    return (uint8_t *)PF_TAINT_MAP + (((uintptr_t)at & MASK) >> PF_TAINT_SHIFT);
}

static uint64_t *const changes = (uint64_t *)PF_LABEL_CHANGES;

uint64_t pf_label_memory_changes(void) { return *changes; }

bool pf_label_memory_init(void)
{
    if (!pf_sys_map((void *)PF_LABEL_PLANE, (MASK + 1) * sizeof(uint32_t)) ||
        !pf_sys_map((void *)PF_TAINT_MAP, (MASK + 1) >> PF_TAINT_SHIFT))
        return false;
    *changes = 1;
    return true;
}

static void set(const volatile void *at, uint32_t to)
{
    uint32_t *e = entry(at);
    uint8_t *t = taint(at);
    *changes += to && !*t;
    *t += (uint8_t)((to != 0) - (*e != 0));
    *e = to;
}

bool pf_label_memory_any(const void *at, size_t n)
{
    const uint8_t *line = taint(at),
                  *end = line + (((uintptr_t)at % GRANULE + n + GRANULE - 1) / GRANULE);
    uint64_t eight;
    for (; end - line >= 8; line += 8) {
        __builtin_memcpy(&eight, line, 8);
        if (eight)
            return true;
    }
    for (; line < end; line++)
        if (*line)
            return true;
    return false;
}

bool pf_label_memory_has(const void *at) { return *taint(at) && *entry(at); }

static uint8_t byte_value(uint32_t e)
{
    return (uint8_t)(pf_expression_value(e >> BYTE_BITS) >> 8 * (e & 7));
}

/* The entry of a byte, if the byte still has the value of its label; otherwise 0. */
static uint32_t verified(const volatile uint8_t *at)
{
    uint32_t e = *taint(at) ? *entry(at) : 0;
    if (!e || byte_value(e) == *at)
        return e;
    pf_symbolic_lose(PF_LOSS_OVERWRITTEN, "");
    set(at, 0);
    return 0;
}

/* The label of this many bytes of a value, beginning with the byte of the entry. */
static uint32_t part(uint32_t e, unsigned bytes)
{
    return pf_expression_extract(e >> BYTE_BITS, 8 * (e & 7), 8 * bytes);
}

uint32_t pf_label_memory_byte(const void *at)
{
    uint32_t e = verified(at);
    return e ? part(e, 1) : 0;
}

struct pf_expression_operand pf_label_memory_overwritten(void *at)
{
    uint32_t e = *taint(at) ? *entry(at) : 0;
    struct pf_expression_operand b = {e ? part(e, 1) : 0, e ? byte_value(e) : *(uint8_t *)at};
    if (e && b.value != *(uint8_t *)at)
        set(at, 0);
    return b;
}

uint32_t pf_label_memory_load(const void *at, unsigned size)
{
    const volatile uint8_t *p = at;
    struct pf_expression_operand all = {0, 0};
    unsigned done = 0;
    while (done < size) {
        uint32_t e = verified(p + done);
        unsigned n = 1;
        uint64_t value = p[done];
        while (done + n < size) {
            uint32_t next = verified(p + done + n);
            bool follows = e ? next == e + n && (e & 7) + n < 8 : !next;
            if (!follows)
                break;
            value |= (uint64_t)p[done + n] << 8 * n;
            n++;
        }
        struct pf_expression_operand high = {e ? part(e, n) : 0, value};
        if (!done)
            all = high;
        else
            all = (struct pf_expression_operand){
                pf_expression_two(PF_EXPR_CONCAT, 8 * (done + n), 8 * done, high, all),
                all.value | value << 8 * done};
        done += n;
    }
    return all.label;
}

void pf_label_memory_store(void *at, unsigned size, uint32_t label, uint64_t value)
{
    bool wrong = label && pf_expression_value(label) != value;
    if (wrong) /* an error of this engine; the label must not be used */
        pf_symbolic_lose(PF_LOSS_OVERWRITTEN, "store");
    for (unsigned i = 0; i < size; i++)
        set((char *)at + i, label && !wrong ? label << BYTE_BITS | i : 0);
}

void pf_label_memory_copy(void *to, const void *from, size_t n)
{
    if (!n || to == from || (!pf_label_memory_any(to, n) && !pf_label_memory_any(from, n)))
        return;
    if ((uintptr_t)to - (uintptr_t)from >= n)
        for (size_t i = 0; i < n; i++)
            set((char *)to + i, *entry((const char *)from + i));
    else
        for (size_t i = n; i > 0; i--)
            set((char *)to + i - 1, *entry((const char *)from + i - 1));
}

void pf_label_memory_fill(void *at, uint32_t label, size_t n)
{
    if (!label && !pf_label_memory_any(at, n))
        return;
    uint32_t e = pf_expression_extract(label, 0, 8) << BYTE_BITS;
    for (size_t i = 0; i < n; i++)
        set((char *)at + i, e);
}
