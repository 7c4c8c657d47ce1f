/*
 * local_state.c - see local_state.h. The registers that a call preserves are stored by an assembler
 * function; those that the entry points of events preserve are on the stack, below the frame of the
 * program, and the vector registers still have their values because the runtime does not use them.
 */
#define _GNU_SOURCE
#include "local_state.h"
#include "hash_mix.h"
#include "scheduler.h"
#include "stream_ring.h"
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <ucontext.h>

#define RECENT 8             /* events of a thread that are remembered */
#define THREADS 256          /* threads that are watched */
#define STACK_MAX (1u << 18) /* bytes of a stack that are hashed */
#define BUDGET_EVENTS 32     /* events of a loop that yields */

static struct recent_events {
    uint64_t code[RECENT];
    uint64_t hash[RECENT]; /* the state at that event; 0: unknown */
    uint32_t next;
    bool repeats;
} recent[THREADS];

extern char **environ;

/* The upper end of the thread's stack; 0: unknown. */
static uint64_t stack_end(const struct pf_context *c, uint64_t sp)
{
    uint64_t end = c->number ? c->stack_end : (uint64_t)environ;
    return end > sp && end - sp <= STACK_MAX ? end : 0;
}

/* Called by pf_local_state_registers with the address of the stored registers. */
__attribute__((used)) uint64_t pf_local_state_from(const uint64_t *sp)
{
    uint64_t vector[32], h = 1, end = stack_end(pf_context_self(), (uint64_t)sp);
#define STORE(n) "movdqu %%xmm" #n ", 16*" #n "(%0)\n"
    __asm__ volatile(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)
                         STORE(8) STORE(9) STORE(10) STORE(11) STORE(12) STORE(13) STORE(14)
                             STORE(15)::"r"(vector)
                     : "memory");
#undef STORE
    for (uint32_t i = 0; i < 32; i++)
        h = pf_hash_mix(h, vector[i]);
    for (; end && (uint64_t)sp < end; sp++)
        h = pf_hash_mix(h, *sp);
    return end ? h : 0;
}

/* The hash of the registers that calls preserve, of the vector registers and of the stack. */
uint64_t pf_local_state_registers(void);
__asm__(".pushsection pf_text, \"ax\", @progbits\n"
        ".hidden pf_local_state_registers\n"
        "pf_local_state_registers:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, %rdi\nsub $8, %rsp\n"
        "call pf_local_state_from\n"
        "add $8, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
        ".popsection\n");

void pf_local_state_note(uint64_t code)
{
    struct pf_context *c = pf_context_self();
    struct pf_channel *channel = pf_channel_get();
    if (!channel || c->number >= THREADS)
        return;
    struct recent_events *r = &recent[c->number];
    bool again = false;
    for (uint32_t i = 0; i < RECENT && !again; i++)
        again = r->code[i] == code + 1;
    uint64_t hash = again ? pf_local_state_registers() : 0;
    r->repeats = false;
    for (uint32_t i = 0; i < RECENT && hash; i++)
        r->repeats |= r->code[i] == code + 1 && r->hash[i] == hash;
    r->code[r->next % RECENT] = code + 1;
    r->hash[r->next++ % RECENT] = hash;
    if (hash && pf_direct.exploring && channel->nstates < PF_LOCAL_STATES)
        channel->states[channel->nstates++] = (struct pf_local_state){
            .thread = c->number, .event = (uint32_t)pf_context_events(c), .hash = hash};
}

/* True if the word may be a copy of the budget: code built with -O0 keeps one in its frame, as it
 * was at one of the last BUDGET_EVENTS events. */
static bool is_budget(uint64_t word, int64_t budget)
{
    return word - (uint64_t)budget + 1 <= BUDGET_EVENTS;
}

/* True if the system call at rip is inside a function of libc. Callers of such a function do not
 * expect it to preserve the registers `others` below, which hold values of the runtime. */
static bool in_libc(uint64_t rip)
{
    struct dl_find_object code, libc;
    return _dl_find_object((void *)rip, &code) == 0 &&
           _dl_find_object((void *)gnu_get_libc_version, &libc) == 0 &&
           code.dlfo_map_start == libc.dlfo_map_start;
}

uint64_t pf_local_state_at_call(const struct pf_context *c)
{
    static const uint8_t kept[] = {REG_RIP, REG_RSP, REG_RBX, REG_RBP,
                                   REG_R12, REG_R13, REG_R14, REG_R15};
    static const uint8_t others[] = {REG_RDX, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10};
    if (!c->trap)
        return 0;
    const greg_t *g = c->trap->uc_mcontext.gregs;
    const uint64_t *sp = (const uint64_t *)((uint64_t)g[REG_RSP] & -8ull);
    uint64_t h = 1, end = stack_end(c, (uint64_t)sp);
    for (size_t i = 0; i < sizeof kept; i++)
        h = pf_hash_mix(h, (uint64_t)g[kept[i]]);
    bool inline_call = !in_libc((uint64_t)g[REG_RIP]);
    for (size_t i = 0; inline_call && i < sizeof others; i++)
        h = pf_hash_mix(h, (uint64_t)g[others[i]]);
    for (; end && (uint64_t)sp < end; sp++)
        h = pf_hash_mix(h, is_budget(*sp, c->tls->budget) ? 0 : *sp);
    return end ? h : 0;
}

bool pf_local_state_repeats(const struct pf_context *c)
{
    return c->number < THREADS && recent[c->number].repeats;
}
