/* input_bytes.c - see input_bytes.h. */
#include "input_bytes.h"
#include "hash_mix.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pf_input_is_word(const char *name)
{
    return !strncmp(name, "argv[", 5) || !strncmp(name, "env:", 4);
}

void pf_input_bytes_release(struct pf_input_bytes *in)
{
    for (size_t i = 0; i < in->sources.len; i++) {
        free(in->sources.at[i].name);
        free(in->sources.at[i].bytes);
    }
    pf_vec_release(&in->sources);
}

static struct pf_input_source *find(const struct pf_input_bytes *in, const char *name)
{
    for (size_t i = 0; i < in->sources.len; i++)
        if (!strcmp(in->sources.at[i].name, name))
            return &in->sources.at[i];
    return NULL;
}

const struct pf_input_source *pf_input_bytes_find(const struct pf_input_bytes *in, const char *name)
{
    return find(in, name);
}

void pf_input_bytes_set(struct pf_input_bytes *in, const char *name, const void *bytes, size_t n)
{
    struct pf_input_source *s = find(in, name);
    if (!s) {
        size_t at = 0;
        while (at < in->sources.len && strcmp(in->sources.at[at].name, name) < 0)
            at++;
        pf_vec_reserve(&in->sources, 1);
        s = &in->sources.at[at];
        memmove(s + 1, s, (in->sources.len - at) * sizeof *s);
        in->sources.len++;
        *s = (struct pf_input_source){.name = pf_mem_copy(name)};
    }
    unsigned char *old = s->bytes;
    s->bytes = pf_mem_resize(NULL, n + 1, 1);
    if (n)
        memcpy(s->bytes, bytes, n);
    s->bytes[n] = 0;
    s->n = n;
    free(old);
}

void pf_input_bytes_copy(struct pf_input_bytes *to, const struct pf_input_bytes *from)
{
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < from->sources.len; i++) {
        const struct pf_input_source *s = &from->sources.at[i];
        pf_input_bytes_set(to, s->name, s->bytes, s->n);
    }
}

uint64_t pf_input_bytes_hash(const struct pf_input_bytes *in)
{
    uint64_t h = 1;
    for (size_t i = 0; i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        for (const char *p = s->name; *p; p++)
            h = pf_hash_mix(h, (unsigned char)*p);
        h = pf_hash_mix(h, 256 + s->n);
        for (size_t k = 0; k < s->n; k++)
            h = pf_hash_mix(h, s->bytes[k]);
    }
    return h;
}

bool pf_input_is_late(const char *name)
{
    return !strncmp(name, "socket[", strlen("socket[")) || !strcmp(name, "random");
}

bool pf_input_bytes_add_option(struct pf_input_bytes *in, uint32_t first, const unsigned char *text,
                               size_t n)
{
    char name[32];
    uint32_t i = first;
    size_t option = 0; /* its bytes without the value */
    while (option < n && text[option] != '=')
        option++;
    for (size_t k = 0; k < in->sources.len; k++)
        if (!strncmp(in->sources.at[k].name, "argv[", 5) && in->sources.at[k].n >= option &&
            !memcmp(in->sources.at[k].bytes, text, option))
            return false;
    do
        snprintf(name, sizeof name, "argv[%u]", i);
    while (pf_input_bytes_find(in, name) && ++i);
    if (i >= first + PF_OPTIONS_ADDED)
        return false;
    pf_input_bytes_set(in, name, text, n);
    return true;
}
