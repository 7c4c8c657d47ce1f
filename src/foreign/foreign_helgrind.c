/* foreign_helgrind.c - reads Helgrind's XML (valgrind --tool=helgrind --xml=yes). Valgrind
 * writes elements without attributes, so a small parser is enough: it reports the end of each
 * element with its text, and keeps the names of the enclosing elements. Of a truncated file the
 * complete errors are used. */
#define _GNU_SOURCE
#include "foreign.h"
#include "vector.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, NAME = 24 };

struct helgrind_reader {
    struct pf_findings *f;
    struct pf_foreign_summary *sum;
    char path[DEPTH][NAME]; /* names of the enclosing elements */
    size_t depth;
    struct pf_finding it; /* the current error; its accesses are in `accesses` */
    struct pf_access accesses[2];
    bool race;
    const char *description;       /* the text before the next stack */
    struct pf_stack_frame frame;
    const char *folder, *object;
    struct pf_backtrace stack; /* the current stack */
    PF_VEC(struct pf_thread_info) threads; /* all that were announced */
};

/* Returns a copy of the text with its entities replaced. */
static char *resolve(struct helgrind_reader *r, const char *s, size_t n)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    char *out = pf_foreign_alloc(r->f, n + 1);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept++] = s[i];
        if (s[i] != '&')
            continue;
        for (size_t k = 0; k < sizeof entities / sizeof entities[0]; k++) {
            size_t len = strlen(entities[k].name);
            if (n - i - 1 >= len && !strncmp(s + i + 1, entities[k].name, len)) {
                out[kept - 1] = entities[k].c;
                i += len;
                break;
            }
        }
    }
    out[kept] = 0;
    return out;
}

static bool is_in(const struct helgrind_reader *r, const char *name)
{
    for (size_t i = 0; i < r->depth && i < DEPTH; i++)
        if (!strcmp(r->path[i], name))
            return true;
    return false;
}

/* Helgrind numbers threads from 1; 1 is the main thread. */
static uint32_t thread_number(const char *text)
{
    unsigned long n = strtoul(text, NULL, 10);
    return n ? (uint32_t)n - 1 : 0;
}

/* True for system libraries: the user does not have their sources. */
static bool is_system(const char *object)
{
    return object && (!strncmp(object, "/usr/lib", 8) || !strncmp(object, "/lib", 4));
}

static void end_frame(struct helgrind_reader *r)
{
    struct pf_stack_frame *p = &r->frame;
    p->module = r->object;
    if (!p->function)
        p->function = "??";
    if (is_system(r->object)) {
        p->file = NULL;
        p->line = 0;
    } else if (p->file && r->folder) {
        size_t n = strlen(r->folder), m = strlen(p->file);
        char *whole = pf_foreign_alloc(r->f, n + m + 2);
        memcpy(whole, r->folder, n);
        whole[n] = '/';
        memcpy(whole + n + 1, p->file, m);
        p->file = whole;
    }
    pf_foreign_add_frame(r->f, &r->stack, p);
}

/* Parses "... during write of size 4 at 0x10C078 by thread #1" or "... a previous read of size 1 by
 * thread #2". */
static void fill_access(struct pf_access *a, const char *description)
{
    const char *size = strstr(description, " of size "), *at = strstr(description, " at 0x");
    const char *by = strstr(description, "thread #");
    a->op = strstr(description, "write of size") ? PF_OP_WRITE : PF_OP_READ;
    a->size = size ? strtoul(size + 9, NULL, 10) : 0;
    a->address = at ? strtoul(at + 4, NULL, 16) : 0;
    a->thread = by ? thread_number(by + 8) : 0;
}

static void end_stack(struct helgrind_reader *r)
{
    if (is_in(r, "announcethread")) {
        if (r->threads.len)
            r->threads.at[r->threads.len - 1].created = r->stack;
    } else if (is_in(r, "error") && r->description) {
        if (strstr(r->description, " of size ") && strstr(r->description, "thread #") &&
            r->it.naccesses < 2) {
            struct pf_access *a = &r->accesses[r->it.naccesses++];
            fill_access(a, r->description);
            a->stack = r->stack;
            if (!a->address)
                a->address = r->accesses[0].address;
        } else if (strstr(r->description, "block of size")) {
            r->it.location.stack = r->stack;
        }
    }
    r->description = NULL;
}

