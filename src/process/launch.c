/* launch.c - see launch.h. */
#include "launch.h"
#include "allocation.h"
#include "file.h"
#include "libdir.h"
#include "sample_policy.h"
#include "suppress.h"
#include "text_format.h"
#include "textbuf.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static pf_status check_suppressions(const char *path, struct pf_error *e)
{
    struct pf_suppressions list;
    struct pf_suppress_error wrong;
    struct pf_pool pool;
    char *text;
    size_t n;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    pf_pool_init_malloc(&pool);
    pf_suppressions_init(&list);
    if (!pf_suppressions_parse(&list, &pool, text, n, &wrong))
        s = pf_fail(e, PF_BAD, "%s:%u: %s: %s", path, wrong.line, wrong.reason,
                    wrong.text ? wrong.text : "");
    pf_pool_release(&pool);
    free(text);
    return s;
}

pf_status pf_launch_check(const struct pf_launch *l, struct pf_error *e)
{
    const char *sample = l->sample ? l->sample : "full";
    pf_status s = pf_sample_check(sample, e);
    if (s == PF_OK && l->overhead)
        s = pf_sample_check_overhead(sample, l->overhead, e);
    return s == PF_OK && l->suppressions ? check_suppressions(l->suppressions, e) : s;
}

static void add_option(struct pf_text *t, const char *text)
{
    if (t->n)
        pf_text_char(t, ':');
    pf_text_add(t, text);
}

/* Appends name='/absolute/path'. */
static pf_status add_path(struct pf_text *t, const char *name, const char *path, struct pf_error *e)
{
    char whole[PATH_MAX];
    if (!realpath(path, whole))
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (strchr(whole, '\'') && strchr(whole, '"'))
        return pf_fail(e, PF_BAD,
                       "%s: a path that contains both kinds of quotes cannot be passed on", whole);
    const char *quote = strchr(whole, '\'') ? "\"" : "'";
    add_option(t, name);
    pf_text_char(t, '=');
    pf_text_add(t, quote);
    pf_text_add(t, whole);
    pf_text_add(t, quote);
    return PF_OK;
}

pf_status pf_launch_environment(const struct pf_launch *l, const char *folder, const char *run,
                                struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_status s = PF_OK;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_add(&t, getenv("PF_OPTIONS"));
    if (l->quiet)
        add_option(&t, "quiet=1");
    if (l->strict)
        add_option(&t, "strict=1");
    if (l->generate)
        add_option(&t, "gen_suppressions=1");
    if (l->plain)
        add_option(&t, "plain=1");
    if (l->own_status)
        add_option(&t, "own_status=1");
    if (l->sample) {
        add_option(&t, "sample='");
        pf_text_add(&t, l->sample);
        pf_text_char(&t, '\'');
    }
    if (l->overhead) {
        add_option(&t, "overhead=");
        pf_text_bytes(&t, l->overhead, strcspn(l->overhead, "%"));
    }
    if (l->sample && pf_sample_keeps_state(l->sample)) {
        const char *state = l->state ? l->state : PF_DEFAULT_STATE;
        s = pf_folder_make(state, e);
        if (s == PF_OK)
            s = add_path(&t, "state", state, e);
    }
    if (s == PF_OK && l->suppressions)
        s = add_path(&t, "suppressions", l->suppressions, e);
    pf_text_char(&t, 0);
    if (s == PF_OK) {
        if (t.n > 1)
            pf_mem_setenv("PF_OPTIONS", "%s", t.at);
        pf_mem_setenv("PF_LOG_DIR", "%s", folder);
        pf_mem_setenv("PF_RUN", "%s", run);
    }
    pf_pool_release(&pool);
    return s;
}

pf_status pf_launch_instead_of_tsan(struct pf_error *e)
{
    const char *folder = pf_libdir_find("/tsan/libtsan.so"), *theirs = getenv("LD_LIBRARY_PATH");
    if (!folder)
        return pf_fail(e, PF_IO, "the runtime tsan/libtsan.so is not installed next to pf");
    pf_mem_setenv("LD_LIBRARY_PATH", "%s/tsan%s%s", folder, theirs && *theirs ? ":" : "",
                  theirs ? theirs : "");
    return PF_OK;
}
