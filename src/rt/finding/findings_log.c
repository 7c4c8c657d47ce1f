/* findings_log.c - see findings_log.h. */
#include "findings_log.h"
#include "file_text.h"
#include "finding_json.h"
#include "limits.h"
#include "options.h"
#include "pf_abi.h"
#include "rt.h"
#include "suppress.h"
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define LOG_VERSION 1 /* docs/format/findings-log.md */

static struct {
    char path[4096];
    int fd; /* -1: open the file by name */
    dev_t dev;
    ino_t ino;
    bool open;
} out;

static struct pf_pool pool;
static const struct pf_suppressions *active; /* the suppressions of this process */

/* Used when the target has limited its memory (RLIMIT_AS): enough for the report and the log line
 * of one finding. */
#define RESERVE_BLOCKS 6
#define RESERVE_BLOCK (72u << 10) /* a chunk of a pool */
static char reserve[RESERVE_BLOCKS][RESERVE_BLOCK] __attribute__((aligned(64)));
static bool reserve_used[RESERVE_BLOCKS];

void *pf_report_map(size_t size)
{
    void *at = pf_sys_map(NULL, size);
    for (int i = 0; !at && size <= RESERVE_BLOCK && i < RESERVE_BLOCKS; i++)
        if (!__atomic_exchange_n(&reserve_used[i], true, __ATOMIC_ACQUIRE)) {
            at = reserve[i];
            pf_zero(at, size);
        }
    return at;
}

void pf_report_unmap(void *at, size_t size)
{
    uintptr_t offset = (uintptr_t)at - (uintptr_t)reserve;
    if (offset < sizeof reserve)
        __atomic_store_n(&reserve_used[offset / RESERVE_BLOCK], false, __ATOMIC_RELEASE);
    else
        pf_sys(SYS_munmap, at, size);
}

/* True if fd still refers to the log file. */
static bool is_ours(long fd)
{
    struct stat s;
    return fd >= 0 && pf_sys(SYS_fstat, fd, &s) == 0 && s.st_dev == out.dev && s.st_ino == out.ino;
}

static bool write_all(long fd, const char *s, size_t n)
{
    while (n) {
        long r = pf_sys_write(fd, s, n);
        if (r == -EINTR)
            continue;
        if (r <= 0)
            return false;
        s += r;
        n -= (size_t)r;
    }
    return true;
}