/* Evaluates Valgrind's description of the address. */
static void read_description(struct helgrind_reader *r, const char *text)
{
    struct pf_location *l = &r->it.location;
    const char *name = strstr(text, "data symbol \""), *block = strstr(text, "block of size ");
    const char *local = strstr(text, "declared at");
    r->description = text;
    if (name) {
        const char *end = strchr(name + 13, '"');
        l->kind = PF_LOCATION_GLOBAL;
        l->address = r->accesses[0].address;
        l->name = end ? pf_foreign_text(r->f, name + 13, (size_t)(end - name - 13)) : NULL;
        r->accesses[0].variable = r->accesses[1].variable = l->name;
    } else if (block) {
        char *end;
        l->kind = PF_LOCATION_HEAP;
        l->size = strtoul(block + 14, &end, 10);
        l->address = r->accesses[0].address;
        l->freed = strstr(text, "free'd") != NULL;
    } else if (local && l->kind == PF_LOCATION_UNKNOWN && strstr(text, "frame #")) {
        l->kind = PF_LOCATION_STACK;
    }
}

static void add_threads(struct helgrind_reader *r)
{
    struct pf_thread_info *kept = pf_foreign_alloc(r->f, 2 * sizeof *kept);
    for (size_t i = 0; i < r->it.naccesses; i++)
        for (size_t k = 0; k < r->threads.len; k++)
            if (r->threads.at[k].number == r->accesses[i].thread && r->it.nthreads < 2 &&
                (!r->it.nthreads || kept[0].number != r->threads.at[k].number))
                kept[r->it.nthreads++] = r->threads.at[k];
    r->it.threads = kept;
}

static void begin_error(struct helgrind_reader *r)
{
    r->accesses[0] = r->accesses[1] = (struct pf_access){0};
    r->it = (struct pf_finding){.accesses = r->accesses};
    r->race = false;
    r->description = NULL;
}

static void end_error(struct helgrind_reader *r)
{
    if (r->race) {
        add_threads(r);
        pf_foreign_add(r->f, &r->it, r->sum);
    } else {
        r->sum->skipped++;
    }
    begin_error(r); /* a damaged file may end an error that did not begin */
}

static void end_element(struct helgrind_reader *r, const char *name, const char *s, size_t n)
{
    if (is_in(r, "frame")) {
        if (!strcmp(name, "fn"))
            r->frame.function = resolve(r, s, n);
        else if (!strcmp(name, "dir"))
            r->folder = resolve(r, s, n);
        else if (!strcmp(name, "file"))
            r->frame.file = resolve(r, s, n);
        else if (!strcmp(name, "obj"))
            r->object = resolve(r, s, n);
        else if (!strcmp(name, "line"))
            r->frame.line = (uint32_t)strtoul(s, NULL, 10);
    } else if (!strcmp(name, "frame")) {
        end_frame(r);
    } else if (!strcmp(name, "stack")) {
        end_stack(r);
    } else if (is_in(r, "announcethread") && !strcmp(name, "hthreadid")) {
        pf_vec_push(&r->threads, (struct pf_thread_info){.number = thread_number(s)});
    } else if (is_in(r, "error")) {
        if (!strcmp(name, "kind"))
            r->race = n == 4 && !strncmp(s, "Race", 4);
        else if (!strcmp(name, "text") || !strcmp(name, "what") || !strcmp(name, "auxwhat"))
            read_description(r, resolve(r, s, n));
    } else if (!strcmp(name, "error")) {
        end_error(r);
    }
}

static void begin_element(struct helgrind_reader *r, const char *name)
{
    if (!strcmp(name, "error")) {
        begin_error(r);
    } else if (!strcmp(name, "stack")) {
        r->stack = (struct pf_backtrace){0};
    } else if (!strcmp(name, "frame")) {
        r->frame = (struct pf_stack_frame){0};
        r->folder = r->object = NULL;
    }
}

void pf_foreign_helgrind(struct pf_findings *f, const char *text, struct pf_foreign_summary *sum)
{
    struct helgrind_reader r = {.f = f, .sum = sum};
    const char *content = text;
    for (const char *at = text; (at = strchr(at, '<'));) {
        const char *end = strchr(at, '>');
        if (!end)
            break;
        bool closes = at[1] == '/';
        const char *s = at + 1 + closes;
        char name[NAME] = "";
        size_t n = (size_t)(end - s);
        memcpy(name, s, n < NAME ? n : NAME - 1);
        if (closes && r.depth) {
            r.depth--;
            end_element(&r, name, content, (size_t)(at - content));
        } else if (!closes && *s != '?' && *s != '!' && (n == 0 || end[-1] != '/')) {
            if (r.depth < DEPTH)
                memcpy(r.path[r.depth], name, NAME);
            r.depth++;
            begin_element(&r, name);
            content = end + 1;
        }
        at = end + 1;
    }
    pf_vec_release(&r.threads);
}
