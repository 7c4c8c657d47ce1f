/* verb_run.c - `pf run`: checks the program, runs it with the runtime set up, collects the
 * findings logs of all its processes, and writes the JSON. The processes print the reports
 * themselves, as the races happen. */
#define _GNU_SOURCE
#include "allocation.h"
#include "child.h"
#include "cli.h"
#include "file.h"
#include "finding_group.h"
#include "findings.h"
#include "launch.h"
#include "program.h"
#include "text_format.h"
#include "wait_status.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VERB "run"

struct run_command {
    struct pf_launch launch;
    const char *state, *json, *log;
    bool any, wait, require_full;
    char id[64];  /* identifies this run in the first line of its logs */
    char *folder; /* folder of the logs */
    bool temporary;
};

static int complain(const struct pf_error *e) { return pf_complain(VERB, "%s", e->text); }

/* --- before --- */

/* The folder of the logs: the DIR of --log; with --state DIR a new folder in DIR/runs; else a
 * temporary one. */
static pf_status make_folder(struct run_command *r, struct pf_error *e)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(r->id, sizeof r->id, "%lld%09ld-%d", (long long)now.tv_sec, now.tv_nsec,
             (int)getpid());
    char *path;
    if (r->log) {
        path = pf_mem_copy(r->log);
    } else if (r->state) {
        path = pf_mem_format("%s/runs/%s", r->state, r->id);
    } else {
        const char *base = getenv("TMPDIR");
        path = pf_mem_format("%s/pf-run.XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(path)) {
            pf_status s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
            free(path);
            return s;
        }
        r->temporary = true;
        /* A process may change its user before it forks; others may then create logs but not
         * read them. */
        if (geteuid() == 0 && chmod(path, 01733))
            pf_note("run", "%s: %s", path, strerror(errno));
    }
    pf_status s = r->temporary ? PF_OK : pf_folder_make(path, e);
    if (s == PF_OK && !(r->folder = realpath(path, NULL)))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (s == PF_OK && access(r->folder, W_OK))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    free(path);
    return s;
}

/* --- after --- */

static void print_losses(const struct pf_findings *f)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_losses(&t, f);
    fwrite(t.at, 1, t.n, stderr);
    pf_pool_release(&pool);
}

/* The processes have printed each finding on its own. */
static void print_causes(const struct pf_findings *f)
{
    size_t causes = pf_findings_counted_groups(f);
    if (causes != pf_findings_counted(f))
        pf_note(VERB, "the %zu findings have %zu cause%s; pf report and --json group them",
                pf_findings_counted(f), causes, causes == 1 ? "" : "s");
}

static pf_status write_json(const char *path, const struct pf_findings *f, char **argv, int argc,
                            struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_json(&t, f, (const char *const *)argv, (size_t)argc);
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

/* The exit status for findings: the user's option `exitcode`, as read by the first process. A crash
 * has a status of its own. */
static int final_status(const struct pf_findings *f, int wait)
{
    int found = f->processes ? f->processes->exitcode : 0;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += !pf_kind_is_failure(f->at[i]->kind) && !f->at[i]->suspicious;
    return n && found ? found : pf_wait_status(wait);
}

/* Reports code without checks. Returns false if the user does not accept that. */
static bool report_unchecked(const struct run_command *r, struct pf_findings *f)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_unchecked_text(&t, f);
    bool full = !t.n;
    if (!full && r->require_full)
        pf_complain(VERB, "--require-full: code without checks: %.*s", (int)t.n, t.at);
    else if (!full && !r->launch.quiet)
        pf_note(VERB, "code without checks, whose races are missed: %.*s", (int)t.n, t.at);
    pf_pool_release(&pool);
    return full || !r->require_full;
}

