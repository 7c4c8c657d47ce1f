/* clip_machine.c - see clip_machine.h. */
#define _GNU_SOURCE
#include "clip_machine.h"
#include "allocation.h"
#include <cpuid.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { REGISTERS = 4 }; /* leaf 1: ecx; leaf 7: ebx, ecx, edx */

/* Features by which glibc and common libraries choose their code. */
static const struct {
    const char *name;
    int at, bit;
} features[] = {
    {"sse3", 0, 0},     {"ssse3", 0, 9},     {"fma", 0, 12},      {"sse4.1", 0, 19},
    {"sse4.2", 0, 20},  {"movbe", 0, 22},    {"popcnt", 0, 23},   {"aes", 0, 25},
    {"xsave", 0, 26},   {"avx", 0, 28},      {"rdrand", 0, 30},   {"bmi1", 1, 3},
    {"avx2", 1, 5},     {"bmi2", 1, 8},      {"erms", 1, 9},      {"rtm", 1, 11},
    {"avx512f", 1, 16}, {"avx512dq", 1, 17}, {"avx512bw", 1, 30}, {"avx512vl", 1, 31},
    {"sha", 1, 29},     {"gfni", 2, 8},      {"vaes", 2, 9},      {"fsrm", 3, 4},
};

char *pf_clip_machine(void)
{
    unsigned a, b, c, d, r[REGISTERS] = {0};
    struct utsname os = {.release = "?"};
    if (__get_cpuid(1, &a, &b, &c, &d))
        r[0] = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        r[1] = b;
        r[2] = c;
        r[3] = d;
    }
    uname(&os);
    return pf_mem_format("cpu %08x %08x %08x %08x\nkernel %s\nlibc %s\n", r[0], r[1], r[2], r[3],
                         os.release, gnu_get_libc_version());
}

/* The value of a line; "" if there is none. */
static void value_of(const char *text, const char *name, char *to, size_t room)
{
    size_t n = strlen(name);
    *to = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, n) && line[n] == ' ')
            snprintf(to, room, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
    }
}

static void add(char *to, size_t room, const char *separator, const char *text)
{
    size_t n = strlen(to);
    snprintf(to + n, room - n, "%s%s", n ? separator : "", text);
}

static void compare_cpu(const char *recorded, const char *here, char *to, size_t room)
{
    char a[80], b[80], differing[300] = "";
    unsigned x[REGISTERS] = {0}, y[REGISTERS] = {0};
    value_of(recorded, "cpu", a, sizeof a);
    value_of(here, "cpu", b, sizeof b);
    if (sscanf(a, "%x %x %x %x", &x[0], &x[1], &x[2], &x[3]) != REGISTERS ||
        sscanf(b, "%x %x %x %x", &y[0], &y[1], &y[2], &y[3]) != REGISTERS)
        return;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        unsigned bit = 1u << features[i].bit;
        bool was = x[features[i].at] & bit, is = y[features[i].at] & bit;
        char word[32];
        snprintf(word, sizeof word, "%s%s", was ? "" : "+", features[i].name);
        if (was != is)
            add(differing, sizeof differing, " ", word);
    }
    if (*differing) {
        add(to, room, "; ", "CPU features differ (+: only on this machine): ");
        add(to, room, "", differing);
    }
}

static void compare_value(const char *recorded, const char *here, const char *name,
                          const char *title, char *to, size_t room)
{
    char a[100], b[100], text[260];
    value_of(recorded, name, a, sizeof a);
    value_of(here, name, b, sizeof b);
    snprintf(text, sizeof text, "%s %s, here %s", title, a, b);
    if (*a && *b && strcmp(a, b))
        add(to, room, "; ", text);
}

bool pf_clip_machine_compare(const char *recorded, const char *here, bool all, char *to,
                             size_t room)
{
    *to = 0;
    compare_cpu(recorded, here, to, room);
    compare_value(recorded, here, "libc", "glibc", to, room);
    if (all)
        compare_value(recorded, here, "kernel", "kernel", to, room);
    return *to;
}
