/*
 * verb_cc.c - `pf cc` and `pf c++`: run clang-19 with the plugin, line tables and, when an
 * executable is linked, the runtime.
 *
 * The command line is passed to clang unchanged, with flags added around it; cc_scan.h reads it
 * first to find out what clang will do. With -fno-sanitize=thread, nothing is added. What cannot
 * work (static linking, other sanitizers, other targets) is refused with a message and exit
 * status 2; all other errors are clang's.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "cc_scan.h"
#include "cli.h"
#include "ignore_line.h"
#include "libdir.h"
#include "vector.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    PF_VEC(char *) argv; /* and a NULL after the last one */
};

static void add(struct command *c, const char *arg)
{
    pf_vec_reserve(&c->argv, 2);
    c->argv.at[c->argv.len++] = (char *)arg;
    c->argv.at[c->argv.len] = NULL;
}

static void add_linker(struct command *c, const char *arg)
{
    add(c, "-Xlinker"); /* unlike -Wl, it accepts any path */
    add(c, arg);
}

static char *join(const char *a, const char *b) { return pf_mem_format("%s%s", a, b); }

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

/* Handles a -fpf- flag: passes it to the plugin through the environment, where lists are
 * separated by newlines. */
static int take_own_flag(const char *verb, const char *arg)
{
    if (!strncmp(arg, "-fpf-ignore=", 12)) {
        const char *before = getenv("PF_PLUGIN_IGNORE");
        char *path = realpath(arg + 12, NULL);
        int status = check_ignore_list(verb, path ? path : arg + 12);
        if (!status)
            pf_mem_setenv("PF_PLUGIN_IGNORE", "%s%s%s", before ? before : "", before ? "\n" : "",
                          path);
        free(path);
        return status;
    }
    if (!strcmp(arg, "-fpf-inline=loops") || !strcmp(arg, "-fpf-inline=all") ||
        !strcmp(arg, "-fpf-inline=none")) {
        setenv("PF_PLUGIN_INLINE", arg + 12, 1);
        return PF_EXIT_OK;
    }
    if (!strcmp(arg, "-fpf-use-after-scope")) {
        setenv("PF_PLUGIN_SCOPES", "1", 1);
        return PF_EXIT_OK;
    }
    return pf_complain(verb,
                       "unknown flag %s; known flags are -fpf-ignore=FILE, "
                       "-fpf-inline=loops|all|none and -fpf-use-after-scope",
                       arg);
}

static int refuse(const char *verb, const struct pf_cc_scan *s)
{
    if (s->in_response)
        return pf_complain(verb, "%s: give this flag on the command line, not in a response file",
                           s->in_response);
    if (s->sanitize.off)
        return PF_EXIT_OK;
    if (s->target)
        return pf_complain(verb, "%s: only x86-64 Linux is supported", s->target);
    if (s->links && s->executable && s->is_static && s->inputs)
        return pf_complain(verb, "static linking is not supported, because the runtime interposes "
                                 "functions of the shared C library; remove -static");
    return pf_cc_sanitize_refuse(&s->sanitize, verb);
}

