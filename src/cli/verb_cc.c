/* verb_cc.c - see verb_cc.h. */
#define _GNU_SOURCE
#include "verb_cc.h"
#include "cc_scan.h"
#include "cli.h"
#include "ignore_line.h"
#include "libdir.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    char **argv;
    size_t n;
};

static void add(struct command *c, const char *arg)
{
    c->argv = realloc(c->argv, (c->n + 2) * sizeof *c->argv);
    if (!c->argv)
        abort();
    c->argv[c->n++] = (char *)arg;
    c->argv[c->n] = NULL;
}

static void add_linker(struct command *c, const char *arg)
{
    add(c, "-Xlinker"); /* unlike -Wl, takes any path */
    add(c, arg);
}

static char *join(const char *a, const char *b)
{
    char *s;
    if (asprintf(&s, "%s%s", a, b) < 0)
        abort();
    return s;
}

#define PLUGIN "/libpf_plugin.so"
#define RUNTIME "/libpf_rt.a"
#define EXPORTS "/pf_rt.list"

static int check_ignore_list(const char *verb, const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL, *glob;
    size_t size = 0;
    int status = PF_EXIT_OK;
    if (!in)
        return pf_complain(verb, "cannot read the ignore list %s: %s", path, strerror(errno));
    for (unsigned number = 1; !status && getline(&line, &size, in) >= 0; number++)
        if (pf_ignore_line(line, &glob) == PF_IGNORE_BAD)
            status = pf_complain(verb, "%s:%u: expected fun:GLOB or src:GLOB, found \"%s\"", path,
                                 number, glob - 4);
    free(line);
    fclose(in);
    return status;
}

/* Flags of our own go to the plugin by its environment; lists are separated by newlines. */
static int take_own_flag(const char *verb, const char *arg)
{
    if (!strncmp(arg, "-fpf-ignore=", 12)) {
        const char *before = getenv("PF_PLUGIN_IGNORE");
        char *path = realpath(arg + 12, NULL), *list = NULL;
        int status = check_ignore_list(verb, path ? path : arg + 12);
        if (!status &&
            asprintf(&list, "%s%s%s", before ? before : "", before ? "\n" : "", path) < 0)
            abort();
        if (!status)
            setenv("PF_PLUGIN_IGNORE", list, 1);
        free(list);
        free(path);
        return status;
    }
    if (!strcmp(arg, "-fpf-inline=loops") || !strcmp(arg, "-fpf-inline=all") ||
        !strcmp(arg, "-fpf-inline=none")) {
        setenv("PF_PLUGIN_INLINE", arg + 12, 1);
        return PF_EXIT_OK;
    }
    return pf_complain(verb,
                       "unknown flag %s; there are -fpf-ignore=FILE and "
                       "-fpf-inline=loops|all|none",
                       arg);
}

static int refuse(const char *verb, const struct pf_cc_scan *s)
{
    if (s->target)
        return pf_complain(verb, "%s: only x86-64 Linux is supported", s->target);
    if (s->lto)
        return pf_complain(verb,
                           "%s: link-time optimisation is not supported, because checks are "
                           "added when a file is compiled; leave it out",
                           s->lto);
    if (s->sanitizer)
        return pf_complain(verb,
                           "%s: photofinish cannot share a process with this sanitizer; build "
                           "without it (-fsanitize=undefined is fine)",
                           s->sanitizer);
    if (s->links && s->executable && s->is_static && s->inputs)
        return pf_complain(verb, "static linking is not supported: the runtime stands in front of "
                                 "functions of the shared C library; leave out -static");
    if (s->in_response)
        return pf_complain(verb, "%s: give this flag on the command line, not in a response file",
                           s->in_response);
    return PF_EXIT_OK;
}

