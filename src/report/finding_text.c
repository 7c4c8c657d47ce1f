/* finding_text.c - see finding_text.h. */
#include "finding_text.h"

#define RULE "==================\n"

struct colors {
    const char *warning, *access, *location, *lock, *thread, *off;
};
static const struct colors in_color = {"\033[1m\033[31m", "\033[1m\033[34m", "\033[1m\033[32m",
                                       "\033[1m\033[35m", "\033[1m\033[36m", "\033[1m\033[0m"};
static const struct colors plain = {"", "", "", "", "", ""};

static const struct colors *colors_of(const struct pf_text_style *style)
{
    return style->color ? &in_color : &plain;
}

static const char *op_text(enum pf_op op)
{
    static const char *const texts[] = {
#define PF_OP(name, json, text) text,
#include "finding.def"
#undef PF_OP
    };
    return texts[op];
}

void pf_merged_lines_text(struct pf_text *t, const struct pf_stack_frame *p)
{
    if (!p->merged_lines)
        return;
    pf_text_add(t, " (merged with line ");
    pf_text_name(t, p->merged_lines);
    pf_text_char(t, ')');
}

static void add_position(struct pf_text *t, const struct pf_stack_frame *p,
                         const struct pf_text_style *style)
{
    const char *file = p->file;
    if (style->strip_prefix && pf_str_starts(file, style->strip_prefix))
        file += pf_str_len(style->strip_prefix);
    pf_text_name(t, file);
    if (p->line) {
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
        if (p->column) {
            pf_text_char(t, ':');
            pf_text_u64(t, p->column);
        }
    }
}

void pf_backtrace_text(struct pf_text *t, const struct pf_backtrace *stack,
                       const struct pf_text_style *style)
{
    if (stack->n == 0)
        pf_text_add(t, "    [unknown stack]\n");
    for (size_t i = 0; i < stack->n; i++) {
        const struct pf_stack_frame *p = &stack->at[i];
        pf_text_add(t, "    #");
        pf_text_u64(t, i);
        pf_text_char(t, ' ');
        pf_text_name(t, p->function ? p->function : "??");
        if (p->file) {
            pf_text_char(t, ' ');
            add_position(t, p, style);
            pf_merged_lines_text(t, p);
        }
        if (p->module) {
            pf_text_add(t, " (");
            pf_text_name(t, pf_str_base(p->module));
            pf_text_char(t, ')');
        }
        pf_text_add(t, p->folded ? " [recursion, repeats]\n" : "\n");
    }
    pf_text_char(t, '\n');
}

static void add_thread(struct pf_text *t, uint32_t number)
{
    if (number == 0) {
        pf_text_add(t, "main thread");
    } else {
        pf_text_add(t, "thread T");
        pf_text_u64(t, number);
    }
}

static void add_locks(struct pf_text *t, const struct pf_finding *f, const struct pf_access *a)
{
    for (size_t i = 0; i < a->nlocks; i++) {
        pf_text_add(t, i ? ", " : " (mutexes: ");
        pf_text_add(t, a->locks[i].shared ? "read M" : "write M");
        pf_text_u64(t, pf_finding_lock_number(f, a->locks[i].address));
    }
    if (a->nlocks)
        pf_text_char(t, ')');
}

static void add_access(struct pf_text *t, const struct pf_finding *f, size_t i,
                       const struct pf_text_style *style)
{
    const struct pf_access *a = pf_finding_shown(f, i);
    const struct colors *c = colors_of(style);
    const char *op = op_text(a->op);
    pf_text_add(t, c->access);
    if (!pf_finding_is_pair(f) && !pf_kind_is_memory_error(f->kind) && f->naccesses > 1) {
        pf_text_add(t, "  ");
        pf_text_u64(t, i + 1);
        pf_text_add(t, ". ");
        pf_text_add(t, op);
    } else if (i == 0) {
        pf_text_add(t, "  ");
        pf_text_add(t, op);
    } else {
        pf_text_add(t, "  Previous ");
        pf_text_char(t, (char)(op[0] - 'A' + 'a'));
        pf_text_add(t, op + 1);
    }
    bool access = a->op != PF_OP_LOCK && a->op != PF_OP_FAIL && a->op != PF_OP_WAIT;
    if (access) { /* the size of a lock says nothing */
        pf_text_add(t, " of size ");
        pf_text_u64(t, a->size);
    }
    if (access || a->op == PF_OP_LOCK) {
        pf_text_add(t, " at ");
        pf_text_address(t, a->address);
    }
    pf_text_add(t, " by ");
    add_thread(t, a->thread);
    add_locks(t, f, a);
    pf_text_char(t, ':');
    pf_text_add(t, c->off);
    pf_text_char(t, '\n');
    pf_backtrace_text(t, &a->stack, style);
}

