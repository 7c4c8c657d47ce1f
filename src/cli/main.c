/* main.c - `pf`: finds the verb and calls it. Also installed as pf-cc and pf-c++: then the verb
 * is taken from the name of the program; and as pf-llvm-ar and pf-llvm-ranlib, because CMake takes
 * `pf-` for a prefix of all tools. */
#include "cli.h"
#include "cores.h"
#include "run_report.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_LIMIT (256u << 20) /* instead of an unlimited stack */

static const struct verb {
    const char *word;
    int (*function)(int argc, char **argv);
    const char *help;
} verbs[] = {
#define PF_VERB(word, function, help) {word, function, help},
#include "verbs.def"
#undef PF_VERB
};
#define NVERBS (sizeof verbs / sizeof verbs[0])

static const struct verb *find(const char *word)
{
    for (size_t i = 0; i < NVERBS; i++)
        if (!strcmp(verbs[i].word, word))
            return &verbs[i];
    return NULL;
}

static int help(FILE *to)
{
    fputs(
        "usage: pf VERB [OPTION...] [ARGUMENT...]\n"
        "\n"
        "photofinish finds data races in multi-threaded C and C++.\n"
        "\n"
        "  pf cc -g -o prog prog.c -pthread     build with checks\n"
        "  pf check -- ./prog                   run all stages; a clip for each confirmed finding\n"
        "  pf run -- ./prog                     run once; exit status 66 if there are races\n"
        "\n"
        "verbs:\n",
        to);
    for (size_t i = 0; i < NVERBS; i++)
        fprintf(to, "  %-8s %s\n", verbs[i].word, verbs[i].help);
    fputs("\n  pf help VERB, man pf-VERB      help for one verb\n"
          "  pf --version                   print the version\n",
          to);
    return to == stdout ? PF_EXIT_OK : PF_EXIT_USAGE;
}

static int unknown(const char *word)
{
    const char *words[NVERBS];
    for (size_t i = 0; i < NVERBS; i++)
        words[i] = verbs[i].word;
    const char *near = pf_cli_closest(word, words, NVERBS);
    if (near)
        return pf_complain(NULL, "unknown verb '%s'; did you mean '%s'?", word, near);
    return pf_complain(NULL, "unknown verb '%s'; see pf --help", word);
}

/* If a standard stream were closed, the next file opened would get its number and receive
 * messages meant for the stream. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(PF_EXIT_USAGE);
}

/* Lets writes beyond the file size limit fail with an error. A handler is used because an
 * ignored signal would be inherited by the programs that pf starts. */
static void on_limit(int signal) { (void)signal; }

static int run(int argc, char **argv)
{
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    const char *name = !argc ? "" : slash ? slash + 1 : argv[0];
    if (!strncmp(name, "pf-", 3)) {
        const struct verb *v = find(name + 3);
        if (v && v->function)
            return v->function(argc, argv);
        if (!strcmp(name, "pf-llvm-ar") || !strcmp(name, "pf-llvm-ranlib"))
            return pf_llvm_tool(name + 3, argv);
    }
    if (argc < 2)
        return help(stderr);
    const char *word = argv[1];
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || (!strcmp(word, "help") && argc == 2))
        return help(stdout);
    if (!strcmp(word, "help")) /* pf help VERB */
        return run(3, (char *[]){argv[0], argv[2], "--help", NULL});
    if (!strcmp(word, "--version")) {
        puts("photofinish " PF_VERSION);
        return PF_EXIT_OK;
    }
    const struct verb *v = find(word);
    if (!v)
        return unknown(word);
    return v->function(argc - 1, argv + 1);
}

/* The internal options `pf --report-to FILE [--cores HEX] VERB ...`: see run_report.h, cores.h. */
static int run_and_report(int argc, char **argv)
{
    struct pf_error e;
    const char *file = argv[2];
    int skip = 2;
    if (argc > 4 && !strcmp(argv[3], "--cores") && pf_cores_take(argv[4]))
        skip = 4;
    argv[skip] = argv[0];
    int status = run(argc - skip, argv + skip);
    pf_run_report.status = status;
    snprintf(pf_run_report.error, sizeof pf_run_report.error, "%s", pf_last_complaint());
    return pf_run_report_write(&pf_run_report, file, &e) == PF_OK ? status
                                                                  : pf_complain(NULL, "%s", e.text);
}

/* If the stack is unlimited, Linux places mappings where the shadow memory of free runs is.
 * Programs that pf starts inherit the limit. */
static void limit_stack(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur != RLIM_INFINITY)
        return;
    r.rlim_cur = STACK_LIMIT;
    setrlimit(RLIMIT_STACK, &r);
}

int main(int argc, char **argv)
{
    limit_stack();
    fill_standard_streams();
    signal(SIGXFSZ, on_limit);
    bool report = argc > 2 && !strcmp(argv[1], "--report-to");
    return report ? run_and_report(argc, argv) : run(argc, argv);
}
