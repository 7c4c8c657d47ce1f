/* foreign_file.c - see foreign_file.h. */
#include "foreign_file.h"
#include "foreign.h"
#include "message.h"
#include <string.h>

bool pf_foreign_file_is_document(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && !strcmp(path + n - 5, ".json");
}

pf_status pf_foreign_file_read(const char *verb, struct pf_findings *f, const char *path,
                               struct pf_error *e)
{
    struct pf_foreign_summary sum;
    if (pf_foreign_file_is_document(path))
        return pf_findings_read_document(f, path, NULL, e);
    pf_status s = pf_foreign_read(f, path, &sum, e);
    if (s == PF_OK)
        pf_note(verb, "%s: %zu candidate%s of %s, %zu known, %zu skipped%s", path, sum.candidates,
                sum.candidates == 1 ? "" : "s", sum.tool, sum.known, sum.skipped,
                sum.cut ? "; incomplete: the end of the file is missing" : "");
    return s;
}
