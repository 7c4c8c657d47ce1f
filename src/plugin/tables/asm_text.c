/*
 * asm_text.c - see asm_text.h.
 */
#include "asm_text.h"
#include "plugin.h"
#include <stdio.h>
#include <string.h>

void pf_asm_put(struct pf_asm_text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->cap) {
        t->cap = (t->n + n + 1) * 2;
        t->at = pf_grow(t->at, t->cap);
    }
    memcpy(t->at + t->n, s, n);
    t->n += n;
}

void pf_asm_put_string(struct pf_asm_text *t, const char *s) { pf_asm_put(t, s, strlen(s)); }

void pf_asm_put_number(struct pf_asm_text *t, uint64_t v)
{
    char line[64];
    pf_asm_put(t, line, (size_t)snprintf(line, sizeof line, ".quad %llu\n", (unsigned long long)v));
}

/* Octal digits are left out where the next character is not one. */
void pf_asm_put_bytes(struct pf_asm_text *t, const unsigned char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i % 512 == 0)
            pf_asm_put_string(t, i ? "\"\n.ascii \"" : ".ascii \"");
        if (s[i] >= ' ' && s[i] < 127 && s[i] != '"' && s[i] != '\\') {
            pf_asm_put(t, (const char *)s + i, 1);
            continue;
        }
        bool digit = i + 1 < n && (i + 1) % 512 && s[i + 1] >= '0' && s[i + 1] <= '9';
        const char octal[] = {'\\', (char)('0' + (s[i] >> 6)), (char)('0' + (s[i] >> 3 & 7)),
                              (char)('0' + (s[i] & 7))};
        size_t skip = digit || s[i] >= 64 ? 0 : s[i] >= 8 ? 1 : 2;
        pf_asm_put(t, octal, 1);
        pf_asm_put(t, octal + 1 + skip, 3 - skip);
    }
    if (n)
        pf_asm_put_string(t, "\"\n");
}

void pf_asm_release(struct pf_asm_text *t) { free(t->at); }
