/* foreign_tsan.c - reads ThreadSanitizer's text. A report consists of sections: a headline
 * indented by two spaces, followed by the frames of a stack. A line of "=" ends the report. */
#define _GNU_SOURCE
#include "foreign.h"
#include "vector.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOCKS = 16, MAX_THREADS = 16 };

struct report {
    struct pf_findings *f;
    struct pf_foreign_summary *sum;
    struct pf_finding it; /* its accesses are in `accesses` */
    struct pf_access accesses[2];
    struct pf_thread_info threads[MAX_THREADS];
    bool open, race;
    struct pf_backtrace *stack; /* where the following frames are stored; NULL: they are ignored */
};

/* --- one frame --- */

/* Finds " (something)" at the end of the text; returns its start, NULL if there is none. */
static char *take_note(char *s, char *end)
{
    char *open = end > s && end[-1] == ')' ? memrchr(s, '(', (size_t)(end - s)) : NULL;
    return open && open > s && open[-1] == ' ' ? open - 1 : NULL;
}

/* Splits file:line:column or file:line into its parts. */
static bool split_position(char *s, struct pf_stack_frame *p)
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

/* Parses "main /a/b.c:7:3 (prog+0x1) (BuildId: ...)". Function names and folders may contain
 * spaces. */
static void read_frame(struct report *r, const char *line, size_t n)
{
    struct pf_stack_frame p = {0};
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
    } else if (file && split_position(file + 1, &p)) {
        *file = 0;
        p.file = file + 1;
    }
    pf_foreign_add_frame(r->f, r->stack, &p);
}

/* --- headlines --- */

/* Parses "main thread" or "thread T3"; returns the number, 0 for main. */
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

/* Parses "(mutexes: write M0, read M1)". Their addresses follow later in the report: until then
 * the number is stored as the address. */
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
    struct pf_lock *kept = pf_foreign_alloc(r->f, a->nlocks * sizeof *kept);
    memcpy(kept, locks, a->nlocks * sizeof *kept);
    a->locks = kept;
}

static void read_access(struct report *r, const char *s)
{
    if (r->it.naccesses == 2) {
        r->stack = NULL;
        return;
    }
    struct pf_access *a = &r->accesses[r->it.naccesses++];
    const char *size = strstr(s, "of size "), *at = strstr(s, " at 0x"), *by = strstr(s, " by ");
    *a = (struct pf_access){.op = op_in(s),
                            .size = size ? strtoul(size + 8, NULL, 10) : 0,
                            .address = at ? strtoul(at + 4, NULL, 16) : 0,
                            .thread = by ? thread_in(by) : 0};
    read_locks(r, a, s);
    r->stack = &a->stack;
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
        r->accesses[0].variable = r->accesses[1].variable = l->name;
    } else if (!strncmp(s, "Location is heap", 16)) {
        const char *by = strstr(s, " allocated by ");
        l->kind = PF_LOCATION_HEAP;
        l->thread = by ? thread_in(by) : 0;
        r->stack = &l->stack;
    } else if (!strncmp(s, "Location is stack", 17)) {
        l->kind = PF_LOCATION_STACK;
        l->thread = thread_in(s);
    } else if (!strncmp(s, "Location is TLS", 15)) {
        l->kind = PF_LOCATION_TLS;
        l->thread = thread_in(s);
    }
}

/* Parses "Mutex M0 (0x55...) created at:" and replaces the number by the address. */
static void read_mutex(struct report *r, const char *s)
{
    uintptr_t number = strtoul(s + 7, NULL, 10);
    const char *at = strstr(s, "(0x");
    for (size_t i = 0; at && i < r->it.naccesses; i++)
        for (size_t k = 0; k < r->accesses[i].nlocks; k++) {
            struct pf_lock *l = (struct pf_lock *)&r->accesses[i].locks[k];
            if (l->address == number)
                l->address = strtoul(at + 1, NULL, 16);
        }
}

/* Parses "Thread T1 'name' (tid=1, finished) created by main thread at:". */
static void read_thread(struct report *r, const char *s)
{
    const char *tid = strstr(s, "(tid="), *by = strstr(s, "created by ");
    if (r->it.nthreads == MAX_THREADS)
        return;
    struct pf_thread_info *a = &r->threads[r->it.nthreads++];
    const char *name = strchr(s, '\'');
    *a = (struct pf_thread_info){.number = (uint32_t)strtoul(s + 8, NULL, 10),
                                 .name = name && (!tid || name < tid) ? quoted(r, s) : NULL,
                                 .tid = tid ? strtol(tid + 5, NULL, 10) : 0,
                                 .running = strstr(s, "running") != NULL,
                                 .parent = by ? thread_in(by) : 0};
    r->stack = &a->created;
}

static void read_headline(struct report *r, const char *s)
{
    r->stack = NULL;
    if (!strncmp(s, "Location is ", 12))
        read_location(r, s);
    else if (strstr(s, " of size ") && strstr(s, " at 0x") && strstr(s, " by "))
        read_access(r, s);
    else if (!strncmp(s, "Mutex M", 7))
        read_mutex(r, s);
    else if (!strncmp(s, "Thread T", 8))
        read_thread(r, s);
}

/* --- the file --- */

static void close_report(struct report *r)
{
    if (r->open && !r->race)
        r->sum->skipped++;
    if (r->open && r->race) {
        struct pf_thread_info *kept = pf_foreign_alloc(r->f, r->it.nthreads * sizeof *kept);
        memcpy(kept, r->threads, r->it.nthreads * sizeof *kept);
        r->it.threads = kept;
        pf_foreign_add(r->f, &r->it, r->sum);
    }
    r->open = false;
    r->stack = NULL;
}

static void open_report(struct report *r, const char *line)
{
    close_report(r);
    r->it = (struct pf_finding){.accesses = r->accesses};
    r->accesses[0] = r->accesses[1] = (struct pf_access){0};
    r->open = true;
    r->race = strstr(line, ": data race") || strstr(line, ": heap-use-after-free");
}

/* Removes escape sequences (colours) and trailing spaces. */
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

void pf_foreign_tsan(struct pf_findings *f, const char *text, struct pf_foreign_summary *sum)
{
    struct report r = {.f = f, .sum = sum};
    PF_VEC(char) buffer = {0};
    while (*text) {
        const char *end = strchrnul(text, '\n');
        size_t n = (size_t)(end - text);
        pf_vec_reserve(&buffer, n + 1);
        char *line = buffer.at;
        n = strip(line, text, n);
        char *s = line + strspn(line, " ");
        if (strstr(line, "WARNING: ThreadSanitizer:") || strstr(line, "WARNING: photofinish:"))
            open_report(&r, line);
        else if (!strncmp(s, "====", 4) || !strncmp(s, "SUMMARY:", 8))
            close_report(&r);
        else if (r.open && s[0] == '#' && isdigit((unsigned char)s[1]) && r.stack) {
            char *frame = strchr(s, ' ');
            if (frame)
                read_frame(&r, frame + 1, n - (size_t)(frame + 1 - line));
        } else if (r.open && s > line && *s && s[0] != '#')
            read_headline(&r, s);
        text = *end ? end + 1 : end;
    }
    close_report(&r); /* a truncated report counts if both of its stacks are there */
    pf_vec_release(&buffer);
}
