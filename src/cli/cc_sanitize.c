/* cc_sanitize.c - see cc_sanitize.h. */
#include "cc_sanitize.h"
#include "allocation.h"
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static const char *const incompatible[PF_CC_INCOMPATIBLE] = {
    "address",       "memory",           "hwaddress", "leak",      "dataflow", "kernel-address",
    "kernel-memory", "kernel-hwaddress", "type",      "numerical", "realtime", "safe-stack",
    "scudo"};

/* If arg starts with the prefix, returns the rest, else NULL. */
static const char *after(const char *arg, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(arg, prefix, n) ? NULL : arg + n;
}

static bool contains(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, name, n) && (p[n] == 0 || p[n] == ','))
            return true;
    return false;
}

static void enable(struct pf_cc_sanitize *s, const char *list, const char *arg)
{
    for (size_t i = 0; i < PF_CC_INCOMPATIBLE; i++)
        if (contains(list, incompatible[i]))
            s->incompatible[i] = arg;
    if (contains(list, "thread")) {
        s->off = false;
        s->named = true;
    }
}

static void disable(struct pf_cc_sanitize *s, const char *list)
{
    bool all = contains(list, "all");
    for (size_t i = 0; i < PF_CC_INCOMPATIBLE; i++)
        if (all || contains(list, incompatible[i]))
            s->incompatible[i] = NULL;
    s->off |= all || contains(list, "thread");
}

/* Reads -f[no-]sanitize-thread-WHAT. Returns false if there is no such flag. `s` may be NULL. */
static bool scan_thread_flag(struct pf_cc_sanitize *s, const char *arg)
{
    struct pf_cc_sanitize nowhere;
    const char *what = after(arg, "-fsanitize-thread-"), *no = after(arg, "-fno-sanitize-thread-");
    if (!s)
        s = &nowhere;
    if (!what && !(what = no))
        return false;
    if (!strcmp(what, "memory-access"))
        s->no_accesses = no;
    else if (!strcmp(what, "func-entry-exit"))
        s->no_frames = no ? arg : NULL;
    else if (!strcmp(what, "atomics"))
        s->no_atomics = no ? arg : NULL;
    else
        return false;
    return true;
}

bool pf_cc_sanitize_is_ours(const char *arg) { return scan_thread_flag(NULL, arg); }

bool pf_cc_sanitize_scan(struct pf_cc_sanitize *s, const char *arg, const char *value)
{
    const char *rest;
    if ((rest = after(arg, "-fsanitize=")))
        enable(s, rest, arg);
    else if ((rest = after(arg, "-fno-sanitize=")))
        disable(s, rest);
    else if ((rest = after(arg, "-fsanitize-ignorelist=")) ||
             (rest = after(arg, "-fsanitize-blacklist=")))
        pf_vec_push(&s->ignorelists, rest);
    else if (!strcmp(arg, "-fno-sanitize-ignorelist") || !strcmp(arg, "-fno-sanitize-blacklist"))
        pf_vec_clear(&s->ignorelists);
    else if ((rest = after(arg, "-fno-sanitize-recover=")))
        s->no_recover = contains(rest, "thread") ? arg : s->no_recover;
    else if ((rest = after(arg, "-fsanitize-recover=")))
        s->no_recover = contains(rest, "thread") || contains(rest, "all") ? NULL : s->no_recover;
    else if ((!strcmp(arg, "-mllvm") || !strcmp(arg, "-Xclang")) && value && after(value, "-tsan-"))
        s->pass_option = value;
    else if (after(arg, "-mllvm=-tsan-"))
        s->pass_option = arg;
    else
        return scan_thread_flag(s, arg);
    return true;
}

int pf_cc_sanitize_refuse(const struct pf_cc_sanitize *s, const char *verb)
{
    if (s->off)
        return PF_EXIT_OK;
    for (size_t i = 0; i < PF_CC_INCOMPATIBLE; i++)
        if (s->incompatible[i])
            return pf_complain(verb,
                               "%s: photofinish cannot share a process with this sanitizer; build "
                               "without it (-fsanitize=undefined is allowed)",
                               s->incompatible[i]);
    if (s->no_frames)
        return pf_complain(verb,
                           "%s: not supported, because reports need the stack of every access; "
                           "remove the flag",
                           s->no_frames);
    if (s->no_atomics)
        return pf_complain(verb,
                           "%s: not supported, because accesses that atomic operations order would "
                           "be reported as races; remove the flag",
                           s->no_atomics);
    if (s->no_recover)
        return pf_complain(verb,
                           "%s: a race does not end the program; remove the flag and run the "
                           "program with PF_OPTIONS=halt_on_error=1",
                           s->no_recover);
    if (s->pass_option)
        return pf_complain(verb,
                           "%s: an option of ThreadSanitizer's compiler pass, which photofinish "
                           "does not use; remove the flag",
                           s->pass_option);
    return PF_EXIT_OK;
}