static void add_compile_flags(struct command *c, const char *libdir, const struct pf_cc_scan *s,
                              bool cxx)
{
    add(c, join("-fpass-plugin=", join(libdir, PLUGIN)));
    /* For the compiler proper only: marks the functions to instrument, keeps the optimizer from
     * inventing accesses, and makes __has_feature(thread_sanitizer) true. */
    add(c, "-Xclang");
    add(c, "-fsanitize=thread");
    /* clang's driver only passes them on if it runs a sanitizer itself; it has checked them */
    for (size_t i = 0; i < s->sanitize.ignorelists.len; i++) {
        add(c, "-Xclang");
        add(c, join("-fsanitize-ignorelist=", s->sanitize.ignorelists.at[i]));
    }
    if (s->sanitize.no_accesses)
        setenv("PF_PLUGIN_ACCESSES", "none", 1);
    add(c, "-fno-discard-value-names"); /* for names of variables and members in reports */
    if (!s->debug) {
        add(c, "-gdwarf-4"); /* valgrind 3.19 stops at clang's version 5 */
        add(c, "-gline-tables-only");
    }
    if (!s->debug && cxx) {
        /* for full names of inlined functions; the flag below undoes its effect on inlining */
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

static bool is_on_demand(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--on-demand"))
            return true;
    return getenv("PF_PLUGIN_ON_DEMAND");
}

static int print_help(const char *verb, const char *clang)
{
    printf("usage: pf %s ARGUMENT...\n"
           "\n"
           "Compiles and links like %s, with checks for pf run. All flags of %s work, except\n"
           "-static, targets other than x86-64 Linux, sanitizers that need the same memory or\n"
           "functions (address, memory, leak and others) and some flags of ThreadSanitizer: these "
           "are\n"
           "refused with the reason. -fno-sanitize=thread turns the checks and the runtime off;\n"
           "-fsanitize-ignorelist=FILE means what it means for ThreadSanitizer.\n"
           "Additional flags:\n"
           "\n"
           "  -fpf-ignore=FILE     do not check code that matches a line fun:GLOB or src:GLOB of "
           "FILE\n"
           "  -fpf-inline=WHERE    where checks are inline code: loops (default), all, none\n"
           "  -fpf-use-after-scope report uses of stack variables after the end of their scope\n"
           "  --symbolic           add symbolic bodies, for pf record --symbolic: twice the code\n"
           "  --on-demand          smaller code: what only directed verbs need (pf record, pf hunt "
           "and\n"
           "                       others) is compiled when the first of them runs the program\n"
           "\n"
           "Environment: PF_CC_VERBOSE=1 prints the command. PF_LIBDIR is the folder of "
           "libpf_plugin.so and\n"
           "libpf_rt.a if they are not in ../lib/photofinish relative to pf. See also: man pf-cc, "
           "%s --help\n",
           verb, clang, clang, clang);
    return PF_EXIT_OK;
}

/* Flags that must follow all flags of the user. */
static void add_last_flags(struct command *c, const struct pf_cc_scan *s)
{
    if (s->sanitize.off)
        return;
    /* -fsanitize=thread is for the compiler proper, not for the driver, which would link
     * ThreadSanitizer's runtime. */
    if (s->sanitize.named)
        add(c, "-fno-sanitize=thread");
    if (s->links && !s->executable && s->all_defined) {
        /* The runtime is in the executable, so its entry points must stay undefined here. */
        add_linker(c, "-z");
        add_linker(c, "undefs");
    }
}

/* Adds the user's arguments without those that only pf cc understands. */
static int add_arguments(struct command *c, const char *verb, const struct pf_cc_scan *s, int argc,
                         char **argv)
{
    int i = 1, status;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--symbolic")) {
            setenv("PF_PLUGIN_SYMBOLIC", "1", 1);
        } else if (!strcmp(argv[i], "--on-demand")) {
            setenv("PF_PLUGIN_ON_DEMAND", "1", 1);
        } else if (!strncmp(argv[i], "-fpf-", 5)) {
            if ((status = take_own_flag(verb, argv[i])))
                return status;
            if (!strcmp(argv[i], "-fpf-use-after-scope")) { /* lifetime markers, also at -O0 */
                add(c, "-Xclang");
                add(c, "-fsanitize-address-use-after-scope");
            }
        } else if (!pf_cc_sanitize_is_ours(argv[i])) {
            add(c, argv[i]);
            if (pf_cc_scan_values(argv[i]) && i + 1 < argc)
                add(c, argv[++i]);
        }
    }
    add_last_flags(c, s);
    for (; i < argc; i++) /* "--" and input files */
        add(c, argv[i]);
    return PF_EXIT_OK;
}

