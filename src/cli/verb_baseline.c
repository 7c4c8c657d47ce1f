/* verb_baseline.c - `pf baseline`: accepts the current findings, so that only new ones fail. */
#include "baseline.h"
#include "cli.h"
#include "launch.h"
#include "state_read.h"
#include <stdio.h>
#include <unistd.h>

#define VERB "baseline"

static size_t count_missing(const struct pf_baseline *in, const struct pf_findings *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += !pf_baseline_has(in, f->at[i]->id);
    return n;
}

static pf_status accept(const char *file, const struct pf_findings *f, bool keep,
                        struct pf_error *e)
{
    struct pf_baseline b;
    pf_baseline_init(&b);
    pf_status s = access(file, F_OK) == 0 ? pf_baseline_read(&b, file, e) : PF_OK;
    size_t before = b.n, fresh = count_missing(&b, f);
    if (s == PF_OK) {
        pf_baseline_accept(&b, f, keep);
        s = pf_baseline_write(&b, file, e);
    }
    if (s == PF_OK)
        printf("%s: %zu accepted, %zu of them new, %zu dropped\n", file, b.n, fresh,
               before + fresh - b.n);
    pf_baseline_release(&b);
    return s;
}

int pf_verb_baseline(int argc, char **argv)
{
    const char *file = PF_BASELINE_FILE, *state = NULL;
    bool keep = false;
    const struct pf_cli_option options[] = {
        {"state", "DIR", "read the findings in DIR (default " PF_DEFAULT_STATE ")", &state, NULL},
        {"o", "FILE", "the baseline file (default " PF_BASELINE_FILE ")", &file, NULL},
        {"keep", NULL, "also keep accepted findings that were not found this time", NULL, &keep},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] [DIR...]",
                                     "Accepts the findings in the folders: pf report --baseline "
                                     "then fails only on other findings.\n"
                                     "Keep the file with the sources.",
                                     options, sizeof options / sizeof options[0]};
    struct pf_findings f;
    struct pf_error e;
    pf_status s = PF_OK;
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    pf_findings_init(&f);
    if (state || first >= argc)
        s = pf_state_read(&f, state ? state : PF_DEFAULT_STATE, &e);
    for (int i = first; i < argc && s == PF_OK; i++)
        s = pf_state_read(&f, argv[i], &e);
    if (s == PF_OK)
        s = accept(file, &f, keep, &e);
    pf_findings_release(&f);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}
