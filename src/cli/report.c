/* report.c - `pf report`: the findings that earlier runs left in a folder, as text or JSON. */
#include "cli.h"
#include "file.h"
#include "finding_text.h"
#include "findings.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "report"
#define DEFAULT_STATE ".photofinish"

static void add_text(struct pf_text *t, const struct pf_findings *f, bool color)
{
    struct pf_text_style style = {.color = color, .summary = true};
    for (size_t i = 0; i < f->n; i++) {
        pf_finding_text(t, f->at[i], &style);
        pf_text_add(t, "finding ");
        pf_text_hex(t, f->at[i]->id, 16);
        pf_text_add(t, ", seen ");
        pf_text_u64(t, f->at[i]->count);
        pf_text_add(t, f->at[i]->count == 1 ? " time\n" : " times\n");
    }
    pf_text_u64(t, f->n);
    pf_text_add(t, f->n == 1 ? " finding in " : " findings in ");
    pf_text_u64(t, f->nprocesses);
    pf_text_add(t, f->nprocesses == 1 ? " process\n" : " processes\n");
    pf_findings_losses(t, f);
}

static pf_status write_out(const struct pf_findings *f, bool json, const char *file,
                           struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    const struct pf_process *p = f->processes;
    pf_cli_pool_init(&pool);
    pf_text_init(&t, &pool);
    if (json)
        pf_findings_json(&t, f, p ? p->command : NULL, p ? p->ncommand : 0);
    else
        add_text(&t, f, !strcmp(file, "-") && pf_cli_color(STDOUT_FILENO));
    pf_status s =
        t.failed ? pf_fail(e, PF_NOMEM, "out of memory") : pf_file_write(file, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

int pf_report(int argc, char **argv)
{
    const char *out = "-", *state = NULL;
    bool text = false, json = false, sarif = false, html = false;
    const struct pf_cli_option options[] = {
        {"text", NULL, "as text (default)", NULL, &text},
        {"json", NULL, "as JSON", NULL, &json},
        {"sarif", NULL, "not available in this build", NULL, &sarif},
        {"html", NULL, "not available in this build", NULL, &html},
        {"o", "FILE", "write to FILE", &out, NULL},
        {"state", "DIR", "the folder given to pf run --state or --log (default " DEFAULT_STATE ")",
         &state, NULL},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] [DIR...]",
                                     "Shows the findings that runs have left in the folders, each "
                                     "once, with how often it was seen.\n"
                                     "Exits 66 when there are any, 0 when there are none.",
                                     options, sizeof options / sizeof options[0]};
    /* Folders and options in any order: the folders are moved to the front. */
    int status = PF_EXIT_USAGE, nfolders = 0;
    for (int at = 0; at < argc;) {
        int next = pf_cli_parse(&verb, argc - at, argv + at, &status);
        if (next < 0)
            return status;
        at += next;
        if (at < argc)
            argv[nfolders++] = argv[at];
    }
    if (sarif || html)
        return pf_complain(VERB, "--%s: not available in this build", sarif ? "sarif" : "html");
    if (text && json)
        return pf_complain(VERB, "--text or --json, not both");
    struct pf_findings f;
    struct pf_error e;
    pf_findings_init(&f);
    pf_status s = PF_OK;
    if (state || nfolders == 0)
        s = pf_findings_read_folder(&f, state ? state : DEFAULT_STATE, NULL, &e);
    for (int i = 0; i < nfolders && s == PF_OK; i++)
        s = pf_findings_read_folder(&f, argv[i], NULL, &e);
    if (s == PF_OK)
        s = write_out(&f, json, out, &e);
    status = s != PF_OK ? pf_complain(VERB, "%s", e.text) : f.n ? PF_EXIT_FOUND : PF_EXIT_OK;
    pf_findings_release(&f);
    return status;
}
