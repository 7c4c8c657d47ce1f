/* clip_environment.c - see clip_environment.h. */
#define _GNU_SOURCE
#include "clip_environment.h"
#include "allocation.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Variables that are read before the target can be observed, and those of the locale and the time
 * zone, which are not private and which many functions of libc read. */
static const char *const needed[] = {
    "LD_*",  "GLIBC_TUNABLES", "GLIBCXX_TUNABLES", "MALLOC_*", "PF_*",    "NO_COLOR", "TZ",
    "TZDIR", "LANG",           "LANGUAGE",         "LC_*",     "LOCPATH", "NLSPATH"};

static bool is_needed(const char *name)
{
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!fnmatch(needed[i], name, 0))
            return true;
    return false;
}

static bool matches(const char *globs, const char *name)
{
    bool found = false;
    char *list = globs ? pf_mem_copy(globs) : NULL, *at;
    for (char *g = list ? strtok_r(list, ",", &at) : NULL; g && !found;
         g = strtok_r(NULL, ",", &at))
        found = !fnmatch(g, name, 0);
    free(list);
    return found;
}

static size_t count(char **list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* The value in "NAME=VALUE"; NULL: there is none. */
static char *value_of(char *entry)
{
    char *equals = strchr(entry, '=');
    return equals ? equals + 1 : NULL;
}

pf_status pf_environment_choose(struct pf_clip_meta *m, bool keep, const char *redact,
                                struct pf_error *e)
{
    size_t n = count(m->env);
    if (n > PF_ENVIRONMENT_MAX && !keep)
        return pf_fail(e, PF_BAD,
                       "the environment has %zu variables, but only %d can be observed; use "
                       "--keep-env to record all values",
                       n, PF_ENVIRONMENT_MAX);
    if (keep && !redact)
        return PF_OK;
    m->values = pf_mem_zero(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        char *value = value_of(m->env[i]);
        if (!value || !*value)
            continue;
        char *name = pf_mem_copy_n(m->env[i], (size_t)(value - 1 - m->env[i]));
        if (!strcmp(name, PF_CHANNEL_ENV))
            ;
        else if (matches(redact, name))
            m->values[i] = PF_ENVIRONMENT_WITHHELD;
        else if (!keep && !is_needed(name))
            m->values[i] = PF_ENVIRONMENT_READ;
        free(name);
    }
    return PF_OK;
}

/* --- values in the stream --- */

typedef void (*take_value)(void *arg, uint32_t variable, const char *value, uint32_t length);

/* Calls `take` for every entry of the stream whose length agrees with the filler. */
static pf_status read_stream(const struct pf_clip *c, take_value take, void *arg,
                             struct pf_error *e)
{
    unsigned char *bytes;
    size_t n, variables = count(c->meta.env);
    pf_status s = pf_clip_stream(c, PF_STREAM_ENVIRONMENT, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    struct pf_environment_entry entry;
    for (size_t at = 0; n - at >= sizeof entry; at += entry.length) {
        memcpy(&entry, bytes + at, sizeof entry);
        at += sizeof entry;
        if (entry.length > n - at)
            break; /* the recording was cut off here */
        const char *filler =
            entry.variable < variables ? value_of(c->meta.env[entry.variable]) : NULL;
        if (filler && strlen(filler) == entry.length)
            take(arg, entry.variable, (const char *)bytes + at, entry.length);
    }
    free(bytes);
    return PF_OK;
}

static void put_back(void *arg, uint32_t variable, const char *value, uint32_t length)
{
    struct pf_clip *c = arg;
    memcpy(value_of(c->meta.env[variable]), value, length);
    if (c->meta.values) /* a mark for pf_environment_restore */
        c->meta.values[variable] |= PF_ENVIRONMENT_WAS_READ;
}

pf_status pf_environment_restore(struct pf_clip *c, struct pf_error *e)
{
    struct pf_clip_meta *m = &c->meta;
    pf_status s = m->values ? read_stream(c, put_back, c, e) : PF_OK;
    for (size_t i = 0; s == PF_OK && m->values && m->env && m->env[i]; i++) {
        bool known = m->values[i] & PF_ENVIRONMENT_WAS_READ;
        m->values[i] &= (unsigned char)~PF_ENVIRONMENT_WAS_READ;
        char *value = value_of(m->env[i]);
        if (known || m->values[i] == PF_ENVIRONMENT_STORED || !value)
            continue;
        value[-1] = 0;
        const char *own = getenv(m->env[i]);
        value[-1] = '=';
        if (own && strlen(own) == strlen(value))
            memcpy(value, own, strlen(value));
        else if (m->values[i] == PF_ENVIRONMENT_READ)
            m->values[i] = PF_ENVIRONMENT_UNKNOWN;
    }
    return s;
}

static void set_value(void *arg, uint32_t variable, const char *value, uint32_t length)
{
    struct pf_environment_values *v = arg;
    free(v->at[variable]);
    v->at[variable] = pf_mem_copy_n(value, length);
}

pf_status pf_environment_values_read(struct pf_environment_values *v, const struct pf_clip *c,
                                     struct pf_error *e)
{
    v->n = count(c->meta.env);
    v->at = pf_mem_zero(v->n + 1, sizeof *v->at);
    for (size_t i = 0; i < v->n; i++)
        if (!c->meta.values || c->meta.values[i] == PF_ENVIRONMENT_STORED) {
            const char *value = value_of(c->meta.env[i]);
            v->at[i] = pf_mem_copy(value ? value : "");
        }
    pf_status s = read_stream(c, set_value, v, e);
    if (s != PF_OK)
        pf_environment_values_release(v);
    return s;
}

void pf_environment_values_release(struct pf_environment_values *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->at[i]);
    free(v->at);
    *v = (struct pf_environment_values){0};
}

/* --- the target --- */

pf_status pf_environment_to_channel(const struct pf_clip_meta *m, struct pf_channel *c,
                                    struct pf_error *e)
{
    size_t n = count(m->env);
    if (!m->values)
        return PF_OK;
    for (size_t i = PF_ENVIRONMENT_MAX; i < n; i++)
        if (m->values[i] != PF_ENVIRONMENT_STORED)
            return pf_fail(e, PF_BAD, "more than %d variables in the environment of the clip",
                           PF_ENVIRONMENT_MAX);
    memcpy(c->environment, m->values, n < PF_ENVIRONMENT_MAX ? n : PF_ENVIRONMENT_MAX);
    return PF_OK;
}

static pf_status append_value(const struct pf_clip_meta *m, size_t i, struct pf_clip_writer *w,
                              struct pf_error *e)
{
    const char *value = value_of(m->env[i]);
    if (!value) /* no '=': a damaged clip may say that such a variable was read */
        return PF_OK;
    size_t length = strlen(value);
    struct pf_environment_entry head = {(uint32_t)i, (uint32_t)length};
    char *bytes = pf_mem_zero(sizeof head + length, 1);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, value, length);
    pf_status s = pf_clip_append(w, PF_STREAM_ENVIRONMENT, bytes, sizeof head + length, e);
    free(bytes);
    return s;
}

