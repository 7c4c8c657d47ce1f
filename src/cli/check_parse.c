/*
 * check_parse.c - see check_parse.h.
 */
#include "check_parse.h"
#include "baseline.h"
#include "cli.h"
#include "fleet_options.h"
#include "launch.h"
#include "state_read.h"
#include <string.h>

bool pf_check_settings_parse(struct pf_check_settings *p, struct pf_fleet_options *fleet, int argc,
                             char **argv, int *status)
{
    const struct pf_cli_option options[] = {
        {"time", "T", "time budget (default 60s)", &p->time, NULL},
        {"runs", "N",
         "at most N rounds; each has a free run, a batch of schedules and tries of predictions",
         &p->runs, NULL},
        {"seed", "N", "take the seeds of schedules from N on (default 1)", &p->seed, NULL},
        {"jobs", "N", "run N steps in parallel (default 1)", &p->jobs, NULL},
        {"continue", NULL, "resume the last check in the state folder", NULL, &p->resume},
        {"server", "CLIENT",
         "PROG is a server: run CLIENT (with sh) once its port is open, then end PROG", &p->server,
         NULL},
        {"for", "T", "end PROG after T", &p->run_for, NULL},
        {"suite", "FILE", "check every test of the list FILE, see pf suite", &p->suite, NULL},
        {"from", "FILE",
         "try to confirm the races that ThreadSanitizer or Helgrind reported in FILE", &p->from,
         NULL},
        {"atomic", "GLOB", "treat calls of functions whose names match as atomic regions",
         &p->atomic, NULL},
        {"state", "DIR", "keep all files in DIR (default " PF_DEFAULT_STATE ")", &p->state, NULL},
        {"keep", "SIZE",
         "remove old recordings without findings while the checks take more than SIZE (default 1G)",
         &p->keep, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &p->json, NULL},
        {"sample", "POLICY",
         "sampling policy of the free runs (default: full and atexrace alternate)", &p->sample,
         NULL},
        {"suppressions", "FILE", "do not report findings that match FILE", &p->launch.suppressions,
         NULL},
        {"grace", "T", "time between SIGTERM and SIGKILL (default 2s)", &p->grace, NULL},
        {"any", NULL, "also run scripts and uninstrumented programs", NULL, &p->any},
        {"hunt", NULL,
         "also search for races that need another input (pf hunt); PROG must be built with\n"
         "                         pf cc --symbolic or --on-demand",
         NULL, &p->hunt},
        {"fail-on", "WHAT",
         "fail only for WHAT: any (default), confirmed, or races of this class or a worse one",
         &p->fail_on, NULL},
        {"require-full", NULL, "fail if the program has code without checks", NULL,
         &p->require_full},
        {"allow-outside", NULL,
         "let schedules that run from a checkpoint use connections to other processes", NULL,
         &p->allow_outside},
        {"keep-env", NULL, "record the values of all environment variables", NULL, &p->keep_env},
        {"redact", "NAME",
         "never record the values of environment variables whose names match NAME, a glob",
         &p->redact, NULL},
        {"quiet", NULL, "print nothing but errors", NULL, &p->quiet},
        PF_FLEET_OPTIONS(*fleet),
    };
    const struct pf_cli_verb verb = {
        PF_CHECK_VERB, "[OPTION...] -- PROG ARG...",
        "Runs PROG, built with pf cc or pf c++, freely and under many schedules, makes the "
        "predicted\n"
        "races happen, and reports what it found. Each confirmed finding has a clip, which pf "
        "replay\n"
        "reproduces every time.\n"
        "Exit status: 66 if there are findings (crashes and hangs of PROG included; see "
        "--fail-on), 0 if not,\n"
        "128+n if signal n stopped pf check before it found anything, 2 on an error of pf itself.",
        options, sizeof options / sizeof options[0]};
    int first = pf_cli_parse(&verb, argc, argv, status);
    if (first < 0)
        return false;
    p->words = argv + first;
    p->nwords = argc - first;
    *status = PF_EXIT_USAGE;
    if (p->suite && p->nwords)
        pf_complain(PF_CHECK_VERB, "give either --suite or a program");
    else if (!p->suite && !p->nwords && !p->resume)
        pf_complain(PF_CHECK_VERB, "no program given; usage: pf check %s", verb.usage);
    else if (p->fail_on && (pf_fail_on_from(p->fail_on) < 0 || !strcmp(p->fail_on, "new")))
        pf_complain(PF_CHECK_VERB, "--fail-on=%s: expected any, confirmed or a class of pf judge",
                    p->fail_on);
    else
        return true;
    return false;
}
