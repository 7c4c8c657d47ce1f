/* crash_report.c - see crash_report.h. */
#include "crash_report.h"
#include "file_text.h"
#include "finding_text.h"
#include "findings_log.h"
#include "options.h"
#include "report_print.h"
#include "reporter.h"
#include "stack.h"
#include "sys.h"

#define FRAMES_MAX 256 /* of the stack of a crash */

const char *pf_crash_signal(int number, const char **meaning)
{
    static const struct {
        int number;
        const char *name, *meaning;
    } signals[] = {
        {SIGSEGV, "SIGSEGV", "invalid memory reference"},
        {SIGBUS, "SIGBUS", "invalid memory reference"},
        {SIGFPE, "SIGFPE", "arithmetic error"},
        {SIGILL, "SIGILL", "illegal instruction"},
        {SIGTRAP, "SIGTRAP", "trap"},
        {SIGABRT, "SIGABRT", "abort"},
        {SIGPIPE, "SIGPIPE", "write to a pipe that nobody reads"},
        {SIGXFSZ, "SIGXFSZ", "file too large"},
    };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number) {
            *meaning = signals[i].meaning;
            return signals[i].name;
        }
    *meaning = NULL;
    return "signal";
}

struct crash_frames {
    struct pf_stack_frame at[FRAMES_MAX];
    size_t n;
};

/* Strings stay where they are: the process is about to end. */
static bool add_frame(const struct pf_position *p, void *arg)
{
    struct crash_frames *w = arg;
    if (w->n == FRAMES_MAX)
        return false;
    w->at[w->n++] = (struct pf_stack_frame){.function = p->func,
                                            .file = p->file,
                                            .line = p->line,
                                            .column = p->column,
                                            .first_line = p->func_line};
    return true;
}

/* The object that contains an address of code. */
struct code_object {
    char path[4096];
    const char *base; /* its name in `path`; NULL: there is no object */
    uintptr_t offset; /* of the address, in the file */
};

/* Finds it in the lines "lo-hi rwxp offset dev inode path" of /proc/self/maps. */
static void find_object(struct code_object *o, const char *maps, uintptr_t pc)
{
    o->base = NULL;
    for (const char *s = maps; s && *s;) {
        uintptr_t lo = pf_maps_hex(&s);
        s += *s == '-';
        uintptr_t hi = pf_maps_hex(&s);
        s += pf_str_len(" r-xp ");
        uintptr_t offset = pf_maps_hex(&s);
        const char *end = s;
        bool inside = pc >= lo && pc < hi;
        size_t n = 0;
        for (; *end && *end != '\n'; end++) {
            if (!inside || (!n && *end != '/') || n == sizeof o->path - 1)
                continue;
            o->path[n++] = *end;
            if (*end == '/')
                o->base = o->path + n;
        }
        o->path[n] = 0;
        o->offset = pc - lo + offset;
        if (inside)
            return;
        s = end + (*end == '\n');
    }
}

static void add_pc(struct pf_text *t, const struct code_object *o)
{
    if (!o->base)
        return;
    pf_text_add(t, " at ");
    pf_text_add(t, o->base);
    pf_text_add(t, "+0x");
    pf_text_hex(t, o->offset, 1);
}

void pf_crash_set_line(const struct pf_source_line *at, struct pf_stack_frame *top)
{
    if (!top->file || !pf_str_same(at->file, pf_str_base(top->file)))
        return;
    top->line = at->line;
    top->column = at->column;
}

static void add_place(struct pf_text *t, const struct pf_stack_frame *p)
{
    if (p->file) {
        pf_text_char(t, ' ');
        pf_text_name(t, p->file);
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
    }
    pf_text_add(t, " in ");
    pf_text_name(t, p->function ? p->function : "??");
}

static void add_thread(struct pf_text *t, const struct pf_thread *thread)
{
    pf_text_add(t, !thread           ? " in an unregistered thread"
                   : !thread->number ? " in main thread"
                                     : " in thread T");
    if (thread && thread->number)
        pf_text_u64(t, thread->number);
    if (thread && thread->name[0]) {
        pf_text_add(t, " '");
        pf_text_name(t, thread->name);
        pf_text_char(t, '\'');
    }
}

/* Prints the report. thread: NULL if it is unregistered. */
static void print(const struct pf_thread *thread, int number, const siginfo_t *info,
                  const struct code_object *object, const struct pf_source_line *line)
{
    static struct crash_frames frames; /* too large for a stack; one crash at a time */
    struct pf_pool pool;
    struct pf_text t;
    const char *meaning, *name = pf_crash_signal(number, &meaning);
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    struct pf_text_style style = {.color = pf_report_print_color(),
                                  .strip_prefix = pf_options.strip_path_prefix};
    frames.n = 0;
    if (thread)
        pf_stack_walk_live(thread, add_frame, &frames);
    if (frames.n && line)
        pf_crash_set_line(line, &frames.at[0]);
    struct pf_backtrace stack = {frames.at, frames.n};
    pf_text_init(&t, &pool);
    pf_text_add(&t, "==================\nERROR: photofinish: ");
    pf_text_add(&t, name);
    if (number != SIGABRT && info->si_code > 0) {
        pf_text_add(&t, number == SIGSEGV || number == SIGBUS ? " on address 0x" : " at 0x");
        pf_text_hex(&t, (uintptr_t)info->si_addr, 1);
    }
    add_thread(&t, thread);
    add_pc(&t, object);
    pf_text_add(&t, " (pid=");
    pf_text_u64(&t, (uint64_t)pf_sys(SYS_getpid));
    pf_text_add(&t, ")\n");
    pf_backtrace_text(&t, &stack, &style);
    if (pf_options.print_summary) {
        const struct pf_stack_frame *p = pf_backtrace_source(&stack);
        pf_text_add(&t, "SUMMARY: photofinish: ");
        pf_text_add(&t, name);
        if (p)
            add_place(&t, p);
        pf_text_char(&t, '\n');
    }
    pf_text_add(&t, "==================\n");
    pf_report_print(&t);
    pf_pool_release(&pool);
}

void pf_crash_report(const struct pf_thread *thread, int number, const siginfo_t *info,
                     uintptr_t pc)
{
    static struct code_object object; /* too large for a stack */
    static struct pf_source_line line;
    struct pf_pool pool;
    size_t n;
    bool assertion = number == SIGABRT && pf_failed_assertion;
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    find_object(&object, pf_file_text(&pool, "/proc/self/maps", &n), pc);
    pf_pool_release(&pool);
    bool known = object.base && pf_line_table_find(object.path, object.offset, &line);
    if (!pf_options.quiet)
        print(thread, number, info, &object, known ? &line : NULL);
    pf_crash_found(&(struct pf_failure){.kind = assertion ? PF_FAILURE_ASSERTION : PF_FAILURE_CRASH,
                                        .signal = number,
                                        .assertion = pf_failed_assertion,
                                        .line = known ? &line : NULL,
                                        .n = thread != NULL,
                                        .at[0].t = thread});
}