/* "data race", "race on CacheEntry" */
static void add_title(struct pf_text *t, const struct pf_finding *f)
{
    bool named = f->kind == PF_KIND_EXTERNAL_RACE && f->naccesses && f->accesses[0].variable;
    pf_text_add(t, named ? "race on " : pf_finding_kind_title(f));
    if (named)
        pf_text_name(t, f->accesses[0].variable);
}

static void add_location(struct pf_text *t, const struct pf_location *l,
                         const struct pf_text_style *style)
{
    if (l->kind == PF_LOCATION_UNKNOWN)
        return;
    const struct colors *c = colors_of(style);
    pf_text_add(t, c->location);
    pf_text_add(t, "  Location is ");
    if (l->kind == PF_LOCATION_DESCRIPTOR) {
        pf_text_add(t, "file descriptor ");
        pf_text_u64(t, l->address);
        if (l->stack.n) {
            pf_text_add(t, " created by ");
            add_thread(t, l->thread);
        }
        pf_text_add(t, l->stack.n ? " at:" : "");
        pf_text_add(t, c->off);
        pf_text_char(t, '\n');
        if (l->stack.n)
            pf_backtrace_text(t, &l->stack, style);
        else
            pf_text_char(t, '\n');
        return;
    }
    bool global = l->kind == PF_LOCATION_GLOBAL;
    bool local = l->kind == PF_LOCATION_STACK && l->name;
    if (global || local || l->kind == PF_LOCATION_HEAP) {
        pf_text_add(t, global ? "global '" : local ? "variable '" : "heap block");
        if (global || local) {
            pf_text_name(t, l->name);
            pf_text_char(t, '\'');
        }
        pf_text_add(t, " of size ");
        pf_text_u64(t, l->size);
        pf_text_add(t, " at ");
        pf_text_address(t, l->address);
        if (l->kind == PF_LOCATION_HEAP) {
            pf_text_add(t, l->freed ? " (freed) allocated by " : " allocated by ");
            add_thread(t, l->thread);
            pf_text_char(t, ':');
        } else if (local) {
            pf_text_add(t, " on the stack of ");
            add_thread(t, l->thread);
            if (l->stack.n) {
                pf_text_add(t, ", frame of ");
                pf_text_name(t, l->stack.at[0].function);
            }
        } else if (l->file) {
            struct pf_stack_frame declared = {.file = l->file, .line = l->line};
            pf_text_add(t, " (");
            add_position(t, &declared, style);
            pf_text_char(t, ')');
        }
    } else {
        pf_text_add(t, l->kind == PF_LOCATION_STACK ? "stack of " : "TLS of ");
        add_thread(t, l->thread);
        if (l->stack.n == 1) {
            pf_text_add(t, ", frame of ");
            pf_text_name(t, l->stack.at[0].function);
        }
        pf_text_add(t, l->stack.n > 1 ? ", a frame of:" : ".");
    }
    pf_text_add(t, c->off);
    pf_text_char(t, '\n');
    if (l->kind == PF_LOCATION_HEAP || l->stack.n > 1)
        pf_backtrace_text(t, &l->stack, style);
    else
        pf_text_char(t, '\n');
}

static bool same_stack(const struct pf_backtrace *a, const struct pf_backtrace *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->at[i].line != b->at[i].line || a->at[i].column != b->at[i].column ||
            !pf_str_same(a->at[i].function, b->at[i].function) ||
            !pf_str_same(a->at[i].file, b->at[i].file))
            return false;
    return true;
}

/* True if an earlier access already listed this lock, taken at the same place: it is printed
 * once. */
