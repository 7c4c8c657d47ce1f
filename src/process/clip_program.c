/* clip_program.c - see clip_program.h. */
#define _GNU_SOURCE
#include "clip_program.h"
#include "allocation.h"
#include "clip_environment.h"
#include "file.h"
#include "message.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- search --- */

/* The build id of a program; 0: it cannot be read. */
static uint64_t build_of(const char *path)
{
    struct stat s;
    struct pf_error ignored;
    uint64_t build;
    if (stat(path, &s) || !S_ISREG(s.st_mode) || pf_clip_hash_file(path, &build, &ignored) != PF_OK)
        return 0;
    return build;
}

static bool is_build(const char *path, uint64_t build) { return build_of(path) == build; }

/* Tries FOLDER/NAME; returns its absolute path, or NULL. */
static char *try_path(const char *folder, const char *name, uint64_t build)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && n < PATH_MAX && is_build(path, build) ? realpath(path, NULL) : NULL;
}

static char *try_folder(const char *folder, const struct pf_clip_meta *m)
{
    size_t n = strlen(m->cwd);
    const char *slash = strrchr(m->program, '/');
    char *found = NULL;
    if (!strncmp(m->program, m->cwd, n) && m->program[n] == '/')
        found = try_path(folder, m->program + n + 1, m->build);
    return found ? found : try_path(folder, slash ? slash + 1 : m->program, m->build);
}

static char *search(const struct pf_clip *clip)
{
    char *at = realpath(clip->path, NULL), *slash, *found = NULL;
    while (!found && at && (slash = strrchr(at, '/'))) { /* the clip's folder, then those above */
        *slash = 0;
        found = try_folder(at, &clip->meta);
    }
    free(at);
    return found ? found : try_folder(".", &clip->meta);
}

pf_status pf_clip_program_find(const struct pf_clip *clip, const char *given, char **path,
                               struct pf_error *e)
{
    const struct pf_clip_meta *m = &clip->meta;
    const char *program = given ? given : m->program;
    if (is_build(program, m->build))
        *path = realpath(program, NULL);
    else
        *path = given ? NULL : search(clip);
    if (*path)
        return PF_OK;
    if (access(program, F_OK))
        return pf_fail(e, PF_IO,
                       "%s: its program, %s: %s; copy it next to the clip, or use --program",
                       clip->path, program, strerror(errno));
    return pf_fail(e, PF_BAD,
                   "%s: recorded from another build of %s (recorded: %016" PRIx64
                   ", now: %016" PRIx64 "); replay needs exactly the same program",
                   clip->path, program, m->build, build_of(program));
}

pf_status pf_clip_program_resolve(struct pf_clip *clip, struct pf_error *e)
{
    char *path;
    pf_status s = pf_clip_program_find(clip, NULL, &path, e);
    if (s == PF_OK) {
        free(clip->meta.program);
        clip->meta.program = path;
    }
    return s == PF_OK ? pf_environment_restore(clip, e) : s;
}

void pf_clip_program_announce(const char *verb, const struct pf_clip *clip)
{
    struct pf_error ignored;
    char *path, *command;
    if (pf_clip_program_find(clip, NULL, &path, &ignored) != PF_OK)
        return; /* running it fails with a message */
    bool home =
        clip->meta.origin == pf_clip_origin(clip->path) && !strcmp(path, clip->meta.program);
    command = pf_mem_copy(path);
    for (char **a = clip->meta.argv; a && *a && a[1]; a++) {
        char *longer = pf_mem_format("%s %s", command, a[1]);
        free(command);
        command = longer;
    }
    if (!home)
        pf_note(verb, "%s is from elsewhere; running %s", clip->path, command);
    free(command);
    free(path);
}

/* --- aliases --- */

pf_status pf_program_alias_make(struct pf_program_alias *a, const char *program,
                                const char *as_long_as, struct pf_error *e)
{
    const char *slash = strrchr(as_long_as, '/'), *name = slash ? slash + 1 : as_long_as;
    size_t want = strlen(as_long_as), folder;
    *a = (struct pf_program_alias){.folder = "/tmp/pf.XXXXXX"};
    folder = strlen(a->folder);
    /* If the recorded path is too short for an alias, the program's own path is used. The replay
     * may then diverge, because the stack has moved. */
    if (strlen(program) == want || want < folder + 2) {
        a->folder[0] = 0;
        a->path = pf_mem_copy(program);
        return PF_OK;
    }
    if (folder + 1 + strlen(name) > want)
        name = "p";
    a->path = pf_mem_resize(NULL, want + 1, 1);
    if (!mkdtemp(a->folder)) {
        pf_status s = pf_fail(e, PF_IO, "%s: %s", a->folder, strerror(errno));
        a->folder[0] = 0;
        return s;
    }
    memset(a->path, '/', want); /* several slashes count as one */
    memcpy(a->path, a->folder, folder);
    strcpy(a->path + want - strlen(name), name);
    return symlink(program, a->path) ? pf_fail(e, PF_IO, "%s: %s", a->path, strerror(errno))
                                     : PF_OK;
}

void pf_program_alias_remove(struct pf_program_alias *a)
{
    if (a->folder[0]) {
        unlink(a->path);
        rmdir(a->folder);
    }
    free(a->path);
    *a = (struct pf_program_alias){.path = NULL};
}
