/* message.c - see message.h. */
#include "message.h"
#include "pool.h"
#include "text_format.h"
#include "textbuf.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char last_complaint[1024];
bool pf_quiet;

static void print(const char *verb, const char *text)
{
    fprintf(stderr, verb ? "pf %s: " : "pf%s: ", verb ? verb : "");
    pf_print_name(stderr, text);
    fputc('\n', stderr);
}

void pf_note(const char *verb, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!pf_quiet)
        print(verb, text);
}

int pf_complain(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_complaint, sizeof last_complaint, format, args);
    va_end(args);
    print(verb, last_complaint);
    return PF_EXIT_USAGE;
}

void pf_print_name(FILE *to, const char *s)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_name(&t, s);
    fwrite(t.at, 1, t.n, to);
    pf_pool_release(&pool);
}

const char *pf_last_complaint(void) { return last_complaint; }

bool pf_color_wanted(int fd)
{
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && isatty(fd);
}
