/* lock_removal.c - see lock_removal.h. */
#include "lock_removal.h"
#include "record_again.h"

pf_status pf_lock_removal_record(const struct pf_clip *clip, const char *lock, const char *file,
                                 uint64_t fair_ms, struct pf_error *e)
{
    struct pf_record_again r = {
        .clip = clip, .file = file, .without_lock = lock, .fair_ms = fair_ms};
    pf_status s = pf_record_again(&r, e);
    if (s == PF_OK && !r.end.removed_locks)
        s = pf_fail(e, PF_BAD, "no lock operation was performed there");
    return s;
}
