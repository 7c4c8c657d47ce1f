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
static const char *const form_names[FORMS] = {"text", "json", "sarif", "html", "table", "svg"};

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

struct report_options {
    const char *out, *state, *accepted, *fail_on, *source, *from; /* NULL: not given */
    enum form form;
    int fail; /* enum pf_fail_on */
};

/* The one form that was chosen; FORMS, after a message, if there are several. */
static enum form chosen_form(const bool as[FORMS])
{
    enum form form = FORMS;
    for (enum form i = TEXT; i < FORMS; i++) {
        if (as[i] && form != FORMS) {
            pf_complain(VERB, "give either --%s or --%s", form_names[form], form_names[i]);
            return FORMS;
        }
        form = as[i] ? i : form;
    }
    return form == FORMS ? TEXT : form;
}

/* Parses the command line, and moves the folders to the front of argv. Returns their number; -1:
 * there is nothing more to do, and *status is the exit status. */
static int parse_options(struct report_options *o, int argc, char **argv, int *status)
{
    bool as[FORMS] = {false};
    const struct pf_cli_option options[] = {
        {"text", NULL, "write text (default)", NULL, &as[TEXT]},
        {"json", NULL, "write JSON", NULL, &as[JSON]},
        {"sarif", NULL, "write SARIF 2.1.0", NULL, &as[SARIF]},
        {"html", NULL, "write one HTML page", NULL, &as[HTML]},
        {"table", NULL,
         "write a table of the last pf suite: overhead and findings over the executions", NULL,
         &as[TABLE]},
        {"svg", NULL, "write the same as an SVG image", NULL, &as[SVG]},
        {"o", "FILE", "write to FILE instead of standard output", &o->out, NULL},
        {"source", "DIR", "with --html: also search for the sources in DIR", &o->source, NULL},
        {"from", "FILE",
         "also read FILE: JSON of another verb, ThreadSanitizer's text, or Helgrind's XML",
         &o->from, NULL},
        {"baseline", "FILE", "accepted findings, see pf baseline", &o->accepted, NULL},
        {"fail-on", "WHAT",
         "exit with 66 on: new (default with --baseline), any (default without), confirmed, or a "
         "class",
         &o->fail_on, NULL},
        {"state", "DIR", "read the findings in DIR (default " PF_DEFAULT_STATE ")", &o->state,
         NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] [DIR...]",
        "Shows the findings that runs, suites and checks have left in the folders, each finding "
        "once.\n"
        "Exit status: 66 if there are findings (see --fail-on), 0 if not, 2 on an error.",
        options, sizeof options / sizeof options[0]};
    int nfolders = 0;
    for (int at = 0; at < argc;) { /* folders and options may be mixed */
        int next = pf_cli_parse(&verb, argc - at, argv + at, status);
        if (next < 0)
            return -1;
        at += next;
        if (at < argc)
            argv[nfolders++] = argv[at];
    }
    *status = PF_EXIT_USAGE;
    if ((o->form = chosen_form(as)) == FORMS)
        return -1;
    if (o->state || (nfolders == 0 && !o->from))
        argv[nfolders++] = (char *)(o->state ? o->state : PF_DEFAULT_STATE);
    o->fail = o->fail_on ? pf_fail_on_from(o->fail_on) : o->accepted ? PF_FAIL_NEW : PF_FAIL_ANY;
    if ((o->form == TABLE || o->form == SVG) && nfolders != 1)
        pf_complain(VERB, "--%s: give exactly one folder", form_names[o->form]);
    else if (o->fail < 0)
        pf_complain(VERB, "--fail-on=%s: expected new, any, confirmed or a class of pf judge",
                    o->fail_on);
    else
        return nfolders;
    return -1;
}

int pf_verb_report(int argc, char **argv)
{
    struct report_options o = {.out = "-"};
    int status = PF_EXIT_USAGE, nfolders = parse_options(&o, argc, argv, &status);
    if (nfolders < 0)
        return status;
    struct pf_findings f;
    struct pf_baseline base;
    struct pf_sources sources;
    struct pf_error e;
    pf_findings_init(&f);
    pf_baseline_init(&base);
    pf_sources_init(&sources, o.source);
    pf_status s = o.accepted ? pf_baseline_read(&base, o.accepted, &e) : PF_OK;
    for (int i = 0; i < nfolders && s == PF_OK; i++)
        s = pf_state_read(&f, argv[i], &e);
    if (s == PF_OK && o.from)
        s = pf_foreign_file_read("report", &f, o.from, &e);
    pf_findings_sort(&f);
    if (s == PF_OK)
        s = write_out(&f, o.accepted ? &base : NULL, &sources, argv[0], o.form, o.out, &e);
    status = s != PF_OK ? pf_complain(VERB, "%s", e.text)
             : pf_baseline_failing(&base, &f, (enum pf_fail_on)o.fail) ? PF_EXIT_FOUND
                                                                       : PF_EXIT_OK;
    pf_sources_release(&sources);
    pf_baseline_release(&base);
    pf_findings_release(&f);
    return status;
}
