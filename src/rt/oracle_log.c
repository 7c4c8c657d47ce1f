/*
 * oracle_log.c - see oracle_log.h.
 */
#include "oracle_log.h"
#include "rt.h"
#include "spin.h"
#include "sys.h"
#include <fcntl.h>

static struct pf_spin lock;
static int fd = -1;
static char buffer[1 << 16];
static size_t used;

void pf_oracle_open(const char *path)
{
    fd = (int)pf_sys(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    pf_rt.oracle = fd >= 0;
}

void pf_oracle_flush(void)
{
    for (size_t at = 0; fd >= 0 && at < used;) {
        long n = pf_sys_write(fd, buffer + at, used - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    used = 0;
}

void pf_oracle_lock(void) { pf_spin_lock(&lock); }
void pf_oracle_unlock(void) { pf_spin_unlock(&lock); }

static void text(const char *s)
{
    while (*s)
        buffer[used++] = *s++;
}

static void number(uint64_t v, unsigned base)
{
    char d[20];
    int n = 0;
    do
        d[n++] = "0123456789abcdef"[v % base];
    while (v /= base);
    while (n)
        buffer[used++] = d[--n];
}

void pf_oracle_line(struct pf_thread *t, const char *what, uint64_t a, uint64_t b)
{
    if (used > sizeof buffer - 128)
        pf_oracle_flush();
    /* no thread: a new thread clears its stack before it is registered */
    number(t ? t->number : 0, 10);
    text(" ");
    text(what);
    text(" ");
    number(a, 16);
    text(" ");
    number(b, 10);
    text("\n");
}
