/*
 * pair_history.c - see pair_history.h.
 */
#include "pair_history.h"
#include "sample_state.h"
#include "sys.h"

void pf_pair_history_start(struct pf_pair_history *h, const char *subfolder)
{
    h->hashes = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *h->hashes);
    pf_sample_state_use(subfolder);
    uint64_t executions;
    h->known_pairs = pf_sample_state_load(&h->before, h->frequent_n, &h->coverage, &executions);
    h->before.seed = executions;
}

void pf_pair_history_finish(struct pf_pair_history *h, struct pf_function_pairs *all,
                            struct pf_sample_numbers *out, bool exec)
{
    if (__atomic_load_n(&h->other_thread_seen, __ATOMIC_RELAXED))
        pf_sample_state_save(all, &h->coverage, exec);
    out->pairs = all->n > h->known_pairs ? all->n : h->known_pairs;
    out->frequent = h->before.n;
    pf_function_pairs_release(all);
}

void pf_pair_history_forked(struct pf_pair_history *h)
{
    pf_function_pairs_release(&h->seen);
    h->other_thread_seen = false;
}