static bool already_listed(const struct pf_finding *f, size_t access, const struct pf_lock *l)
{
    for (size_t k = 0; k < access; k++) {
        const struct pf_access *a = &f->accesses[k];
        for (size_t i = 0; i < a->nlocks; i++)
            if (a->locks[i].address == l->address && same_stack(&a->locks[i].taken, &l->taken))
                return true;
    }
    return false;
}

static void add_lock(struct pf_text *t, const struct pf_finding *f, size_t access,
                     const struct pf_lock *l, const struct pf_text_style *style)
{
    const struct colors *c = colors_of(style);
    if (already_listed(f, access, l))
        return;
    pf_text_add(t, c->lock);
    pf_text_add(t, "  Mutex M");
    pf_text_u64(t, pf_finding_lock_number(f, l->address));
    if (l->name) {
        pf_text_add(t, " '");
        pf_text_name(t, l->name);
        pf_text_char(t, '\'');
    }
    pf_text_add(t, " (");
    pf_text_address(t, l->address);
    pf_text_add(t, l->first ? ") first acquired" : ") acquired by ");
    if (!l->first)
        add_thread(t, f->accesses[access].thread);
    pf_text_add(t, " at:");
    pf_text_add(t, c->off);
    pf_text_char(t, '\n');
    pf_backtrace_text(t, &l->taken, style);
}

static void add_thread_info(struct pf_text *t, const struct pf_thread_info *a,
                            const struct pf_text_style *style)
{
    const struct colors *c = colors_of(style);
    if (a->number == 0) /* the main thread was not created by another one */
        return;
    pf_text_add(t, c->thread);
    pf_text_add(t, "  Thread T");
    pf_text_u64(t, a->number);
    if (a->name && *a->name) {
        pf_text_add(t, " '");
        pf_text_name(t, a->name);
        pf_text_char(t, '\'');
    }
    pf_text_add(t, " (tid=");
    pf_text_i64(t, a->tid);
    pf_text_add(t, a->running ? ", running) created by " : ", finished) created by ");
    add_thread(t, a->parent);
    pf_text_add(t, " at:");
    pf_text_add(t, c->off);
    pf_text_char(t, '\n');
    pf_backtrace_text(t, &a->created, style);
}

static void add_summary(struct pf_text *t, const struct pf_finding *f,
                        const struct pf_text_style *style)
{
    const struct pf_stack_frame *p =
        f->naccesses ? pf_backtrace_source(&pf_finding_shown(f, 0)->stack) : NULL;
    pf_text_add(t, "SUMMARY: photofinish: ");
    add_title(t, f);
    if (p && p->file) {
        pf_text_char(t, ' ');
        add_position(t, p, style);
    }
    if (p && p->function) {
        pf_text_add(t, " in ");
        pf_text_name(t, p->function);
    }
    pf_text_char(t, '\n');
}

static void add_failure(struct pf_text *t, const struct pf_finding *f)
{
    if (!f->harm)
        return;
    pf_text_add(t, "  Cause: ");
    pf_text_name(t, f->harm);
    pf_text_add(t, "\n\n");
}

static void add_lock_label(struct pf_text *t, const struct pf_finding *f, size_t i)
{
    pf_text_char(t, 'M');
    pf_text_u64(t, pf_finding_lock_number(f, f->accesses[i % f->naccesses].locks[0].address));
}

/* Access i takes the lock that access i + 1 holds. */
static void add_lock_cycle(struct pf_text *t, const struct pf_finding *f,
                           const struct pf_text_style *style)
{
    const struct colors *c = colors_of(style);
    pf_text_add(t, "  Cycle in lock order graph: ");
    for (size_t i = 0; i < f->naccesses; i++) {
        add_lock_label(t, f, i);
        pf_text_add(t, " (");
        pf_text_address(t, f->accesses[i].locks[0].address);
        pf_text_add(t, ") => ");
    }
    add_lock_label(t, f, 0);
    pf_text_add(t, "\n\n");
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        pf_text_add(t, c->lock);
        pf_text_add(t, "  Mutex ");
        add_lock_label(t, f, i + 1);
        pf_text_add(t, " acquired here while holding mutex ");
        add_lock_label(t, f, i);
        pf_text_add(t, " in ");
        add_thread(t, a->thread);
        pf_text_char(t, ':');
        pf_text_add(t, c->off);
        pf_text_char(t, '\n');
        pf_backtrace_text(t, &a->stack, style);
        pf_text_add(t, c->lock);
        pf_text_add(t, "  Mutex ");
        add_lock_label(t, f, i);
        pf_text_add(t, a->locks[0].first ? " first acquired here:"
                                         : " previously acquired by the same thread here:");
        pf_text_add(t, c->off);
        pf_text_char(t, '\n');
        pf_backtrace_text(t, &a->locks[0].taken, style);
    }
}

