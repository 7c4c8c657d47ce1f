/*
 * symbolizer.c - see symbolizer.h.
 *
 * The symbolizer is a grandchild: the program must not find it when it waits for its own children.
 * The descriptor of its socket has a high number, because programs rely on getting low ones. The
 * child of a fork starts a symbolizer of its own.
 */
#define _GNU_SOURCE
#include "symbolizer.h"
#include "options.h"
#include "spin.h"
#include "store.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ANSWER 8192 /* bytes; after a longer answer the symbolizer is not used any more */
#define PATH 1024 /* bytes */
#define INLINED 16 /* positions of one instruction; further ones are left out */

static struct {
    struct pf_spin lock;
    long pid; /* of the process that started it; 0: not started, -1: there is none */
    int fd;
    char answer[ANSWER];
    char program[PATH];
} symbolizer;

/* The lock is not taken around fork: its holder may wait for the dynamic linker, whose lock the
 * thread that forks may hold. */
void pf_symbolizer_forked(void)
{
    symbolizer.lock.taken = 0;
    symbolizer.pid = 0;
}

static char *copy_text(const char *s, size_t n)
{
    char *c = pf_store_alloc_permanent(n + 1);
    if (c)
        pf_copy(c, s, n);
    return c;
}

/* --- the process --- */

static int high(int fd)
{
    long r = pf_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, PF_OWN_FDS);
    if (r < 0)
        return fd;
    pf_sys(SYS_close, fd);
    return (int)r;
}

static const char *find_program(void)
{
    static const char *const paths[] = {"/usr/bin/llvm-symbolizer-19", "/usr/bin/llvm-symbolizer",
                                        "/usr/lib/llvm-19/bin/llvm-symbolizer",
                                        "/usr/local/bin/llvm-symbolizer"};
    if (pf_options.external_symbolizer_path[0])
        return pf_options.external_symbolizer_path;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (pf_sys(SYS_access, paths[i], 1) == 0)
            return paths[i];
    return NULL;
}

/* In a child process: starts the symbolizer as a grandchild. */
static void run_program(const char *program, int fd)
{
    static const char *const arguments[] = {"llvm-symbolizer", "--demangle", "--inlines", NULL};
    static const char *const environment[] = {NULL};
    if (pf_sys(SYS_fork) == 0) {
        pf_sys(SYS_dup2, fd, 0);
        pf_sys(SYS_dup2, fd, 1);
        pf_sys(SYS_close_range, 3, ~0u, 0);
        pf_sys(SYS_setsid);
        pf_sys(SYS_execve, program, arguments, environment);
    }
    pf_sys(SYS_exit_group, 0);
}

static bool start(void)
{
    long me = pf_sys(SYS_getpid);
    if (symbolizer.pid == me || symbolizer.pid == -1)
        return symbolizer.pid == me;
    symbolizer.pid = -1;
    const char *program = find_program();
    int ends[2], status;
    if (!program || pf_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return false;
    uint64_t all = ~0ull, old;
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
    long child = pf_sys(SYS_fork);
    if (child == 0)
        run_program(program, ends[1]);
    if (child > 0)
        while (pf_sys(SYS_wait4, child, &status, __WALL, 0) == -EINTR)
            ;
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    pf_sys(SYS_close, ends[1]);
    symbolizer.fd = high(ends[0]);
    symbolizer.pid = child > 0 ? me : -1;
    return child > 0;
}

/* Sends KIND "object" 0xoffset, and receives the answer up to the empty line at its end. NULL:
 * there is none. */
static const char *ask(const char *kind, const char *object, uintptr_t offset)
{
    static char question[PATH + 64];
    static const char digits[] = "0123456789abcdef";
    size_t n = 0, done = 0;
    for (const char *s = kind; *s; s++)
        question[n++] = *s;
    question[n++] = ' ';
    question[n++] = '"';
    for (const char *s = object; *s && n < PATH; s++)
        question[n++] = *s;
    for (const char *s = "\" 0x"; *s; s++)
        question[n++] = *s;
    for (int shift = 44; shift >= 0; shift -= 4)
        question[n++] = digits[offset >> shift & 15];
    question[n++] = '\n';
    if (!start() || pf_sys(SYS_sendto, symbolizer.fd, question, n, MSG_NOSIGNAL, 0, 0) != (long)n)
        return NULL;
    for (;;) {
        long r = pf_sys(SYS_read, symbolizer.fd, symbolizer.answer + done, ANSWER - 1 - done);
        if (r == -EINTR)
            continue;
        if (r <= 0 || done + (size_t)r == ANSWER - 1) {
            symbolizer.pid = -1;
            return NULL;
        }
        done += (size_t)r;
        symbolizer.answer[done] = 0;
        if (done >= 2 && symbolizer.answer[done - 1] == '\n' && symbolizer.answer[done - 2] == '\n')
            return symbolizer.answer;
    }
}

/* --- objects --- */

/* The path of the object that contains addr, and the offset of addr in it; NULL: none. */
static const char *object_of(uintptr_t addr, uintptr_t *offset)
{
    struct dl_find_object o;
    if (_dl_find_object((void *)addr, &o))
        return NULL;
    *offset = addr - o.dlfo_link_map->l_addr;
    if (o.dlfo_link_map->l_name[0])
        return o.dlfo_link_map->l_name;
    if (!symbolizer.program[0]) {
        long n = pf_sys(SYS_readlink, "/proc/self/exe", symbolizer.program, PATH - 1);
        symbolizer.program[n > 0 ? n : 0] = 0;
    }
    return symbolizer.program;
}

/* Frames of these objects are left out, because they call main and the functions of threads. Their
 * variables have no names. */
static bool is_hidden(const char *object)
{
    static const char *const names[] = {"libc.so",  "ld-linux", "libpthread.",
                                        "libpf_rt", "libtsan.", "libclang_rt.tsan"};
    const char *base = pf_str_base(object);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pf_str_starts(base, names[i]))
            return true;
    return false;
}