static void add_withheld(struct pf_clip_end *end, const char *entry)
{
    size_t n = strlen(end->withheld), name = strcspn(entry, "=");
    if (n + name + 3 > sizeof end->withheld)
        return;
    if (n) {
        memcpy(end->withheld + n, ", ", 2);
        n += 2;
    }
    memcpy(end->withheld + n, entry, name);
    end->withheld[n + name] = 0;
}

pf_status pf_environment_end(const struct pf_clip_meta *m, const struct pf_channel *c,
                             struct pf_clip_writer *w, struct pf_clip_end *end, struct pf_error *e)
{
    pf_status s = PF_OK;
    size_t n = m->values ? count(m->env) : 0, private = 0, read = 0;
    for (size_t i = 0; s == PF_OK && i < n && i < PF_ENVIRONMENT_MAX; i++) {
        bool was_read = c->environment[i] & PF_ENVIRONMENT_WAS_READ;
        private += m->values[i] == PF_ENVIRONMENT_READ;
        read += m->values[i] == PF_ENVIRONMENT_READ && was_read;
        if (was_read && m->values[i] == PF_ENVIRONMENT_WITHHELD)
            add_withheld(end, m->env[i]);
        if (w && c->environment_passed && !was_read && m->values[i] == PF_ENVIRONMENT_READ)
            s = append_value(m, i, w, e);
    }
    end->whole = !private                ? PF_WHOLE_NOT
                 : c->environment_passed ? PF_WHOLE_PASSED
                 : read == private       ? PF_WHOLE_READ
                                         : PF_WHOLE_NOT;
    return s;
}
