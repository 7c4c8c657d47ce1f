/* path_replace.c - see path_replace.h. */
#define _GNU_SOURCE
#include "path_replace.h"
#include "allocation.h"
#include "file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pf_status pf_path_replace(const char *file, const char *here, const char *there, struct pf_error *e)
{
    char *text, *out = NULL;
    size_t n, size = 0;
    pf_status s = pf_file_read(file, &text, &n, e);
    if (s != PF_OK)
        return s;
    FILE *to = pf_mem_checked(open_memstream(&out, &size));
    for (char *at = text, *hit; at; at = hit ? hit + strlen(here) : NULL) {
        hit = strstr(at, here);
        fwrite(at, 1, hit ? (size_t)(hit - at) : strlen(at), to);
        if (hit)
            fputs(there, to);
    }
    fclose(to);
    s = pf_file_write(file, out, size, e);
    free(out);
    free(text);
    return s;
}
