/*
 * symbolic_log.c - writes the records of the expression log (pf_symbolic.h).
 */
#include "context.h"
#include "direct.h"
#include "module.h"
#include "rt.h"
#include "stack.h"
#include "symbolic.h"
#include "sys.h"
#include "textbuf.h"

#define SITES_MAX (1u << 18) /* a power of two */
#define LOSSES_MAX 256

static struct {
    const struct pf_site *site;
    uint32_t number;
} *sites;
static uint32_t nsites;
static struct {
    enum pf_symbolic_loss why;
    const char *name;
    uint64_t n;
} losses[LOSSES_MAX];

void pf_symbolic_put(const struct pf_symbolic_record *r, const void *bytes, size_t n)
{
    static const char zeros[32];
    pf_ring_put(PF_STREAM_SYMBOLIC, r, sizeof *r);
    if (n) {
        pf_ring_put(PF_STREAM_SYMBOLIC, bytes, n);
        pf_ring_put(PF_STREAM_SYMBOLIC, zeros, PF_SYMBOLIC_PADDED(n) - n);
    }
}

static void put_site(const struct pf_func *f, const struct pf_site *s, uint32_t number)
{
    const struct pf_scope *scope = pf_site_scope(s);
    const char *func = pf_rel_str(&scope->func), *file = pf_rel_str(&scope->file);
    char text[1024];
    size_t n = 0;
    for (const char *p = func ? func : ""; *p && n < 500; p++)
        text[n++] = *p;
    text[n++] = 0;
    for (const char *p = file ? file : ""; *p && n < sizeof text - 1; p++)
        text[n++] = *p;
    text[n++] = 0;
    pf_symbolic_put(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_SITE,
                                                 .a = number,
                                                 .b = s->line,
                                                 .c = (uint32_t)n,
                                                 .x = s->column,
                                                 .y = f->hash},
                    text, n);
}

/* The number of a site of the function on top of the shadow stack; 0 if there is no room. */
static uint32_t site_number(uint32_t index)
{
    const struct pf_func *f = (__pf_tls.frame - 1)->func;
    const struct pf_site *s = pf_func_site(f, index);
    if (!sites)
        sites = pf_sys_map(NULL, SITES_MAX * sizeof *sites);
    if (!sites || nsites >= SITES_MAX / 2)
        return 0;
    uint32_t at = (uint32_t)(((uintptr_t)s * 0x9e3779b97f4a7c15ull) >> 40) & (SITES_MAX - 1);
    while (sites[at].site && sites[at].site != s)
        at = (at + 1) & (SITES_MAX - 1);
    if (!sites[at].site) {
        sites[at].site = s;
        sites[at].number = ++nsites;
        put_site(f, s, nsites);
    }
    return sites[at].number;
}

/* 15 bits for the values of the operands of a condition: whoever evaluates the log can compare. */
static uint16_t operands_check(uint32_t label)
{
    const struct pf_symbolic_record *n = pf_expression_node(label);
    return (uint16_t)((n->x * PF_SYMBOLIC_CHECK_X + n->y * PF_SYMBOLIC_CHECK_Y) >> 49);
}

void pf_symbolic_condition(enum pf_symbolic_reason why, uint32_t label, bool value, uint32_t site,
                           uint32_t alternative)
{
    struct pf_context *c = pf_context_self();
    if (!label)
        return;
    if (pf_expression_value(label) != value) { /* an error of this engine */
        pf_symbolic_lose(PF_LOSS_OVERWRITTEN, "condition");
        return;
    }
    uint32_t number = site_number(site);
    pf_symbolic_put(
        &(struct pf_symbolic_record){.kind = PF_SYMBOLIC_CONDITION,
                                     .op = (uint8_t)why,
                                     .bits = (uint16_t)(operands_check(label) << 1 | value),
                                     .a = label,
                                     .b = number,
                                     .c = c->number,
                                     .x = pf_context_events(c),
                                     .y = alternative},
        NULL, 0);
}

void pf_symbolic_text(uint32_t source, uint64_t offset, size_t old, const void *text, size_t n,
                      uint32_t site)
{
    uint32_t number = site_number(site);
    pf_symbolic_put(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_TEXT,
                                                 .a = source,
                                                 .b = (uint32_t)n,
                                                 .c = (uint32_t)old,
                                                 .x = offset,
                                                 .y = number},
                    text, n);
}

void pf_symbolic_address(uint32_t label, uint64_t address, uint32_t size, bool write, bool event)
{
    struct pf_context *c = pf_context_self();
    if (!label)
        return;
    if (pf_expression_value(label) != address) {
        pf_symbolic_lose(PF_LOSS_OVERWRITTEN, "address");
        return;
    }
    pf_symbolic_put(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_ADDRESS,
                                                 .op = write,
                                                 .bits = event,
                                                 .a = label,
                                                 .b = size,
                                                 .c = c->number,
                                                 .x = pf_context_events(c),
                                                 .y = address},
                    NULL, 0);
}

void pf_symbolic_lose(enum pf_symbolic_loss why, const char *name)
{
    static const char own[] = "__interceptor_"; /* our second name of a function (wrap.h) */
    unsigned i = 0;
    if (pf_str_starts(name, own))
        name += sizeof own - 1;
    for (; i < LOSSES_MAX && losses[i].name; i++)
        if (losses[i].why == why && (losses[i].name == name || pf_str_same(losses[i].name, name)))
            break;
    if (i == LOSSES_MAX)
        i = LOSSES_MAX - 1; /* no room: counted with the last one */
    if (!losses[i].name) {
        losses[i].why = why;
        losses[i].name = name;
    }
    uint64_t n = ++losses[i].n;
    if (n & (n - 1)) /* at 1, 2, 4, ...: the count is within a factor of two */
        return;
    size_t length = pf_str_len(losses[i].name);
    pf_symbolic_put(
        &(struct pf_symbolic_record){
            .kind = PF_SYMBOLIC_LOST, .op = (uint8_t)losses[i].why, .b = (uint32_t)length, .x = n},
        losses[i].name, length);
}
