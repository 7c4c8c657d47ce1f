/* behaviour_sets.c - see behaviour_sets.h. */
#define _GNU_SOURCE
#include "behaviour_sets.h"
#include "file.h"
#include <stdlib.h>
#include <unistd.h>

pf_status pf_behaviours_add(const char *from, const char *to, struct pf_error *e)
{
    char *a, *b = NULL;
    size_t n, m = 0;
    pf_status s = pf_file_read(from, &a, &n, e);
    if (s != PF_OK)
        return s;
    if (access(to, F_OK) == 0)
        s = pf_file_read(to, &b, &m, e);
    if (s == PF_OK && b && n != m)
        s = pf_fail(e, PF_BAD, "%s: has %zu bytes, expected %zu as in %s", from, n, m, to);
    for (size_t i = 0; s == PF_OK && i < m; i++)
        a[i] |= b[i];
    if (s == PF_OK)
        s = pf_file_write(to, a, n, e);
    free(a);
    free(b);
    return s;
}
