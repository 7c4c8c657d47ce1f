/*
 * fleet_attempts.c - see fleet.h: how often each task was submitted.
 *
 * The file `attempts` has a line for each submission, with the numbers of its tasks, a line for
 * each submission that the engine refused, and a line for each task that was given up. A submission
 * is noted before it is made: if this process is killed in between, its tasks may exist. Only the
 * submitting process writes the file. A process that continues the fleet gives the tasks that were
 * given up all their attempts again: their cause may be gone.
 */
#define _GNU_SOURCE
#include "fleet.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBMITTED "submitted"
#define REFUSED "refused"
#define GIVEN_UP "given-up"

static pf_status add_line(const struct pf_fleet *f, const char *what, const uint64_t *ids, size_t n,
                          struct pf_error *e)
{
    char *path = pf_fleet_path(f, "attempts", 0, "");
    FILE *out = fopen(path, "ae");
    bool ok = out != NULL;
    if (out) {
        fputs(what, out);
        for (size_t i = 0; i < n; i++)
            fprintf(out, " %" PRIu64, ids[i]);
        fputc('\n', out);
        ok = !ferror(out);
        ok &= fclose(out) == 0;
    }
    pf_status s = ok ? PF_OK : pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    free(path);
    return s;
}

pf_status pf_fleet_attempts_submitted(const struct pf_fleet *f, const uint64_t *ids, size_t n,
                                      struct pf_error *e)
{
    return add_line(f, SUBMITTED, ids, n, e);
}

pf_status pf_fleet_attempts_refused(const struct pf_fleet *f, const uint64_t *ids, size_t n,
                                    struct pf_error *e)
{
    return add_line(f, REFUSED, ids, n, e);
}

pf_status pf_fleet_attempts_given_up(const struct pf_fleet *f, uint64_t id, struct pf_error *e)
{
    return add_line(f, GIVEN_UP, &id, 1, e);
}

void pf_fleet_attempts_load(struct pf_fleet *f)
{
    char *path = pf_fleet_path(f, "attempts", 0, ""), *line = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "re");
    while (in && getline(&line, &room, in) > 0) {
        bool given_up = !strncmp(line, GIVEN_UP, strlen(GIVEN_UP));
        bool refused = !strncmp(line, REFUSED, strlen(REFUSED));
        char *end;
        for (char *at = strchr(line, ' '); at && *at; at = end) {
            uint64_t id = strtoull(at, &end, 10);
            if (end == at)
                break;
            struct pf_fleet_task *t = pf_fleet_task_find(f, id);
            if (!t)
                continue;
            if (refused)
                t->attempts -= t->attempts > 0;
            else
                t->attempts = given_up ? 0 : t->attempts + 1;
            t->given_up = given_up || (refused && t->given_up);
        }
    }
    if (in)
        fclose(in);
    for (size_t i = 0; i < f->tasks.len; i++)
        if (f->tasks.at[i].state == PF_FLEET_QUEUED && !f->tasks.at[i].attempts)
            f->tasks.at[i].state = PF_FLEET_NEW;
    free(line);
    free(path);
}
