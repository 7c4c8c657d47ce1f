/*
 * spin_loop.c - see spin_loop.h. Deciding in general whether a loop waits is impossible; these
 * tests err on the side of work, because a thread that computes must not be treated as waiting.
 */
#define _GNU_SOURCE
#include "spin_loop.h"
#include "hash_mix.h"
#include "section_bounds.h"
#include "sys.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>

#define ARITHMETIC 0x8c5 /* status flags that matter; the auxiliary carry is often undefined */
#define GREGS PF_SPIN_REGISTERS
#define STEPS PF_SPIN_LOOP_STEPS
#define SLOTS 8192 /* a power of two, larger than STEPS */

static struct pf_cpu_state seen[STEPS];
static uint32_t nseen;
static uint16_t slots[SLOTS]; /* by rip: the last step at it, plus 1 */
static uint16_t counts[SLOTS];

/* --- CPU states --- */

void pf_cpu_state_take(struct pf_cpu_state *s, const ucontext_t *u)
{
    const greg_t *g = u->uc_mcontext.gregs;
    s->rip = (uint64_t)g[REG_RIP];
    s->flags = (uint64_t)g[REG_EFL] & ARITHMETIC;
    for (int i = 0; i < GREGS; i++)
        s->r[i] = (uint64_t)g[i];
}

static uint64_t hash_of(const struct pf_cpu_state *s, uint64_t registers)
{
    uint64_t h = pf_hash_chain(pf_hash_chain(0, s->rip), s->flags);
    for (int i = 0; i < GREGS; i++)
        if (registers >> i & 1)
            h = pf_hash_chain(h, s->r[i]);
    return h;
}

uint64_t pf_cpu_state_mix(uint64_t hash, const struct pf_cpu_state *s,
                          const struct pf_cpu_state *base, const struct pf_spin_record *what)
{
    uint64_t h = pf_hash_chain(pf_hash_chain(hash, s->rip), s->flags);
    for (int i = 0; i < GREGS; i++)
        if ((what->constant | what->varying) >> i & 1)
            h = pf_hash_chain(h, what->constant >> i & 1 && s->r[i] == base->r[i] ? (uint64_t)i
                                                                                  : s->r[i]);
    return h;
}

/* Copies memory without faulting on unmapped addresses. Returns how many bytes, in whole
 * words. */
static uint64_t read_memory(uint64_t at, void *to, uint64_t size)
{
    struct iovec own = {to, size}, from = {(void *)at, size};
    long pid = pf_sys(SYS_getpid), n = pf_sys(SYS_process_vm_readv, pid, &own, 1, &from, 1, 0);
    return n > 0 ? (uint64_t)n & -8ull : 0;
}

bool pf_cpu_state_same_depth(const struct pf_cpu_state *s, const struct pf_spin_record *what)
{
    return s->r[REG_RSP] == what->r[REG_RSP];
}

void pf_cpu_state_restore(const struct pf_spin_record *what, ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    for (int i = 0; i < GREGS; i++)
        if (what->varying >> i & 1)
            g[i] = (greg_t)what->r[i];
    g[REG_EFL] = (greg_t)(((uint64_t)g[REG_EFL] & ~(uint64_t)ARITHMETIC) | what->flags);
    for (int i = 0; i < PF_SPIN_WORDS && what->word[i].at; i++)
        *(volatile uint64_t *)what->word[i].at = what->word[i].value;
}

/* --- the loop --- */

void pf_spin_loop_begin(void) { nseen = 0; }

bool pf_spin_loop_add(const struct pf_cpu_state *s)
{
    seen[nseen++] = *s;
    return nseen == STEPS;
}

/* The stack pointer and the registers that changed, as bits. Other registers may hold values that
 * the loop does not use: left by the runtime, or preserved for callers (in hot loops, event bodies
 * keep the budget in a register). */
static uint64_t registers_of(void)
{
    uint64_t which = 1u << REG_RSP;
    for (uint32_t n = 1; n < STEPS; n++)
        for (int i = 0; i < GREGS; i++)
            if (seen[n].r[i] != seen[0].r[i])
                which |= 1u << i;
    return which;
}

static uint32_t slot_of(uint64_t rip)
{
    uint32_t i = (uint32_t)(rip * 0x9e3779b97f4a7c15u >> 51);
    while (slots[i & (SLOTS - 1)] && seen[slots[i & (SLOTS - 1)] - 1].rip != rip)
        i++;
    return i & (SLOTS - 1);
}

/* Of the addresses in the second half of the steps that were reached at least four times: the one
 * that was reached least often; 0: this is not a loop. */
static uint64_t find_address(void)
{
    uint64_t at = 0;
    uint16_t least = UINT16_MAX;
    pf_zero(slots, sizeof slots);
    pf_zero(counts, sizeof counts);
    for (uint32_t n = 0; n < STEPS; n++) {
        uint32_t i = slot_of(seen[n].rip);
        slots[i] = (uint16_t)(n + 1);
        counts[i]++;
    }
    for (uint32_t n = STEPS / 2; n < STEPS; n++) {
        uint16_t count = counts[slot_of(seen[n].rip)];
        if (count >= 4 && count < least) {
            least = count;
            at = seen[n].rip;
        }
    }
    return at;
}

/* True if every iteration has the same states. */
static bool changes_nothing(uint64_t address, uint64_t registers)
{
    uint32_t last = STEPS, period = 0;
    for (uint32_t n = 0; n < STEPS; n++) {
        if (seen[n].rip != address)
            continue;
        if (last != STEPS && !period)
            period = n - last;
        last = n;
        if (period)
            break;
    }
    if (!period)
        return false;
    for (uint32_t n = last; n < STEPS; n++)
        if (seen[n].rip != seen[n - period].rip ||
            hash_of(&seen[n], registers) != hash_of(&seen[n - period], registers))
            return false;
    return true;
}

