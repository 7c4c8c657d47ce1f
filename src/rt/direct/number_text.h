/*
 * number_text.h - decimal numbers in texts.
 */
#ifndef PF_RT_NUMBER_TEXT_H
#define PF_RT_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Parses the number at s. Returns the text after it; NULL: s is NULL or does not begin with a
 * digit. */
static inline const char *pf_number_parse(const char *s, uint64_t *out)
{
    if (!s || *s < '0' || *s > '9')
        return NULL;
    for (*out = 0; *s >= '0' && *s <= '9'; s++)
        *out = *out * 10 + (uint64_t)(*s - '0');
    return s;
}

/* Writes v into the buffer; returns its first digit. */
struct pf_number_text {
    char at[24];
};
static inline const char *pf_number_format(struct pf_number_text *buffer, uint64_t v)
{
    char *at = buffer->at + sizeof buffer->at;
    *--at = 0;
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    return at;
}

#endif