/* --- answers --- */

/* Returns the next line of *s and moves *s behind it; *n: the length of the line. */
static const char *next_line(const char **s, size_t *n)
{
    const char *line = *s;
    for (*n = 0; line[*n] && line[*n] != '\n';)
        ++*n;
    *s = line + *n + (line[*n] == '\n');
    return line;
}

static uint32_t number(const char *s, size_t n)
{
    uint32_t v = 0;
    for (size_t i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++)
        v = v * 10 + (uint32_t)(s[i] - '0');
    return v;
}

/* "file:line:column" or "file:line" */
static void read_position(const char *s, size_t n, unsigned numbers, struct pf_position *p)
{
    uint32_t found[2] = {0};
    for (unsigned i = 0; i < numbers; i++) {
        size_t k = n;
        while (k && s[k - 1] != ':')
            k--;
        if (!k)
            return;
        found[1] = found[0];
        found[0] = number(s + k, n - k);
        n = k - 1;
    }
    if (n == 2 && s[0] == '?')
        return;
    p->file = copy_text(s, n);
    p->line = found[0];
    p->column = found[1];
}

static const char *unknown_name(const char *object, uintptr_t offset)
{
    const char *base = pf_str_base(object);
    size_t n = pf_str_len(base);
    char *name = pf_store_alloc_permanent(n + 24), *at = name;
    if (!name)
        return "??";
    pf_copy(at, base, n);
    at += n;
    pf_copy(at, "+0x", 3);
    at += 3;
    int shift = 60;
    while (shift && !(offset >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[offset >> shift & 15];
    return name;
}

const struct pf_position *pf_symbolize_code(uintptr_t pc, uint32_t *n)
{
    static const struct pf_position none;
    struct pf_position found[INLINED];
    uintptr_t offset = 0;
    pf_spin_lock(&symbolizer.lock);
    const char *object = pc > 1 ? object_of(pc - 1, &offset) : NULL;
    *n = 0;
    const char *answer = object && !is_hidden(object) ? ask("CODE", object, offset) : NULL;
    while (answer && *answer && *answer != '\n' && *n < INLINED) {
        size_t length;
        const char *name = next_line(&answer, &length);
        struct pf_position *p = &found[*n];
        *p = (struct pf_position){0};
        if (length != 2 || name[0] != '?')
            p->func = copy_text(name, length);
        const char *position = next_line(&answer, &length);
        read_position(position, length, 2, p);
        if (!p->func)
            p->func = unknown_name(object, offset);
        ++*n;
    }
    if (!*n && object && !is_hidden(object))
        found[(*n)++] = (struct pf_position){.func = unknown_name(object, offset)};
    struct pf_position *at = *n ? pf_store_alloc_permanent(*n * sizeof *at) : NULL;
    if (at)
        pf_copy(at, found, *n * sizeof *at);
    else
        *n = 0;
    pf_spin_unlock(&symbolizer.lock);
    return at ? at : &none;
}

bool pf_symbolize_data(uintptr_t addr, struct pf_global *out)
{
    uintptr_t offset = 0;
    pf_spin_lock(&symbolizer.lock);
    const char *object = object_of(addr, &offset);
    const char *answer = object && !is_hidden(object) ? ask("DATA", object, offset) : NULL;
    size_t length = 0;
    const char *name = answer ? next_line(&answer, &length) : NULL;
    bool known = name && !(length == 2 && name[0] == '?');
    if (known) {
        *out = (struct pf_global){.name = copy_text(name, length)};
        const char *range = next_line(&answer, &length); /* "start size" */
        uintptr_t start = number(range, length);
        while (length && *range != ' ')
            range++, length--;
        out->size = length ? number(range + 1, length - 1) : 0;
        out->addr = addr - (offset - start);
        if (*answer && *answer != '\n') {
            const char *position = next_line(&answer, &length);
            struct pf_position p = {0};
            read_position(position, length, 1, &p);
            out->file = p.file;
            out->line = p.line;
        }
        known = out->name && out->size && offset - start < out->size;
    }
    pf_spin_unlock(&symbolizer.lock);
    return known;
}
