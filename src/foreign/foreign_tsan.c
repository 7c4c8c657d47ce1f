/*
 * foreign_tsan.c - reads ThreadSanitizer's text. A report is sections, each a headline of two blanks'
 * indent and the positions of a stack under it; the end of the report is a line of "=".
 */
#define _GNU_SOURCE
#include "foreign.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOCKS = 16, MAX_ACTORS = 16 };

struct report {
    struct pf_findings *f;
    struct pf_foreign_sum *sum;
    struct pf_finding it;
    struct pf_actor actors[MAX_ACTORS];
    size_t naccesses;
    bool open, race;
    struct pf_trail *trail; /* of the section, for the positions that follow; NULL: not wanted */
};

/* --- a position --- */

/* Takes " (something)" off the end; returns where it began. */
static char *take_note(char *s, char *end)
{
    char *open = end > s && end[-1] == ')' ? memrchr(s, '(', (size_t)(end - s)) : NULL;
    return open && open > s && open[-1] == ' ' ? open - 1 : NULL;
}

/* file:line:column or file:line at the end of the name. */
static bool split_place(char *s, struct pf_place *p)
{
    uint32_t numbers[2] = {0, 0};
    int n = 0;
    for (char *colon; n < 2 && (colon = strrchr(s, ':')) && isdigit((unsigned char)colon[1]); n++) {
        char *end;
        unsigned long v = strtoul(colon + 1, &end, 10);
        if (*end)
            break;
        numbers[n] = (uint32_t)v;
        *colon = 0;
    }
    p->line = n == 2 ? numbers[1] : numbers[0];
    p->column = n == 2 ? numbers[0] : 0;
    return n > 0 && *s;
}

/* "main /a/b.c:7:3 (prog+0x1) (BuildId: ...)": functions may hold blanks, and so may folders. */
static void read_place(struct report *r, const char *line, size_t n)
{
    struct pf_place p = {0};
    char *s = pf_foreign_text(r->f, line, n), *end = s + n, *note;
    while (!p.module && (note = take_note(s, end))) {
        char *name = note + 2, *plus;
        end[-1] = 0;
        if (strncmp(name, "BuildId", 7)) {
            p.module = name;
            if ((plus = strrchr(name, '+')))
                *plus = 0;
        }
        end = note;
        *end = 0;
    }
    char *file = NULL;
    for (char *at = s; (at = strstr(at, " /")); at++)
        file = at;
    if (!file)
        file = strrchr(s, ' ');
    p.function = s;
    if (file && !strcmp(file, " <null>")) {
        *file = 0;
    } else if (file && split_place(file + 1, &p)) {
        *file = 0;
        p.file = file + 1;
    }
    pf_foreign_place(r->f, r->trail, &p);
}

/* --- headlines --- */

/* "main thread" or "thread T3"; the number, 0 for main. */
static uint32_t thread_in(const char *s)
{
    const char *at = strstr(s, "hread T");
    return at ? (uint32_t)strtoul(at + 7, NULL, 10) : 0;
}

static enum pf_op op_in(const char *s)
{
    bool atomic = strcasestr(s, "atomic ") != NULL;
    bool writes = strcasestr(s, "write of size") != NULL;
    return atomic ? (writes ? PF_OP_ATOMIC_WRITE : PF_OP_ATOMIC_READ)
                  : (writes ? PF_OP_WRITE : PF_OP_READ);
}

/* "(mutexes: write M0, read M1)": their addresses come later in the report. */
static void read_locks(struct report *r, struct pf_access *a, const char *s)
{
    struct pf_lock locks[MAX_LOCKS];
    const char *at = strstr(s, "(mutexes: ");
    for (at = at ? at + 10 : NULL; at && a->nlocks < MAX_LOCKS;) {
        const char *m = strchr(at, 'M');
        if (!m || !isdigit((unsigned char)m[1]))
            break;
        locks[a->nlocks++] = (struct pf_lock){.address = strtoul(m + 1, NULL, 10),
                                              .shared = !strncmp(at, "read", 4)};
        at = strstr(m, ", ");
        at = at ? at + 2 : NULL;
    }
    struct pf_lock *kept = pf_foreign_get(r->f, a->nlocks * sizeof *kept);
    memcpy(kept, locks, a->nlocks * sizeof *kept);
    a->locks = kept;
}

static void read_access(struct report *r, const char *s)
{
    if (r->naccesses == 2) {
        r->trail = NULL;
        return;
    }
    struct pf_access *a = &r->it.access[r->naccesses++];
    const char *size = strstr(s, "of size "), *at = strstr(s, " at 0x"), *by = strstr(s, " by ");
    *a = (struct pf_access){.op = op_in(s),
                            .size = size ? strtoul(size + 8, NULL, 10) : 0,
                            .address = at ? strtoul(at + 4, NULL, 16) : 0,
                            .thread = by ? thread_in(by) : 0};
    read_locks(r, a, s);
    r->trail = &a->trail;
}

static const char *quoted(struct report *r, const char *s)
{
    const char *open = strchr(s, '\''), *end = open ? strchr(open + 1, '\'') : NULL;
    return end ? pf_foreign_text(r->f, open + 1, (size_t)(end - open - 1)) : NULL;
}