static void add_compile_flags(struct command *c, const char *libdir, const struct pf_cc_scan *s,
                              bool cxx)
{
    add(c, join("-fpass-plugin=", join(libdir, PLUGIN)));
    /* In the compiler proper only: marks functions as watched, keeps the optimizer from inventing
     * accesses, and tells the source by __has_feature(thread_sanitizer). */
    add(c, "-Xclang");
    add(c, "-fsanitize=thread");
    add(c, "-fno-discard-value-names"); /* names of variables and members in reports */
    if (!s->debug)
        add(c, "-gline-tables-only");
    if (!s->debug && cxx) {
        /* Full names of inlined functions, without what else it does (other inlining). */
        add(c, "-fdebug-info-for-profiling");
        add(c, "-mllvm");
        add(c, "-enable-npm-pgo-inline-deferral=false");
    }
}

static void add_link_flags(struct command *c, const char *libdir)
{
    add_linker(c, "--whole-archive");
    add_linker(c, join(libdir, RUNTIME));
    add_linker(c, "--no-whole-archive");
    add_linker(c, join("--dynamic-list=", join(libdir, EXPORTS)));
}

static int print_help(const char *verb, const char *clang)
{
    printf(
        "usage: pf %s ARGUMENT...\n\n"
        "Compiles and links like %s, with checks for pf run. All flags of %s work but for\n"
        "-static, -flto and the other sanitizers. Flags of its own:\n\n"
        "  -fpf-ignore=FILE     do not check what the list names: lines fun:GLOB, src:GLOB\n"
        "  -fpf-inline=WHERE    checks as inline code: loops (default), all, none\n\n"
        "Environment: PF_CC_VERBOSE=1 prints the command, PF_LIBDIR is where libpf_plugin.so and\n"
        "libpf_rt.a are if not beside pf. See also: man pf-cc, %s --help\n",
        verb, clang, clang, clang);
    return PF_EXIT_OK;
}

int pf_cmd_cc(int argc, char **argv, bool cxx)
{
    const char *verb = cxx ? "c++" : "cc", *clang = cxx ? "clang++-19" : "clang-19";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return print_help(verb, clang);
    struct pf_cc_scan scan;
    pf_cc_scan(&scan, argc - 1, argv + 1);
    int status = refuse(verb, &scan);
    if (status)
        return status;
    const char *libdir = pf_libdir_find(PLUGIN);
    if (!libdir)
        return pf_complain(verb, "cannot find libpf_plugin.so: it should be in ../lib/photofinish "
                                 "beside pf's folder, or in $PF_LIBDIR");
    bool runtime = scan.links && scan.executable && scan.inputs;
    if (runtime && access(join(libdir, RUNTIME), R_OK))
        return pf_complain(verb, "cannot read %s%s: %s", libdir, RUNTIME, strerror(errno));
    struct command c = {0};
    add(&c, clang);
    add(&c, "--start-no-unused-arguments");
    if (runtime)
        add_link_flags(&c, libdir);
    setenv("PF_PLUGIN_EXPORTS", join(libdir, EXPORTS), 1);
    add_compile_flags(&c, libdir, &scan, cxx || scan.cxx);
    add(&c, "--end-no-unused-arguments");
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-fpf-", 5)) {
            if ((status = take_own_flag(verb, argv[i])))
                return status;
            continue;
        }
        add(&c, argv[i]);
        if (pf_cc_values(argv[i]) && i + 1 < argc)
            add(&c, argv[++i]);
    }
    if (scan.links && !scan.executable && scan.all_defined) {
        /* The runtime is in the executable: our entry points must stay undefined here. */
        add_linker(&c, "-z");
        add_linker(&c, "undefs");
    }
    if (getenv("PF_CC_VERBOSE")) {
        for (size_t i = 0; i < c.n; i++)
            fprintf(stderr, "%s%s", i ? " " : "", c.argv[i]);
        fputc('\n', stderr);
    }
    execvp(clang, c.argv);
    if (errno == ENOENT)
        return pf_complain(verb, "%s is not installed; it is in the Debian package clang-19",
                           clang);
    return pf_complain(verb, "cannot run %s: %s", clang, strerror(errno));
}

int pf_cc_c(int argc, char **argv) { return pf_cmd_cc(argc, argv, false); }
int pf_cc_cxx(int argc, char **argv) { return pf_cmd_cc(argc, argv, true); }
