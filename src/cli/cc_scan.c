/* cc_scan.c - see cc_scan.h. */
#define _GNU_SOURCE
#include "cc_scan.h"
#include "allocation.h"
#include "vector.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static bool is_one_of(const char *arg, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(arg, *list))
            return true;
    return false;
}

/* Flags whose value is the next argument. */
static const char *const with_value[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-D",
                                         "-U",
                                         "-L",
                                         "-l",
                                         "-B",
                                         "-F",
                                         "-T",
                                         "-u",
                                         "-e",
                                         "-z",
                                         "-MF",
                                         "-MT",
                                         "-MQ",
                                         "-MJ",
                                         "-A",
                                         "-G",
                                         "-b",
                                         "-V",
                                         "-arch",
                                         "-target",
                                         "-include",
                                         "-imacros",
                                         "-include-pch",
                                         "-isystem",
                                         "-isystem-after",
                                         "-iquote",
                                         "-idirafter",
                                         "-isysroot",
                                         "-iprefix",
                                         "-iwithprefix",
                                         "-iwithprefixbefore",
                                         "-iwithsysroot",
                                         "-iframework",
                                         "-ivfsoverlay",
                                         "-framework",
                                         "-Xclang",
                                         "-Xlinker",
                                         "-Xassembler",
                                         "-Xpreprocessor",
                                         "-Xanalyzer",
                                         "-Xopenmp-target",
                                         "-mllvm",
                                         "-mmlir",
                                         "-rpath",
                                         "-dumpdir",
                                         "-dumpbase",
                                         "-aux-info",
                                         "--param",
                                         "--sysroot",
                                         "--serialize-diagnostics",
                                         "-working-directory",
                                         "-load",
                                         "-plugin",
                                         "--config",
                                         "-wrapper",
                                         "-specs",
                                         "--output",
                                         "--language",
                                         "--include-directory",
                                         "--define-macro",
                                         "-serialize-diagnostics",
                                         "-fmodule-output",
                                         NULL};

int pf_cc_scan_values(const char *arg) { return is_one_of(arg, with_value); }

/* Flags with which nothing is linked. */
static const char *const stops[] = {"-c",
                                    "-S",
                                    "-E",
                                    "-M",
                                    "-MM",
                                    "-fsyntax-only",
                                    "--analyze",
                                    "--precompile",
                                    "-emit-ast",
                                    "--compile",
                                    "--assemble",
                                    "--preprocess",
                                    "-emit-llvm-bc",
                                    "--version",
                                    "--help",
                                    "-verify-pch",
                                    "-module-file-info",
                                    "-rewrite-objc",
                                    "-fdriver-only",
                                    "--emit-static-lib",
                                    "-emit-interface-stubs",
                                    "-dumpversion",
                                    "-dumpmachine",
                                    "-extract-api",
                                    NULL};

static const char *const partial[] = {"-shared", "--shared", "-r", "-dynamiclib", "-bundle", NULL};

/* True if the flag enables debug information with line numbers. Many flags that start with -g
 * only modify it; a -g0 of the user comes after our own flag and turns it off. */
static bool enables_line_tables(const char *arg)
{
    static const char *const on[] = {"-ggdb", "-gdwarf", "-glldb", "-gline-tables-only",
                                     "-gmlt", "-gfull",  "-gused", "-gsce",
                                     "-gdbx", NULL};
    if (!strcmp(arg, "-g") || (starts(arg, "-g") && arg[2] >= '1' && arg[2] <= '9'))
        return true;
    if (!strcmp(arg, "-ggdb0"))
        return false;
    for (const char *const *p = on; *p; p++)
        if (starts(arg, *p))
            return true;
    return false;
}

static bool is_our_target(const char *triple)
{
    return starts(triple, "x86_64") && strstr(triple, "linux") && !strstr(triple, "gnux32") &&
           !strstr(triple, "android");
}

static bool ends_in(const char *file, const char *const *ends)
{
    const char *dot = strrchr(file, '.');
    return dot && is_one_of(dot, ends);
}
static const char *const cxx_ends[] = {".cc", ".cp", ".cxx",  ".cpp", ".CPP", ".c++",
                                       ".C",  ".ii", ".cppm", ".ccm", ".ixx", NULL};
static const char *const header_ends[] = {".h",   ".H",   ".hh",  ".hp",  ".hpp",
                                          ".HPP", ".hxx", ".h++", ".tcc", NULL};

