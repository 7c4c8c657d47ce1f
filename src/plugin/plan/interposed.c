/*
 * interposed.c - the names of the functions that the runtime interposes. A call of one is an event
 * that the runtime counts itself. The names are in the export list that programs are linked with
 * (environment variable PF_PLUGIN_EXPORTS). Without the list every such call is one additional
 * event, which does no harm.
 */
#include "plugin.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void load(struct pf_unit *u)
{
    const char *path = getenv("PF_PLUGIN_EXPORTS");
    FILE *in = path ? fopen(path, "r") : NULL;
    size_t n = 0, cap = 0, size;
    u->interposed_text = pf_grow(NULL, 1);
    u->interposed_text[0] = 0;
    if (in) {
        char piece[4096];
        size_t have = 0;
        while ((size = fread(piece, 1, sizeof piece, in)) > 0) {
            u->interposed_text = pf_grow(u->interposed_text, have + size + 1);
            memcpy(u->interposed_text + have, piece, size);
            have += size;
        }
        u->interposed_text[have] = 0;
        fclose(in);
    }
    for (char *p = u->interposed_text; *p;) {
        size_t length = 0;
        while (isalnum((unsigned char)p[length]) || p[length] == '_')
            length++;
        if (length)
            PF_PUSH(u->interposed, n, cap) = p;
        p += length;
        if (*p)
            *p++ = 0;
    }
    if (n)
        qsort(u->interposed, n, sizeof *u->interposed, compare);
    u->ninterposed = n;
}

bool pf_is_interposed(struct pf_unit *u, LLVMValueRef fn)
{
    size_t n;
    if (!fn)
        return false;
    const char *name = LLVMGetValueName2(fn, &n);
    if (!u->interposed_text)
        load(u);
    return u->ninterposed &&
           bsearch(&name, u->interposed, u->ninterposed, sizeof *u->interposed, compare);
}

void pf_interposed_release(struct pf_unit *u)
{
    free(u->interposed_text);
    free(u->interposed);
}
