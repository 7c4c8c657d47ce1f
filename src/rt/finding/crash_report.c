/* crash_report.c - see crash_report.h. */
#include "crash_report.h"
#include "finding_text.h"
#include "options.h"
#include "race.h"
#include "race_build.h"
#include "race_log.h"
#include "race_print.h"
#include "stack.h"
#include "sys.h"

#define FRAMES_MAX 256

static const char *name_of(int number)
{
    switch (number) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "SIGABRT";
    }
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

static uintptr_t parse_hex(const char **s)
{
    uintptr_t v = 0;
    for (;; ++*s) {
        char c = **s;
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
        if (digit >= 16)
            return v;
        v = v << 4 | digit;
    }
}

/* " (prog+0x1234)": the object that contains pc, from the lines "lo-hi rwxp offset dev inode path"
 * of /proc/self/maps. */
static void add_pc(struct pf_text *t, const char *maps, uintptr_t pc)
{
    for (const char *s = maps; s && *s;) {
        uintptr_t lo = parse_hex(&s);
        s += *s == '-';
        uintptr_t hi = parse_hex(&s);
        s += pf_str_len(" r-xp ");
        uintptr_t offset = parse_hex(&s);
        const char *end = s, *base = NULL;
        for (; *end && *end != '\n'; end++)
            if (*end == '/')
                base = end + 1;
        if (pc >= lo && pc < hi && base) {
            pf_text_add(t, " at ");
            pf_text_bytes(t, base, (size_t)(end - base));
            pf_text_add(t, "+0x");
            pf_text_hex(t, pc - lo + offset, 1);
            return;
        }
        s = end + (*end == '\n');
    }
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

static void print(const struct pf_thread *thread, int number, const siginfo_t *info, uintptr_t pc)
{
    static struct crash_frames frames; /* too large for a stack; one crash at a time */
    struct pf_pool pool;
    struct pf_text t;
    size_t n;
    pf_pool_init(&pool, pf_race_map, pf_race_unmap);
    struct pf_text_style style = {.color = pf_race_print_color(),
                                  .strip_prefix = pf_options.strip_path_prefix};
    const char *maps = pf_proc_read(&pool, "/proc/self/maps", &n);
    frames.n = 0;
    if (thread)
        pf_stack_walk_live(thread, add_frame, &frames);
    struct pf_backtrace stack = {frames.at, frames.n};
    pf_text_init(&t, &pool);
    pf_text_add(&t, "==================\nERROR: photofinish: ");
    pf_text_add(&t, name_of(number));
    if (number != SIGABRT && info->si_code > 0) {
        pf_text_add(&t, number == SIGSEGV || number == SIGBUS ? " on address 0x" : " at 0x");
        pf_text_hex(&t, (uintptr_t)info->si_addr, 1);
    }
    add_thread(&t, thread);
    add_pc(&t, maps, pc);
    pf_text_add(&t, " (pid=");
    pf_text_u64(&t, (uint64_t)pf_sys(SYS_getpid));
    pf_text_add(&t, ")\n");
    pf_backtrace_text(&t, &stack, &style);
    if (pf_options.print_summary) {
        const struct pf_stack_frame *p = pf_backtrace_source(&stack);
        pf_text_add(&t, "SUMMARY: photofinish: ");
        pf_text_add(&t, name_of(number));
        if (p)
            add_place(&t, p);
        pf_text_char(&t, '\n');
    }
    pf_text_add(&t, "==================\n");
    pf_race_print(&t);
    pf_pool_release(&pool);
}

void pf_crash_report(const struct pf_thread *thread, int number, const siginfo_t *info,
                     uintptr_t pc)
{
    bool assertion = number == SIGABRT && pf_failed_assertion;
    if (!pf_options.quiet)
        print(thread, number, info, pc);
    pf_crash_found(&(struct pf_failure){.kind = assertion ? PF_FAILURE_ASSERTION : PF_FAILURE_CRASH,
                                        .signal = number,
                                        .assertion = pf_failed_assertion,
                                        .n = thread != NULL,
                                        .at[0].t = thread});
}
