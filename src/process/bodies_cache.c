/* bodies_cache.c - see bodies_cache.h. */
#define _GNU_SOURCE
#include "bodies_cache.h"
#include "allocation.h"
#include "cache_limit.h"
#include "channel.h"
#include "clip.h"
#include "file.h"
#include "libdir.h"
#include "program.h"
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL "/pf-bodies"
#define FOLDER "photofinish"

extern char **environ;

/* The folder in $TMPDIR or /tmp, which another user may have made. Shared objects are loaded from
 * it, so only the user may be able to write into it. */
static pf_status temporary_folder(char **folder, struct pf_error *e)
{
    const char *base = getenv("TMPDIR");
    char *path = pf_mem_format("%s/" FOLDER "-%u", base && *base == '/' ? base : "/tmp",
                               (unsigned)geteuid());
    struct stat st;
    pf_status s = PF_OK;
    if ((mkdir(path, 0700) && errno != EEXIST) || lstat(path, &st))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    else if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
        s = pf_fail(e, PF_BAD,
                    "%s: not used as the cache of event bodies, because it is not a folder that "
                    "only you can write; remove it, or set XDG_CACHE_HOME",
                    path);
    else if (st.st_mode & 077 && chmod(path, 0700)) /* others can read it */
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (s == PF_OK)
        *folder = path;
    else
        free(path);
    return s;
}

/* A folder in $XDG_CACHE_HOME, else in ~/.cache, else in $TMPDIR or /tmp. */
static pf_status cache_folder(char **out, struct pf_error *e)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = cache && *cache == '/' ? pf_mem_format("%s/" FOLDER, cache)
                   : home && *home == '/' ? pf_mem_format("%s/.cache/" FOLDER, home)
                                          : NULL;
    struct pf_error ignored;
    if (folder && pf_folder_make(folder, &ignored) == PF_OK && !access(folder, W_OK | X_OK)) {
        *out = folder;
        return PF_OK;
    }
    free(folder);
    return temporary_folder(out, e);
}

/* Another build of pf-bodies, even one of the same version, may emit other code. So each build has
 * a folder of its own, named by its hash, which is computed once per process. */
static pf_status tool_folder(const char *tool, char **folder, struct pf_error *e)
{
    static uint64_t hash;
    if (!hash && *tool) {
        pf_status s = pf_clip_hash_file(tool, &hash, e);
        if (s != PF_OK)
            return s;
    }
    char *cache;
    pf_status s = cache_folder(&cache, e);
    if (s != PF_OK)
        return s;
    *folder = pf_mem_format("%s/%s-%016llx", cache, PF_VERSION, (unsigned long long)hash);
    free(cache);
    return PF_OK;
}

static pf_status store(char *to, size_t size, const char *from, struct pf_error *e)
{
    if (strlen(from) >= size)
        return pf_fail(e, PF_BAD, "%s: the path is too long", from);
    strcpy(to, from);
    return PF_OK;
}

pf_status pf_bodies_cache_settings(struct pf_channel *c, struct pf_error *e)
{
    const char *libdir = pf_libdir_find(TOOL);
    char *tool = libdir ? pf_mem_format("%s%s", libdir, TOOL) : pf_mem_copy("");
    char *folder = NULL;
    pf_status s = store(c->bodies_tool, sizeof c->bodies_tool, tool, e);
    /* Only programs with bodies on demand need the folder. For these, pf_bodies_cache_prepare says
     * why there is none. */
    if (s == PF_OK && tool_folder(tool, &folder, e) == PF_OK)
        s = store(c->bodies_folder, sizeof c->bodies_folder, folder, e);
    free(tool);
    free(folder);
    return s;
}

static pf_status compile(const struct pf_channel *c, const char *program, struct pf_error *e)
{
    char *argv[] = {(char *)c->bodies_tool,
                    (char *)program,
                    (char *)c->bodies_folder,
                    (char *)"0",
                    c->symbolic ? (char *)"symbolic" : NULL,
                    NULL};
    pid_t pid;
    int status = 0;
    if (!*c->bodies_tool)
        return pf_fail(e, PF_IO,
                       "cannot find pf-bodies; expected it in ../lib/photofinish relative "
                       "to the folder of pf, or in $PF_LIBDIR");
    int error = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    if (error)
        return pf_fail(e, PF_IO, "%s: %s", argv[0], strerror(error));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status ? pf_fail(e, PF_BAD, "%s: its %s bodies could not be compiled", program,
                            c->symbolic ? "symbolic" : "event")
                  : PF_OK;
}

pf_status pf_bodies_cache_prepare(const struct pf_channel *c, const char *program,
                                  struct pf_error *e)
{
    static char *all_last[2];
    char **last = &all_last[c->symbolic != 0];
    if (*last && !strcmp(*last, program))
        return PF_OK;
    if (!pf_program_is_on_demand(program))
        return PF_OK;
    char *folder = NULL;
    pf_status s = tool_folder(c->bodies_tool, &folder, e);
    free(folder);
    if (s == PF_OK)
        s = compile(c, program, e);
    if (s != PF_OK)
        return s;
    pf_cache_trim(c->bodies_folder);
    free(*last);
    *last = pf_mem_copy(program);
    return PF_OK;
}
