/*
 * object_log.c - see object_log.h.
 *
 * The interposed dlopen cannot act after the real one (wrap_dlopen.c). So objects are listed at the
 * start, at every dlclose, and at the end. They are read from /proc/self/maps: dl_iterate_phdr
 * takes a lock of the dynamic linker, which a forked child may find held by a thread that it does
 * not have.
 */
#include "object_log.h"
#include "file_text.h"
#include "findings_log.h"
#include "fnv.h"
#include "rt.h"
#include "sys.h"
#include "textbuf.h"

#define OBJECTS 512 /* that are remembered as listed */

static uint64_t listed[OBJECTS]; /* hashes of paths */
static uint32_t nlisted;

static bool is_listed(const char *path)
{
    uint64_t h = pf_fnv_text(PF_FNV_START, path);
    for (uint32_t i = 0; i < nlisted; i++)
        if (listed[i] == h)
            return true;
    if (nlisted < OBJECTS)
        listed[nlisted++] = h;
    return false;
}

/* Lists the file of one line "lo-hi r-xp offset dev inode /path" if code is mapped from it. */
static void list(const char *line, char *end)
{
    static const char deleted[] = " (deleted)";
    const size_t suffix = sizeof deleted - 1;
    const char *flags = line;
    while (flags < end && *flags != ' ')
        flags++;
    if (end - flags < 4 || flags[3] != 'x')
        return;
    const char *path = flags;
    while (path < end && *path != '/')
        path++;
    if ((size_t)(end - path) > suffix && pf_str_starts(end - suffix, deleted))
        end -= suffix;
    *end = 0;
    if (*path && !pf_str_starts(path, "/memfd:") && !pf_str_starts(path, "/dev/") &&
        !is_listed(path))
        pf_findings_log_object(path);
}

void pf_object_log_new(void)
{
    struct pf_pool pool;
    size_t size;
    if (pf_rt.events || !pf_findings_log_is_open())
        return;
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    char *s = pf_file_text(&pool, "/proc/self/maps", &size);
    while (s && *s) {
        char *end = s;
        while (*end && *end != '\n')
            end++;
        char *next = end + (*end == '\n');
        list(s, end);
        s = next;
    }
    pf_pool_release(&pool);
}