static void scan_target(struct pf_cc_scan *s, const char *arg, const char *triple)
{
    s->target = is_our_target(triple) ? NULL : arg;
}

static void scan_args(struct pf_cc_scan *s, int argc, char *const *argv, int depth);

/* Returns the next word of a response file (GNU quoting) and advances *at; NULL at the end. */
static char *next_word(const char **at)
{
    const char *p = *at;
    while (isspace((unsigned char)*p))
        p++;
    if (!*p)
        return NULL;
    char *word = pf_mem_resize(NULL, strlen(p) + 1, 1), *out = word;
    for (char quote = 0; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == '\\' && p[1])
            *out++ = *++p;
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            *out++ = *p;
    }
    *out = 0;
    *at = p;
    return word;
}

static void scan_response(struct pf_cc_scan *s, const char *path, int depth)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    PF_VEC(char *) words = {0};
    size_t size = 0;
    if (!in || getdelim(&text, &size, 0, in) < 0) {
        if (in)
            fclose(in);
        return; /* clang will report the error */
    }
    fclose(in);
    const char *at = text;
    for (char *word; (word = next_word(&at));) {
        pf_vec_push(&words, word);
        if (starts(word, "-fpf-") || !strcmp(word, "--symbolic") || !strcmp(word, "--on-demand") ||
            pf_cc_sanitize_is_ours(word))
            s->in_response = word;
    }
    if (words.len)
        scan_args(s, (int)words.len, words.at, depth - 1);
}

static void scan_input(struct pf_cc_scan *s, const char *file)
{
    s->inputs++;
    s->cxx |= ends_in(file, cxx_ends);
    s->headers += s->language ? strstr(s->language, "-header") != NULL : ends_in(file, header_ends);
}

static void scan_language(struct pf_cc_scan *s, const char *language)
{
    s->language = strcmp(language, "none") ? language : NULL;
    s->cxx |= starts(language, "c++");
}

static void scan_one(struct pf_cc_scan *s, const char *arg, const char *value, int depth)
{
    if (pf_cc_sanitize_scan(&s->sanitize, arg, value))
        return;
    if (arg[0] == '@' && depth)
        scan_response(s, arg + 1, depth);
    else if (arg[0] != '-' || !arg[1])
        scan_input(s, arg);
    else if (starts(arg, "-x") && (arg[2] || value))
        scan_language(s, arg[2] ? arg + 2 : value);
    else if (is_one_of(arg, stops) || starts(arg, "-print-") || starts(arg, "--print-"))
        s->links = false;
    else if (is_one_of(arg, partial))
        s->executable = false;
    else if (!strcmp(arg, "-static") || !strcmp(arg, "--static") || !strcmp(arg, "-static-pie"))
        s->is_static = true;
    else if (starts(arg, "-flto"))
        s->lto = true;
    else if (!strcmp(arg, "-fno-lto"))
        s->lto = false;
    else if (!strcmp(arg, "-m32") || !strcmp(arg, "-mx32") || !strcmp(arg, "-m16"))
        s->target = arg;
    else if (!strcmp(arg, "-m64"))
        s->target = NULL;
    else if (starts(arg, "--target="))
        scan_target(s, arg, arg + 9);
    else if (!strcmp(arg, "-target") && value)
        scan_target(s, value, value);
    else if ((starts(arg, "-Wl,") && (strstr(arg, ",--no-undefined") || strstr(arg, ",defs"))) ||
             (value && (!strcmp(value, "defs") || !strcmp(value, "--no-undefined"))))
        s->all_defined = true;
    else if (starts(arg, "-g"))
        s->debug |= enables_line_tables(arg);
}

static void scan_args(struct pf_cc_scan *s, int argc, char *const *argv, int depth)
{
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--")) {
            while (++i < argc)
                scan_input(s, argv[i]);
            return;
        }
        int values = pf_cc_scan_values(argv[i]);
        scan_one(s, argv[i], values && i + 1 < argc ? argv[i + 1] : NULL, depth);
        i += values;
    }
}

#define RESPONSE_DEPTH 8

void pf_cc_scan(struct pf_cc_scan *s, int argc, char *const *argv)
{
    *s = (struct pf_cc_scan){.links = true, .executable = true};
    scan_args(s, argc, argv, RESPONSE_DEPTH);
    if (s->inputs && s->headers == s->inputs)
        s->links = false;
}
