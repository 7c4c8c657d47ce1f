/* self_run.c - see self_run.h. */
#define _GNU_SOURCE
#include "self_run.h"
#include "allocation.h"
#include "cores.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pf_status pf_temporary_file(char **path, struct pf_error *e)
{
    const char *base = getenv("TMPDIR");
    *path = pf_mem_format("%s/pf.XXXXXX", base && *base == '/' ? base : "/tmp");
    int fd = mkstemp(*path);
    if (fd < 0) {
        pf_status s = pf_fail(e, PF_IO, "%s: %s", *path, strerror(errno));
        free(*path);
        *path = NULL;
        return s;
    }
    close(fd);
    return PF_OK;
}

static pf_status run(const struct pf_self_run *what, char **argv, const char *file,
                     struct pf_run_report *report, struct pf_error *e)
{
    struct pf_supervisor_result result;
    struct pf_error unread;
    struct pf_command command = {.path = "/proc/self/exe",
                                 .argv = argv,
                                 .input = what->input,
                                 .output = PF_OUTPUT_NULL,
                                 .forwards = true,
                                 .limit_ms = what->limit_ms,
                                 .fair_ms = what->fair_ms,
                                 .grace_ms = PF_GRACE_DIRECTED_MS};
    pf_status s = pf_supervisor_run(&command, what->should_stop, what->arg, &result, e);
    if (s != PF_OK)
        return s;
    if (result.how == PF_SUPERVISED_UNSTARTED)
        return pf_fail(e, PF_IO, "%s", result.why);
    if (pf_run_report_read(report, file, &unread) == PF_OK)
        return PF_OK;
    if (result.how == PF_SUPERVISED_LIMIT && what->at_limit) {
        *what->at_limit = true;
        return PF_OK;
    }
    return pf_fail(e, PF_IO, "pf %s %s", what->argv[0],
                   result.how == PF_SUPERVISED_LIMIT     ? "reached its time limit"
                   : result.how == PF_SUPERVISED_STOPPED ? "was stopped"
                                                         : "ended without a report");
}

pf_status pf_self_run(const struct pf_self_run *what, struct pf_run_report *report,
                      struct pf_error *e)
{
    char *file;
    size_t n = 0;
    while (what->argv[n])
        n++;
    pf_status s = pf_temporary_file(&file, e);
    if (s != PF_OK)
        return s;
    char *first[] = {"pf", "--report-to", file, "--cores", pf_cores_text()};
    size_t nfirst = sizeof first / sizeof *first;
    char **argv = pf_mem_zero(nfirst + n + 1, sizeof *argv);
    memcpy(argv, first, sizeof first);
    memcpy(argv + nfirst, what->argv, n * sizeof *argv);
    s = run(what, argv, file, report, e);
    unlink(file);
    free(file);
    free(argv);
    return s;
}
