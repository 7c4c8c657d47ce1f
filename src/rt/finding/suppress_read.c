/* suppress_read.c - see suppress_read.h. */
#include "suppress_read.h"
#include "file_text.h"
#include "options.h"
#include "textbuf.h"

extern const char *__tsan_default_suppressions(void) __attribute__((weak));

static _Noreturn void refuse(struct pf_pool *work, const char *file,
                             const struct pf_suppress_error *e)
{
    struct pf_text t;
    pf_text_init(&t, work);
    pf_text_add(&t, file);
    if (e->line) {
        pf_text_char(&t, ':');
        pf_text_u64(&t, e->line);
    }
    pf_text_add(&t, ": ");
    pf_text_add(&t, e->reason);
    if (e->text) {
        pf_text_add(&t, ": ");
        pf_text_add(&t, e->text);
    }
    pf_text_char(&t, 0);
    pf_refuse(t.at);
}

void pf_suppressions_read(struct pf_suppressions *to, struct pf_pool *forever, struct pf_pool *work)
{
    struct pf_suppress_error e = {.reason = "cannot read the suppressions"};
    const char *built_in = __tsan_default_suppressions ? __tsan_default_suppressions() : NULL;
    if (built_in && !pf_suppressions_parse(to, forever, built_in, pf_str_len(built_in), &e))
        refuse(work, "__tsan_default_suppressions", &e);
    if (!*pf_options.suppressions)
        return;
    size_t n;
    char *text = pf_file_text(work, pf_options.suppressions, &n);
    if (!text || !pf_suppressions_parse(to, forever, text, n, &e))
        refuse(work, pf_options.suppressions, &e);
    pf_pool_release(work);
}