static struct {
    uint64_t start, size;
} library;

void pf_spin_loop_set_library(uint64_t start, uint64_t size)
{
    library.start = start;
    library.size = size;
}

/* True if the loop contains `pause`, or is inside the library set by pf_spin_loop_set_library. */
static bool is_marked_wait(void)
{
    bool in_library = library.size;
    for (uint32_t n = 0; n < STEPS; n++) {
        const volatile uint8_t *code = (const volatile uint8_t *)seen[n].rip;
        if (code[0] == 0xf3 && code[1] == 0x90)
            return true;
        in_library = in_library && seen[n].rip - library.start < library.size;
    }
    return in_library;
}

/* The registers, as bits, that differ from one visit of the address to another. */
static uint64_t differing(uint64_t address)
{
    const struct pf_cpu_state *first = NULL;
    uint64_t which = 0;
    for (uint32_t n = 0; n < STEPS; n++) {
        if (seen[n].rip != address)
            continue;
        first = first ? first : &seen[n];
        for (int i = 0; i < GREGS; i++)
            if (seen[n].r[i] != first->r[i])
                which |= 1u << i;
    }
    return which;
}

enum pf_spin_loop_kind pf_spin_loop_classify(struct pf_spin_record *out, bool strict)
{
    uint64_t address = find_address(), registers = registers_of(), differ = differing(address);
    *out = (struct pf_spin_record){
        .at = address, .constant = registers & ~differ, .varying = registers & differ};
    if (!address)
        return PF_SPIN_LOOP_NONE;
    if (!strict && is_marked_wait())
        return PF_SPIN_LOOP_COUNTS;
    return changes_nothing(address, registers) ? PF_SPIN_LOOP_REPEATS : PF_SPIN_LOOP_NONE;
}

/* --- changes in memory --- */

#define NEAR 1024 /* bytes after the address in a register */
#define PAGES 192
#define BELOW (64u << 10) /* bytes of the stack below rsp that our handlers may write */
static struct {
    uint64_t at[PAGES];
    uint32_t n;
    uint64_t rsp; /* words just below it are ignored: our own handlers write there */
} pages;
static uint64_t before[PAGES][PF_PAGE / 8];

/* True if the address is a variable of the runtime (own_section.h). */
static bool is_own(uint64_t at)
{
    return (at >= (uint64_t)__start_pf_bss && at < (uint64_t)__stop_pf_bss) ||
           (at >= (uint64_t)__start_pf_data && at < (uint64_t)__stop_pf_data);
}

static void copy_page(uint64_t at)
{
    at = pf_page_down(at);
    for (uint32_t i = 0; i < pages.n; i++)
        if (pages.at[i] == at)
            return;
    if (at && pages.n < PAGES && read_memory(at, before[pages.n], PF_PAGE) == PF_PAGE)
        pages.at[pages.n++] = at;
}

/* Copies the writable data of the object that contains the code. */
static void copy_variables(uint64_t rip)
{
    struct dl_find_object o;
    if (_dl_find_object((void *)rip, &o) != 0)
        return;
    const ElfW(Ehdr) *e = o.dlfo_map_start;
    const ElfW(Phdr) *p = (const void *)((const char *)e + e->e_phoff);
    for (int i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_W)
            for (uint64_t at = pf_page_down(p[i].p_vaddr); at < p[i].p_vaddr + p[i].p_memsz;
                 at += PF_PAGE)
                copy_page(o.dlfo_link_map->l_addr + at);
}

/* First the memory that registers point to, then variables. */
void pf_spin_loop_snapshot(const struct pf_cpu_state *now)
{
    pages.n = 0;
    pages.rsp = now->r[REG_RSP] - PF_STACK_RED_ZONE;
    for (uint32_t n = STEPS / 2; n < STEPS; n++)
        for (int i = 0; i < GREGS; i++)
            if (n == STEPS / 2 || seen[n].r[i] != seen[n - 1].r[i]) {
                copy_page(seen[n].r[i]);
                copy_page(seen[n].r[i] + NEAR);
            }
    copy_variables(now->rip);
}

static bool is_known(const struct pf_spin_record *s, uint64_t at)
{
    for (uint32_t i = 0; i < PF_SPIN_WORDS; i++)
        if (s->word[i].at == at)
            return true;
    return false;
}

bool pf_spin_loop_changed_words(struct pf_spin_record *out)
{
    static uint64_t after[PF_PAGE / 8];
    uint32_t n = 0;
    while (n < PF_SPIN_WORDS && out->word[n].at)
        n++;
    for (uint32_t i = 0; i < pages.n; i++) {
        uint64_t size = read_memory(pages.at[i], after, PF_PAGE);
        for (uint64_t w = 0; w < size / 8; w++) {
            uint64_t at = pages.at[i] + w * 8;
            if (after[w] == before[i][w] || is_own(at) || is_known(out, at) ||
                at - (pages.rsp - BELOW) < BELOW)
                continue;
            if (n == PF_SPIN_WORDS)
                return false;
            out->word[n++].at = at;
        }
    }
    return true;
}

void pf_spin_loop_note(const struct pf_cpu_state *now, struct pf_spin_record *out)
{
    out->flags = now->flags;
    for (int i = 0; i < GREGS; i++)
        out->r[i] = now->r[i];
    for (int i = 0; i < PF_SPIN_WORDS && out->word[i].at; i++)
        out->word[i].value = *(const volatile uint64_t *)out->word[i].at;
}
