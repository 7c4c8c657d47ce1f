/* report_print.c - see report_print.h. */
#include "report_print.h"
#include "findings_log.h"
#include "limits.h"
#include "options.h"
#include "sys.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

static struct {
    char path[4096]; /* "": use the descriptor */
    int fd;
    bool started;
} out;

static void add_to_path(size_t *n, const char *s)
{
    for (; *s && *n < sizeof out.path - 1; s++)
        out.path[(*n)++] = *s;
    out.path[*n] = 0;
}

void pf_report_print_to_fd(int fd)
{
    out.path[0] = 0;
    out.fd = fd;
    out.started = false;
}

const char *pf_report_print_path(void)
{
    return out.path[0] ? out.path : out.fd == 1 ? "stdout" : "stderr";
}

void pf_report_print_open(struct pf_pool *work, pid_t pid)
{
    pf_report_print_to(work, pid, pf_options.log_path);
}

/* The file PATH.PID or PATH.PROGRAM.PID, as an absolute path, because the program may change its
 * working directory. */
void pf_report_print_to(struct pf_pool *work, pid_t pid, const char *p)
{
    size_t n = 0, room = sizeof out.path;
    pf_report_print_to_fd(pf_str_same(p, "stdout") ? 1 : 2);
    if (pf_str_same(p, "stderr") || pf_str_same(p, "stdout"))
        return;
    char *part = pf_pool_get(work, room);
    if (*p != '/' && part && pf_sys(SYS_getcwd, part, room) > 0) {
        add_to_path(&n, part);
        add_to_path(&n, "/");
    }
    add_to_path(&n, p);
    long r = pf_options.log_exe_name && part
                 ? pf_sys(SYS_readlink, "/proc/self/exe", part, room - 1)
                 : 0;
    if (r > 0) {
        part[r] = 0;
        add_to_path(&n, ".");
        add_to_path(&n, pf_str_base(part));
    }
    struct pf_text t;
    pf_text_init(&t, work);
    pf_text_char(&t, '.');
    pf_text_u64(&t, (uint64_t)pid);
    pf_text_char(&t, 0);
    if (!t.failed)
        add_to_path(&n, t.at);
    pf_pool_release(work);
}

/* The file cannot be written: prints to stderr instead, so that no finding is lost. */
static long fall_back_to_stderr(void)
{
    pf_sys_say("photofinish: ", out.path, ": cannot be written, reports go to stderr\n");
    pf_report_print_to_fd(2);
    return 2;
}

/* Prints one report with a single write, so that reports of several processes do not mix. */
void pf_report_print(const struct pf_text *t)
{
    long fd = out.fd;
    if (out.path[0])
        fd = pf_sys(SYS_open, out.path,
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (out.started ? 0 : O_TRUNC), 0666);
    if (fd < 0)
        fd = fall_back_to_stderr();
    out.started = true;
    bool failed = t->failed;
    for (size_t n = 0; !failed && n < t->n;) {
        long r = pf_sys_write((int)fd, t->at + n, t->n - n);
        failed = r <= 0 && r != -EINTR && r != -EAGAIN;
        if (r == -EAGAIN)
            pf_sys(SYS_sched_yield);
        n += r > 0 ? (size_t)r : 0;
    }
    if (failed && !pf_findings_log_is_open()) /* otherwise the log has it */
        pf_limit_hit(PF_LIMIT_FINDINGS);
    if (out.path[0])
        pf_sys(SYS_close, fd);
}

bool pf_report_print_color(void)
{
    char termios[256];
    if (!pf_str_same(pf_options.color, "auto"))
        return pf_str_same(pf_options.color, "always");
    return !pf_options.no_color && !out.path[0] && pf_sys(SYS_ioctl, out.fd, TCGETS, termios) == 0;
}