static void write_line(struct pf_text *t)
{
    pf_text_char(t, '\n');
    long fd =
        is_ours(out.fd) ? out.fd : pf_sys(SYS_open, out.path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (t->failed || fd < 0 || !write_all(fd, t->at, t->n))
        pf_limit_hit(PF_LIMIT_FINDINGS);
    if (fd >= 0 && fd != out.fd)
        pf_sys(SYS_close, fd);
    pf_pool_release(&pool);
}

static struct pf_text start_line(const char *type)
{
    struct pf_text t;
    pf_text_init(&t, &pool);
    pf_text_char(&t, '{');
    pf_json_str(&t, "type", type);
    return t;
}

/* The arguments of the process as a JSON array, from /proc/self/cmdline. */
static void add_command(struct pf_text *t)
{
    size_t n = 0;
    char *args = pf_file_text(&pool, "/proc/self/cmdline", &n);
    pf_json_key(t, "command");
    pf_text_char(t, '[');
    for (size_t i = 0; args && i < n;) {
        size_t len = pf_str_len(args + i);
        if (i)
            pf_text_char(t, ',');
        pf_text_json_bytes(t, args + i, len);
        i += len + 1;
    }
    pf_text_char(t, ']');
}

/* The start time of the process, field 22 of /proc/self/stat: with the pid it distinguishes this
 * process from a later one. */
static uint64_t start_ticks(void)
{
    size_t n = 0;
    char *s = pf_file_text(&pool, "/proc/self/stat", &n), *end = s;
    for (size_t i = 0; s && i < n; i++)
        if (s[i] == ')') /* the name may contain blanks and parentheses: use the last one */
            end = s + i;
    int field = 2;
    while (end && *end && field < 22)
        field += *end++ == ' ';
    uint64_t v = 0;
    while (end && *end >= '0' && *end <= '9')
        v = v * 10 + (uint64_t)(*end++ - '0');
    return v;
}

static void add_suppressions(struct pf_text *t)
{
    bool first = true;
    pf_json_key(t, "suppressions");
    pf_text_char(t, '[');
    for (const struct pf_suppression *s = active ? active->first : NULL; s; s = s->next) {
        pf_text_add(t, first ? "" : ",");
        pf_text_json(t, s->line);
        first = false;
    }
    pf_text_char(t, ']');
}

static void write_start(uint64_t time)
{
    struct pf_text t = start_line("start");
    pf_json_num(&t, "version", LOG_VERSION);
    pf_json_str(&t, "tool", "photofinish");
    pf_json_num(&t, "abi", PF_ABI_VERSION);
    pf_json_str(&t, "run", pf_options.run);
    pf_json_num(&t, "pid", (uint64_t)pf_sys(SYS_getpid));
    pf_json_num(&t, "parent", (uint64_t)pf_sys(SYS_getppid));
    pf_json_num(&t, "time", time);
    pf_json_num(&t, "ticks", start_ticks());
    pf_json_num(&t, "exitcode", (uint64_t)pf_options.exitcode);
    pf_json_bool(&t, "report_bugs", pf_options.report_bugs);
    pf_json_bool(&t, "report_atomic_races", pf_options.report_atomic_races);
    add_suppressions(&t);
    add_command(&t);
    pf_text_char(&t, '}');
    write_line(&t);
}

/* Creates the log file. Returns false, with nothing changed, if that fails. */
static bool create(uint64_t time)
{
    struct pf_text t;
    struct stat s;
    pf_text_init(&t, &pool);
    pf_text_add(&t, pf_options.log_dir);
    pf_text_char(&t, '/');
    pf_text_u64(&t, (uint64_t)pf_sys(SYS_getpid));
    pf_text_char(&t, '.');
    pf_text_u64(&t, time);
    pf_text_add(&t, ".pflog");
    pf_text_char(&t, 0);
    long fd =
        t.failed || t.n > sizeof out.path
            ? -1
            : pf_sys(SYS_open, t.at, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || pf_sys(SYS_fstat, fd, &s))
        return false;
    /* pf run must be able to read it, even if the program has set another umask since its start */
    pf_sys(SYS_fchmod, fd, (0666 & ~pf_rt.umask) | 0600);
    pf_bytes_copy(out.path, t.at, t.n);
    out.dev = s.st_dev;
    out.ino = s.st_ino;
    out.open = true;
    out.fd = (int)pf_sys_move_fd(fd);
    return true;
}

void pf_findings_log_open(const struct pf_suppressions *suppressions)
{
    active = suppressions;
    if (!pf_options.log_dir || !*pf_options.log_dir)
        return;
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    uint64_t time = pf_sys_clock(CLOCK_REALTIME);
    if (create(time))
        write_start(time);
    else
        pf_limit_hit(PF_LIMIT_FINDINGS);
    pf_pool_release(&pool);
}

void pf_findings_log_fork(void)
{
    if (!out.open)
        return;
    pf_pool_init(&pool, pf_report_map, pf_report_unmap); /* another thread may have been using it */
    int old = is_ours(out.fd) ? out.fd : -1;
    uint64_t time = pf_sys_clock(CLOCK_REALTIME);
    if (create(time)) {
        write_start(time);
    } else { /* at least the parent's log can say so */
        struct pf_text t = start_line("lost");
        pf_json_num(&t, "pid", (uint64_t)pf_sys(SYS_getpid));
        pf_text_char(&t, '}');
        write_line(&t);
        pf_limit_hit(PF_LIMIT_FINDINGS);
        out.open = false;
        out.fd = -1;
    }
    if (old >= 0)
        pf_sys(SYS_close, old);
    pf_pool_release(&pool);
}

bool pf_findings_log_is_open(void) { return out.open; }

void pf_findings_log_finding(const struct pf_finding *f)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("finding");
    pf_json_key(&t, "finding");
    pf_finding_json(&t, f);
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_object(const char *path)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("object");
    pf_json_str(&t, "path", path);
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_count(uint64_t id, uint64_t count)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("count");
    pf_json_key(&t, "id");
    pf_text_char(&t, '"');
    pf_text_hex(&t, id, 16);
    pf_text_char(&t, '"');
    pf_json_num(&t, "count", count);
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_child_died(pid_t child, int signal)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("died");
    pf_json_num(&t, "pid", (uint64_t)child);
    pf_json_num(&t, "signal", (uint64_t)signal);
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_note(const char *const *parts, size_t n)
{
    if (!out.open)
        return;
    struct pf_text whole;
    pf_text_init(&whole, &pool);
    for (size_t i = 0; i < n; i++)
        pf_text_add(&whole, parts[i]);
    struct pf_text t = start_line("note");
    pf_json_key(&t, "text");
    pf_text_json_bytes(&t, whole.at, whole.n);
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_end(const struct pf_process_end *e)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("end");
    pf_json_str(&t, "how", e->how);
    if (e->status >= 0)
        pf_json_num(&t, "status", (uint64_t)e->status);
    if (e->signal)
        pf_json_num(&t, "signal", (uint64_t)e->signal);
    pf_json_num(&t, "findings", e->findings);
    pf_json_num(&t, "suppressed", e->suppressed);
    pf_json_key(&t, "limits");
    pf_text_char(&t, '{');
    for (int i = 0; i < PF_LIMITS; i++)
        if (pf_limit_count[i])
            pf_json_num(&t, pf_limit_count[i] == 1 ? pf_limit_text[i].one : pf_limit_text[i].many,
                        pf_limit_count[i]);
    pf_text_char(&t, '}');
    if (e->waited_ms)
        pf_json_num(&t, "waited_ms", e->waited_ms);
    if (e->sample) {
        pf_json_key(&t, "sample");
        pf_text_char(&t, '{');
        pf_json_num(&t, "pairs", e->sample->pairs);
        pf_json_num(&t, "frequent", e->sample->frequent);
        pf_text_char(&t, '}');
    }
    if (e->failure) {
        pf_json_key(&t, "failure");
        pf_finding_json(&t, e->failure);
    }
    pf_text_char(&t, '}');
    write_line(&t);
}

void pf_findings_log_resume(void)
{
    if (!out.open)
        return;
    struct pf_text t = start_line("resume");
    pf_text_char(&t, '}');
    write_line(&t);
}