static int collect(const struct run_command *r, const struct pf_child_end *end, char **argv,
                   int argc)
{
    struct pf_findings f;
    struct pf_error e;
    pf_findings_init(&f);
    pf_status s = pf_findings_read_folder(&f, r->folder, r->id, &e);
    int status = final_status(&f, end->wait);
    f.unfinished = end->left_running;
    pf_findings_group(&f);
    pf_findings_examine_objects(&f);
    if (s == PF_OK && r->json)
        s = write_json(r->json, &f, argv, argc, &e);
    if (s != PF_OK) {
        status = complain(&e);
    } else if (f.nprocesses == 0) {
        /* A bad PF_OPTIONS ends the program before it creates a log; the runtime has printed the
         * error. */
        bool refused = !r->any && pf_wait_status(end->wait) == PF_EXIT_USAGE;
        if (!refused && f.nempty)
            status = pf_complain(VERB,
                                 "%s: the log of findings could not be written (is the disk "
                                 "full?), so the result is unknown",
                                 r->folder);
        else
            status = refused
                         ? PF_EXIT_USAGE
                         : pf_complain(VERB, "no instrumented process ran, so nothing was checked");
    }
    if (s == PF_OK && !report_unchecked(r, &f))
        status = PF_EXIT_USAGE;
    pf_findings_notes(&f, VERB);
    if (!r->launch.quiet)
        print_causes(&f);
    print_losses(&f);
    if (end->left_running)
        pf_note(NULL, "their findings are written to %s", r->folder);
    if (r->temporary && !end->left_running)
        pf_folder_remove(r->folder);
    pf_findings_release(&f);
    return status;
}

int pf_verb_run(int argc, char **argv)
{
    struct run_command r = {0};
    const struct pf_cli_option options[] = {
        {"sample", "POLICY", "sampling policy: full (default), literace, pacer:RATE, atexrace",
         &r.launch.sample, NULL},
        {"overhead", "SHARE", "atexrace: share of time for watching (default 10%)",
         &r.launch.overhead, NULL},
        {"state", "DIR", "keep findings and the state of sampling policies in DIR, across runs",
         &r.state, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &r.json, NULL},
        {"log", "DIR", "keep the findings logs of the processes in DIR", &r.log, NULL},
        {"suppressions", "FILE", "do not report findings that match FILE", &r.launch.suppressions,
         NULL},
        {"gen-suppressions", NULL, "after each finding, print a line that suppresses it", NULL,
         &r.launch.generate},
        {"strict", NULL, "never miss an access; slower", NULL, &r.launch.strict},
        {"any", NULL, "also run scripts and uninstrumented programs", NULL, &r.any},
        {"require-full", NULL, "fail if the program has code without checks", NULL,
         &r.require_full},
        {"wait", NULL, "also wait for processes that PROG leaves behind", NULL, &r.wait},
        {"quiet", NULL, "print no reports", NULL, &r.launch.quiet},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] -- PROG ARG...",
        "Runs PROG, built with pf cc or pf c++, and reports its data races as they happen. "
        "PF_OPTIONS in the\n"
        "environment accepts more options; PF_OPTIONS=help=1 lists them.\n"
        "Exit status: 66 if there are findings other than crashes, else that of PROG, or 128+n if\n"
        "signal n killed it; 2 on an error of pf itself.",
        options, sizeof options / sizeof options[0]};
    struct pf_error e;
    char *path;
    struct pf_child_end end;
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (first >= argc)
        return pf_complain(VERB, "no program given; usage: pf run %s", verb.usage);
    r.launch.state = r.state;
    if (r.log && r.state)
        return pf_complain(VERB, "give either --log or --state");
    if (r.json && pf_file_check(r.json, &e) != PF_OK)
        return complain(&e);
    if (pf_launch_check(&r.launch, &e) != PF_OK)
        return complain(&e);
    if (pf_program_find(argv[first], &path, &e) != PF_OK)
        return complain(&e);
    bool tsan = false;
    pf_status checked = pf_program_check_free(path, &tsan, &e);
    if (tsan && r.require_full) {
        free(path);
        return pf_complain(VERB,
                           "--require-full: %s was built with -fsanitize=thread, so it is not "
                           "known which of its code has checks",
                           argv[first]);
    }
    if ((!r.any && checked != PF_OK) ||
        ((tsan || r.any) && pf_launch_instead_of_tsan(&e) != PF_OK) ||
        make_folder(&r, &e) != PF_OK) {
        free(path);
        return complain(&e);
    }
    pf_status s = pf_launch_environment(&r.launch, r.folder, r.id, &e);
    if (s == PF_OK)
        s = pf_child_run(&(struct pf_command){.path = path, .argv = argv + first}, r.wait, &end,
                         &e);
    if (s == PF_OK)
        status = collect(&r, &end, argv + first, argc - first);
    else
        status = complain(&e);
    if (s != PF_OK && r.temporary)
        pf_folder_remove(r.folder);
    free(path);
    free(r.folder);
    return status;
}