/* The stacks alone: the title says what is wrong with the first one. */
static void add_misuse(struct pf_text *t, const struct pf_finding *f,
                       const struct pf_text_style *style)
{
    if (f->kind == PF_KIND_THREAD_LEAK)
        return; /* the thread is described below */
    if (f->kind == PF_KIND_ERRNO_IN_SIGNAL) {
        pf_text_add(t, "  Signal ");
        if (f->naccesses && f->accesses[0].address) { /* a log of an older version has none */
            pf_text_u64(t, f->accesses[0].address);
            pf_text_char(t, ' ');
        }
        pf_text_add(t, "handler invoked at:\n");
    }
    for (size_t i = 0; i < f->naccesses; i++) {
        if (i)
            pf_text_add(t, "  and:\n");
        pf_backtrace_text(t, &f->accesses[i].stack, style);
    }
}

void pf_finding_text(struct pf_text *t, const struct pf_finding *f,
                     const struct pf_text_style *style)
{
    const struct colors *c = colors_of(style);
    pf_text_add(t, RULE);
    pf_text_add(t, c->warning);
    pf_text_add(t, "WARNING: photofinish: ");
    add_title(t, f);
    if (f->child) {
        pf_text_add(t, " in child ");
        pf_text_name(t, f->child);
    }
    if (style->pid) {
        pf_text_add(t, " (pid=");
        pf_text_i64(t, style->pid);
        pf_text_char(t, ')');
    }
    pf_text_add(t, c->off);
    pf_text_char(t, '\n');
    if (pf_finding_is_lock_order(f))
        add_lock_cycle(t, f, style);
    else if (pf_kind_is_misuse(f->kind))
        add_misuse(t, f, style);
    else
        for (size_t i = 0; i < f->naccesses; i++)
            add_access(t, f, i, style);
    if (pf_kind_is_failure(f->kind) || f->kind == PF_KIND_SYNC_MISUSE)
        add_failure(t, f);
    if (f->sleep.n) {
        pf_text_add(t, "  As if synchronized via sleep:\n");
        pf_backtrace_text(t, &f->sleep, style);
    }
    add_location(t, &f->location, style);
    for (size_t i = 0; i < f->naccesses && !pf_finding_is_lock_order(f); i++)
        for (size_t k = 0; k < f->accesses[i].nlocks; k++)
            add_lock(t, f, i, &f->accesses[i].locks[k], style);
    for (size_t i = 0; i < f->nthreads; i++)
        add_thread_info(t, &f->threads[i], style);
    if (f->kind == PF_KIND_THREAD_LEAK && f->count > 1) {
        pf_text_add(t, "  And ");
        pf_text_u64(t, f->count - 1);
        pf_text_add(t, " more similar thread leaks.\n\n");
    }
    if (style->summary)
        add_summary(t, f, style);
    pf_text_add(t, RULE);
}

void pf_schedule_step_text(struct pf_text *t, const struct pf_schedule_step *m)
{
    pf_text_add(t, m->op);
    if (m->name) {
        pf_text_char(t, ' ');
        pf_text_name(t, m->name);
    }
    if (m->value) {
        pf_text_add(t, " = ");
        pf_text_name(t, m->value);
    }
    if (m->has_from) {
        pf_text_add(t, pf_str_same(m->op, "wants") ? " (held by " : " (written by ");
        if (m->from) {
            pf_text_char(t, 'T');
            pf_text_u64(t, m->from);
        } else
            pf_text_add(t, "main");
        if (m->from_file) {
            pf_text_add(t, ", ");
            pf_text_name(t, pf_str_base(m->from_file));
            pf_text_char(t, ':');
            pf_text_u64(t, m->from_line);
        }
        pf_text_char(t, ')');
    }
}