static void read_location(struct report *r, const char *s)
{
    struct pf_location *l = &r->it.location;
    const char *size = strstr(s, "of size "), *at = strstr(s, " at 0x");
    l->size = size ? strtoul(size + 8, NULL, 10) : 0;
    l->address = at ? strtoul(at + 4, NULL, 16) : 0;
    if (!strncmp(s, "Location is global", 18)) {
        l->kind = PF_LOCATION_GLOBAL;
        l->name = quoted(r, s);
        r->it.access[0].variable = r->it.access[1].variable = l->name;
    } else if (!strncmp(s, "Location is heap", 16)) {
        const char *by = strstr(s, " allocated by ");
        l->kind = PF_LOCATION_HEAP;
        l->thread = by ? thread_in(by) : 0;
        r->trail = &l->trail;
    } else if (!strncmp(s, "Location is stack", 17)) {
        l->kind = PF_LOCATION_STACK;
        l->thread = thread_in(s);
    } else if (!strncmp(s, "Location is TLS", 15)) {
        l->kind = PF_LOCATION_TLS;
        l->thread = thread_in(s);
    }
}

/* "Mutex M0 (0x55...) created at:": the number becomes the address. */
static void read_mutex(struct report *r, const char *s)
{
    uintptr_t number = strtoul(s + 7, NULL, 10);
    const char *at = strstr(s, "(0x");
    for (size_t i = 0; at && i < 2; i++)
        for (size_t k = 0; k < r->it.access[i].nlocks; k++) {
            struct pf_lock *l = (struct pf_lock *)&r->it.access[i].locks[k];
            if (l->address == number)
                l->address = strtoul(at + 1, NULL, 16);
        }
}

/* "Thread T1 'name' (tid=1, finished) created by main thread at:" */
static void read_actor(struct report *r, const char *s)
{
    const char *tid = strstr(s, "(tid="), *by = strstr(s, "created by ");
    if (r->it.nactors == MAX_ACTORS)
        return;
    struct pf_actor *a = &r->actors[r->it.nactors++];
    const char *name = strchr(s, '\'');
    *a = (struct pf_actor){.number = (uint32_t)strtoul(s + 8, NULL, 10),
                           .name = name && (!tid || name < tid) ? quoted(r, s) : NULL,
                           .tid = tid ? strtol(tid + 5, NULL, 10) : 0,
                           .running = strstr(s, "running") != NULL,
                           .parent = by ? thread_in(by) : 0};
    r->trail = &a->created;
}

static void read_headline(struct report *r, const char *s)
{
    r->trail = NULL;
    if (!strncmp(s, "Location is ", 12))
        read_location(r, s);
    else if (strstr(s, " of size ") && strstr(s, " at 0x") && strstr(s, " by "))
        read_access(r, s);
    else if (!strncmp(s, "Mutex M", 7))
        read_mutex(r, s);
    else if (!strncmp(s, "Thread T", 8))
        read_actor(r, s);
}

/* --- the file --- */

static void close_report(struct report *r)
{
    if (r->open && !r->race)
        r->sum->skipped++;
    if (r->open && r->race) {
        struct pf_actor *kept = pf_foreign_get(r->f, r->it.nactors * sizeof *kept);
        memcpy(kept, r->actors, r->it.nactors * sizeof *kept);
        r->it.actors = kept;
        pf_foreign_add(r->f, &r->it, r->sum);
    }
    r->open = false;
    r->trail = NULL;
}

static void open_report(struct report *r, const char *line)
{
    close_report(r);
    r->it = (struct pf_finding){0};
    r->naccesses = 0;
    r->open = true;
    r->race = strstr(line, ": data race") || strstr(line, ": heap-use-after-free");
}

/* Colours come in escape sequences: they go. */
static size_t strip(char *to, const char *from, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (from[i] == '\033') {
            while (i < n && !isalpha((unsigned char)from[i]))
                i++;
            continue;
        }
        to[kept++] = from[i];
    }
    while (kept && isspace((unsigned char)to[kept - 1]))
        kept--;
    to[kept] = 0;
    return kept;
}

void pf_foreign_tsan(struct pf_findings *f, const char *text, struct pf_foreign_sum *sum)
{
    struct report r = {.f = f, .sum = sum};
    char *line = NULL;
    size_t cap = 0;
    while (*text) {
        const char *end = strchrnul(text, '\n');
        size_t n = (size_t)(end - text);
        if (n + 1 > cap) {
            char *more = realloc(line, cap = 2 * (n + 1));
            if (!more)
                break;
            line = more;
        }
        n = strip(line, text, n);
        char *s = line + strspn(line, " ");
        if (strstr(line, "WARNING: ThreadSanitizer:") || strstr(line, "WARNING: photofinish:"))
            open_report(&r, line);
        else if (!strncmp(s, "====", 4) || !strncmp(s, "SUMMARY:", 8))
            close_report(&r);
        else if (r.open && s[0] == '#' && isdigit((unsigned char)s[1]) && r.trail) {
            char *place = strchr(s, ' ');
            if (place)
                read_place(&r, place + 1, n - (size_t)(place + 1 - line));
        } else if (r.open && s > line && *s && s[0] != '#')
            read_headline(&r, s);
        text = *end ? end + 1 : end;
    }
    close_report(&r); /* a report that is cut: its two stacks decide */
    free(line);
}