/* Adds the plugin, the runtime and the flags that they need. */
static int add_own_flags(struct command *c, const char *verb, const struct pf_cc_scan *s, bool cxx,
                         int argc, char **argv)
{
    const char *libdir = pf_libdir_find(PLUGIN);
    if (!libdir)
        return pf_complain(verb, "cannot find libpf_plugin.so; expected it in ../lib/photofinish "
                                 "relative to the folder of pf, or in $PF_LIBDIR");
    bool runtime = s->links && s->executable && s->inputs;
    if (runtime && access(join(libdir, RUNTIME), R_OK))
        return pf_complain(verb, "cannot read %s%s: %s", libdir, RUNTIME, strerror(errno));
    add(c, "--start-no-unused-arguments");
    if (runtime)
        add_link_flags(c, libdir);
    setenv("PF_PLUGIN_EXPORTS", join(libdir, EXPORTS), 1);
    add_compile_flags(c, libdir, s, cxx || s->cxx);
    if (s->links && s->inputs && is_on_demand(argc, argv))
        add_linker(c, "--build-id"); /* names the compiled code in the cache */
    add(c, "--end-no-unused-arguments");
    return PF_EXIT_OK;
}

/* OpenMP needs a header and a library that are not in the package of clang. */
static void check_openmp(const char *verb, int argc, char **argv)
{
    static const char *const headers[] = {"/usr/lib/llvm-19/lib/clang/19/include/omp.h",
                                          "/usr/local/include/omp.h", "/usr/include/omp.h"};
    bool wanted = false, elsewhere = false;
    for (int i = 1; i < argc; i++) {
        wanted |= !strcmp(argv[i], "-fopenmp") || !strncmp(argv[i], "-fopenmp=", 9);
        elsewhere |= !strncmp(argv[i], "-I", 2) && !access(join(argv[i] + 2, "/omp.h"), R_OK);
    }
    wanted &= !elsewhere;
    for (size_t i = 0; wanted && i < sizeof headers / sizeof *headers; i++)
        wanted = access(headers[i], R_OK);
    if (wanted)
        pf_note(verb, "omp.h is not installed; it is in the Debian package libomp-19-dev");
}

/* argv[0] is the verb. Returns only if clang could not be started. */
static int compile(int argc, char **argv, bool cxx)
{
    const char *verb = cxx ? "c++" : "cc", *clang = cxx ? "clang++-19" : "clang-19";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return print_help(verb, clang);
    struct pf_cc_scan scan;
    pf_cc_scan(&scan, argc - 1, argv + 1);
    struct command c = {0};
    add(&c, clang);
    int status = refuse(verb, &scan);
    if (!status && !scan.sanitize.off)
        status = add_own_flags(&c, verb, &scan, cxx, argc, argv);
    if (!status)
        status = add_arguments(&c, verb, &scan, argc, argv);
    if (status)
        return status;
    check_openmp(verb, argc, argv);
    if (scan.lto)
        setenv("PF_PLUGIN_LTO", "1", 1);
    /* Link-time optimisation renames functions and removes variables, which the table of addresses
     * names. */
    if (scan.lto && getenv("PF_PLUGIN_ON_DEMAND")) {
        unsetenv("PF_PLUGIN_ON_DEMAND");
        pf_note(verb, "--on-demand has no effect with -flto: the object gets all bodies");
    }
    if (getenv("PF_CC_VERBOSE")) {
        for (size_t i = 0; i < c.argv.len; i++)
            fprintf(stderr, "%s%s", i ? " " : "", c.argv.at[i]);
        fputc('\n', stderr);
    }
    execvp(clang, c.argv.at);
    if (errno == ENOENT)
        return pf_complain(verb, "%s is not installed; it is in the Debian package clang-19",
                           clang);
    return pf_complain(verb, "cannot run %s: %s", clang, strerror(errno));
}

int pf_verb_cc(int argc, char **argv) { return compile(argc, argv, false); }
int pf_verb_cxx(int argc, char **argv) { return compile(argc, argv, true); }

int pf_llvm_tool(const char *name, char **argv)
{
    char *tool = pf_mem_format("%s-19", name);
    argv[0] = tool;
    execvp(tool, argv);
    return pf_complain(NULL, "cannot run %s: %s; it is in the Debian package llvm-19", tool,
                       strerror(errno));
}
