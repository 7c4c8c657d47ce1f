/* verb_report.c - `pf report`: shows the findings that earlier runs left in folders. */
#include "baseline.h"
#include "cli.h"
#include "file.h"
#include "findings.h"
#include "foreign_file.h"
#include "html.h"
#include "launch.h"
#include "report_text.h"
#include "sarif.h"
#include "state_read.h"
#include "suite_load.h"
#include "text_format.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "report"

enum form { TEXT, JSON, SARIF, HTML, TABLE, SVG, FORMS };

/* Adds the overhead and the findings of the last suite over the number of executions. */
static pf_status add_curves(struct pf_text *t, const char *folder, enum form form,
                            struct pf_error *e)
{
    struct pf_suite_db db;
    struct pf_curves c;
    bool there;
    pf_status s = pf_suite_db_open_read(&db, folder, &there, e);
    if (s != PF_OK || !there)
        return s == PF_OK ? pf_fail(e, PF_BAD, "%s: has no %s; pf suite has not used this folder",
                                    folder, PF_SUITE_DB)
                          : s;
    s = pf_curves_load(&db, 0, &c, e);
    if (s == PF_OK) {
        if (form == SVG)
            pf_curves_svg(t, &c);
        else
            pf_curves_text(t, &c);
        pf_curves_release(&c);
    }
    pf_suite_db_close(&db);
    return s;
}

static pf_status write_out(const struct pf_findings *f, const struct pf_baseline *base,
                           struct pf_sources *sources, const char *folder, enum form form,
                           const char *file, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    const struct pf_process *p = f->processes;
    pf_status s = PF_OK;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    if (form == JSON)
        pf_findings_json(&t, f, p ? p->command : NULL, p ? p->ncommand : 0);
    else if (form == SARIF)
        pf_sarif(&t, f, base);
    else if (form == HTML)
        s = pf_html(&t, f, base, sources, e);
    else if (form == TEXT)
        pf_report_text(&t, f, base, !strcmp(file, "-") && pf_color_wanted(STDOUT_FILENO));
    else
        s = add_curves(&t, folder, form, e);
    if (s == PF_OK)
        s = pf_file_write(file, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

int pf_verb_report(int argc, char **argv)
{
    const char *out = "-", *state = NULL, *accepted = NULL, *fail_on = NULL;
    const char *source = NULL, *from = NULL;
    bool as[FORMS] = {false};
    static const char *const names[FORMS] = {"text", "json", "sarif", "html", "table", "svg"};
    const struct pf_cli_option options[] = {
        {"text", NULL, "write text (default)", NULL, &as[TEXT]},
        {"json", NULL, "write JSON", NULL, &as[JSON]},
        {"sarif", NULL, "write SARIF 2.1.0", NULL, &as[SARIF]},
        {"html", NULL, "write one HTML page", NULL, &as[HTML]},
        {"table", NULL,
         "write a table of the last pf suite: overhead and findings over the executions", NULL,
         &as[TABLE]},
        {"svg", NULL, "write the same as an SVG image", NULL, &as[SVG]},
        {"o", "FILE", "write to FILE instead of standard output", &out, NULL},
        {"source", "DIR", "with --html: also search for the sources in DIR", &source, NULL},
        {"from", "FILE",
         "also read FILE: JSON of another verb, ThreadSanitizer's text, or Helgrind's XML", &from,
         NULL},
        {"baseline", "FILE", "accepted findings, see pf baseline", &accepted, NULL},
        {"fail-on", "WHAT",
         "exit with 66 on: new (default with --baseline), any (default without), confirmed, or a "
         "class",
         &fail_on, NULL},
        {"state", "DIR", "read the findings in DIR (default " PF_DEFAULT_STATE ")", &state, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] [DIR...]",
        "Shows the findings that runs, suites and checks have left in the folders, each finding "
        "once.\n"
        "Exit status: 66 if there are findings (see --fail-on), 0 if not, 2 on an error.",
        options, sizeof options / sizeof options[0]};
    /* Folders and options may be mixed: the folders are moved to the front of argv. */
    int status = PF_EXIT_USAGE, nfolders = 0;
    for (int at = 0; at < argc;) {
        int next = pf_cli_parse(&verb, argc - at, argv + at, &status);
        if (next < 0)
            return status;
        at += next;
        if (at < argc)
            argv[nfolders++] = argv[at];
    }
    enum form form = FORMS;
    for (enum form i = TEXT; i < FORMS; i++) {
        if (as[i] && form != FORMS)
            return pf_complain(VERB, "give either --%s or --%s", names[form], names[i]);
        form = as[i] ? i : form;
    }
    form = form == FORMS ? TEXT : form;
    if (state || (nfolders == 0 && !from))
        argv[nfolders++] = (char *)(state ? state : PF_DEFAULT_STATE);
    if ((form == TABLE || form == SVG) && nfolders != 1)
        return pf_complain(VERB, "--%s: give exactly one folder", names[form]);
    int fail = fail_on ? pf_fail_on_from(fail_on) : accepted ? PF_FAIL_NEW : PF_FAIL_ANY;
    if (fail < 0)
        return pf_complain(
            VERB, "--fail-on=%s: expected new, any, confirmed or a class of pf judge", fail_on);
    struct pf_findings f;
    struct pf_baseline base;
    struct pf_sources sources;
    struct pf_error e;
    pf_findings_init(&f);
    pf_baseline_init(&base);
    pf_sources_init(&sources, source);
    pf_status s = accepted ? pf_baseline_read(&base, accepted, &e) : PF_OK;
    for (int i = 0; i < nfolders && s == PF_OK; i++)
        s = pf_state_read(&f, argv[i], &e);
    if (s == PF_OK && from)
        s = pf_foreign_file_read("report", &f, from, &e);
    pf_findings_sort(&f);
    if (s == PF_OK)
        s = write_out(&f, accepted ? &base : NULL, &sources, argv[0], form, out, &e);
    status = s != PF_OK ? pf_complain(VERB, "%s", e.text)
             : pf_baseline_failing(&base, &f, (enum pf_fail_on)fail) ? PF_EXIT_FOUND
                                                                     : PF_EXIT_OK;
    pf_sources_release(&sources);
    pf_baseline_release(&base);
    pf_findings_release(&f);
    return status;
}
