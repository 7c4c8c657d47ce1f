/*
 * options.c - see options.h. The environment is read from /proc, because libc's copy does not exist
 * yet when the runtime starts; if /proc is not mounted, it is read from environ.
 */
#include "options.h"
#include "hooks.h"
#include "pool.h"
#include "sys.h"
#include "textbuf.h"
#include <fcntl.h>

extern char **environ;
extern const char *__tsan_default_options(void) __attribute__((weak));

struct pf_options pf_options = {
#define PF_OPTION(type, name, standard, help) .name = standard,
#include "options.def"
#undef PF_OPTION
};

enum type { BOOL, INT, TEXT, IGNORED };

static const struct option {
    const char *name;
    enum type type;
    void *value;
    bool *given;
    const char *standard, *help;
} table[] = {
#define PF_OPTION(type, name, standard, help)                                                      \
    {#name, type, &pf_options.name, &pf_options.given.name, #standard, help},
#define PF_OPTION_IGNORED(name, why) {#name, IGNORED, 0, 0, 0, why},
#include "options.def"
#undef PF_OPTION
#undef PF_OPTION_IGNORED
};
#define NOPTIONS (sizeof table / sizeof table[0])

_Noreturn void pf_refuse(const char *text)
{
    pf_sys_say("photofinish: ", text, "\n");
    pf_hooks.run_refused(text);
    for (;;)
        pf_sys(SYS_exit_group, 2);
}

static _Noreturn void refuse(const char *where, const char *what, const char *name,
                             const char *hint)
{
    static char text[512];
    const char *part[] = {where, ": ", what, " '", name, "'", hint};
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        for (const char *s = part[i]; *s && n + 1 < sizeof text; s++)
            text[n++] = *s;
    pf_refuse(text);
}

_Noreturn void pf_options_refuse(const char *option, const char *value)
{
    refuse("PF_OPTIONS", option, value,
           " is not a valid value of this option (help=1 lists the options)");
}

/* The whole environment: strings one after the other, and an empty string at the end. NULL on
 * failure. */
static char *read_environment(void)
{
    long fd = pf_sys(SYS_open, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
    for (size_t size = 64 << 10; fd >= 0; size *= 2) {
        char *at = pf_sys_map(NULL, size);
        size_t n = 0;
        long r = at ? 1 : 0;
        while (r > 0 && n + 2 < size) {
            r = pf_sys(SYS_pread64, fd, at + n, size - 2 - n, n);
            n += r > 0 ? (size_t)r : 0;
        }
        if (!at || r <= 0) { /* end of file, or a failure */
            pf_sys(SYS_close, fd);
            return r == 0 ? at : NULL;
        }
        pf_sys(SYS_munmap, at, size);
    }
    return NULL;
}

static char *find_variable(char *block, const char *name)
{
    size_t n = pf_str_len(name);
    if (!block) {
        for (char **e = environ; e && *e; e++)
            if (pf_str_starts(*e, name) && (*e)[n] == '=')
                return *e + n + 1;
        return NULL;
    }
    for (char *s = block; *s; s += pf_str_len(s) + 1)
        if (pf_str_starts(s, name) && s[n] == '=')
            return s + n + 1;
    return NULL;
}

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\t' || c == '\r';
}

static bool parse_bool(const char *s, bool *out)
{
    *out = pf_str_same(s, "1") || pf_str_same(s, "yes") || pf_str_same(s, "true");
    return *out || pf_str_same(s, "0") || pf_str_same(s, "no") || pf_str_same(s, "false");
}

static bool parse_int(const char *s, int *out)
{
    bool minus = *s == '-';
    long v = 0;
    s += minus;
    if (!*s)
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > 100000000)
            return false;
        v = v * 10 + (*s - '0');
    }
    *out = (int)(minus ? -v : v);
    return true;
}

static void set(const char *where, const char *name, const char *value)
{
    const struct option *o = table, *end = table + NOPTIONS;
    while (o < end && !pf_str_same(o->name, name))
        o++;
    if (o == end)
        refuse(where, "unknown option", name, " (help=1 lists the options)");
    if (o->type == BOOL && !parse_bool(value, o->value))
        refuse(where, "expected 0 or 1 for option", name, "");
    if (o->given)
        *o->given = true;
    bool yes;
    if (o->type == INT && parse_bool(value, &yes))
        *(int *)o->value = yes;
    else if (o->type == INT && !parse_int(value, o->value))
        refuse(where, "expected a number for option", name, "");
    if (o->type == TEXT)
        *(const char **)o->value = value;
}

/* Parses `s`, which it modifies. */
static void parse(const char *where, char *s)
{
    for (;;) {
        while (is_separator(*s))
            s++;
        if (!*s)
            return;
        char *name = s;
        while (*s && *s != '=' && !is_separator(*s))
            s++;
        if (*s != '=') {
            *s = 0;
            refuse(where, "expected name=value, found", name, "");
        }
        *s++ = 0;
        char *value = s, quote = *s;
        if (quote == '\'' || quote == '"') {
            value = ++s;
            while (*s && *s != quote)
                s++;
            if (!*s)
                refuse(where, "no closing quote in the value of", name, "");
        } else {
            while (*s && !is_separator(*s))
                s++;
        }
        bool last = !*s;
        *s = 0;
        s += !last;
        set(where, name, value);
    }
}

/* Parses a copy: child processes must find PF_OPTIONS unchanged. The values stay in it. */
static void parse_copy(const char *where, const char *text)
{
    if (!text || !*text)
        return;
    size_t n = pf_str_len(text) + 1;
    char *copy = pf_sys_map(NULL, n);
    if (!copy)
        return;
    pf_bytes_copy(copy, text, n);
    parse(where, copy);
}

static void print_help(void)
{
    pf_sys_say("photofinish: options of PF_OPTIONS (name=value, separated by ':')\n");
    for (size_t i = 0; i < NOPTIONS; i++) {
        const struct option *o = &table[i];
        if (o->type == IGNORED)
            pf_sys_say("  ", o->name, ": ignored, ", o->help, "\n");
        else
            pf_sys_say("  ", o->name, " (default ", o->standard, "): ", o->help, "\n");
    }
}

void pf_options_init(void)
{
    char *block = read_environment();
    if (__tsan_default_options)
        parse_copy("__tsan_default_options", __tsan_default_options());
    parse_copy("PF_OPTIONS", find_variable(block, "PF_OPTIONS"));
    const char *c = pf_options.color;
    if (!pf_str_same(c, "auto") && !pf_str_same(c, "always") && !pf_str_same(c, "never"))
        refuse("PF_OPTIONS", "expected auto, always or never for option 'color', found", c, "");
    if (pf_options.exitcode < 0 || pf_options.exitcode > 255)
        refuse("PF_OPTIONS", "expected 0 to 255 for option", "exitcode", "");
    const char *no_color = find_variable(block, "NO_COLOR");
    pf_options.no_color = no_color && *no_color;
    pf_options.log_dir = find_variable(block, "PF_LOG_DIR");
    pf_options.run = find_variable(block, "PF_RUN");
    if (pf_options.help)
        print_help();
}
