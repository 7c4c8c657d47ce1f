/* judged_text.c - see judged_text.h. */
#include "judged_text.h"
#include "allocation.h"
#include "shell_word.h"
#include "text_format.h"
#include <string.h>

static void add_access(struct pf_text *t, const struct pf_access *a)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack);
    pf_text_add(t, pf_op_name(a->op));
    pf_text_add(t, " by T");
    pf_text_u64(t, a->thread);
    if (!p)
        return;
    pf_text_add(t, " in ");
    pf_text_name(t, p->function ? p->function : "??");
    if (p->file) {
        pf_text_char(t, ' ');
        pf_text_name(t, pf_str_base(p->file));
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
    }
}

/* Writes a text of several lines, indented. */
static void add_lines(struct pf_text *t, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\n");
        char *line = pf_mem_copy_n(s, n);
        pf_text_add(t, "\n        ");
        pf_text_name(t, line);
        free(line);
        s += s[n] ? n + 1 : n;
    }
}

static void add_evidence(struct pf_text *t, const struct pf_judged_evidence *e)
{
    pf_text_add(t, "    ");
    pf_text_name(t, e->kind);
    pf_text_char(t, ':');
    if (e->clip) {
        pf_text_add(t, " pf replay ");
        pf_text_shell_word(t, e->clip);
    } else if (e->text && strchr(e->text, '\n')) {
        add_lines(t, e->text);
    } else if (e->text) {
        pf_text_char(t, ' ');
        pf_text_name(t, e->text);
    }
    pf_text_char(t, '\n');
}

static void add_class(struct pf_text *t, const struct pf_finding *f)
{
    const struct pf_judged *j = f->judged;
    pf_text_name(t, f->verdict ? f->verdict : "not judged");
    if (j && j->k) {
        pf_text_add(t, " (k = ");
        pf_text_u64(t, j->k);
        pf_text_char(t, ')');
    }
}

static void add_reasons(struct pf_text *t, const struct pf_finding *f)
{
    const struct pf_judged *j = f->judged;
    if (j && j->reason && *j->reason) {
        pf_text_add(t, "    reason: ");
        pf_text_name(t, j->reason);
        pf_text_char(t, '\n');
    }
    if (j && j->adhoc)
        pf_text_add(t, "    one access is the test of ad hoc synchronisation\n");
    for (size_t i = 0; j && i < j->nevidence; i++)
        add_evidence(t, &j->evidence[i]);
}

void pf_judged_text(struct pf_text *t, const struct pf_finding *f)
{
    add_class(t, f);
    pf_text_add(t, ": race ");
    pf_text_hex(t, f->id, 16);
    if (f->naccesses && f->accesses[0].variable) {
        pf_text_add(t, " on ");
        pf_text_name(t, f->accesses[0].variable);
    } else if (f->location.kind == PF_LOCATION_HEAP) {
        pf_text_add(t, " on a heap block of ");
        pf_text_u64(t, f->location.size);
        pf_text_add(t, f->location.size == 1 ? " byte" : " bytes");
    }
    pf_text_char(t, '\n');
    for (size_t i = 0; i < f->naccesses; i++) {
        pf_text_add(t, "    ");
        add_access(t, &f->accesses[i]);
        pf_text_char(t, '\n');
    }
    add_reasons(t, f);
}

void pf_judged_evidence_text(struct pf_text *t, const struct pf_finding *f)
{
    if (!f->verdict)
        return;
    pf_text_add(t, "  Judged: ");
    add_class(t, f);
    pf_text_char(t, '\n');
    add_reasons(t, f);
}
