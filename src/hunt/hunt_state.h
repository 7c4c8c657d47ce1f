/*
 * hunt_state.h - what a hunt keeps in its folder, so that it can be continued and its inputs used
 * elsewhere.
 *
 * Model:   the corpus has inputs, each as a folder with one file per source. While the hunt runs,
 *          it has every input. At the end, it has those that are the only ones to reach some site
 *          or branch, that showed a race, or from which something is left to try (hunt_open.h), and
 *          those of earlier sessions that had no symbolic run in this one. The journal lists the
 *          pairs of schedule and input that were run, their inputs, the flips that were tried, and
 *          the sites and directions of branches that were reached, one line each, written after the
 *          run: a hunt that is killed loses at most its last run. The journal begins with a hash of
 *          the program; that of another build is not used.
 * Errors:  PF_IO with the path. A line of the journal that was cut is ignored.
 */
#ifndef PF_HUNT_STATE_H
#define PF_HUNT_STATE_H

#include "hunt.h"

/* Reads the journal, or begins a new one. *same: it was read. */
PF_MUST_USE pf_status pf_hunt_journal_open(struct pf_hunt *h, bool *same, struct pf_error *e);
/* Notes a pair that was run, its input, and what is new since the last call. */
PF_MUST_USE pf_status pf_hunt_journal_add(struct pf_hunt *h, uint64_t pair, uint64_t input,
                                          struct pf_error *e);
/* Notes what is new since the last call. */
PF_MUST_USE pf_status pf_hunt_journal_flush(struct pf_hunt *h, struct pf_error *e);

/* What the journal in a folder says about all sessions; zeros if there is none. */
struct pf_hunt_journal_counts {
    uint64_t runs, inputs, sites;
    uint64_t directions; /* of branches */
};
void pf_hunt_journal_count(const char *folder, struct pf_hunt_journal_counts *c);
/* True if the folder has a journal of the program with this hash. */
bool pf_hunt_journal_is_of(const char *folder, uint64_t program);
/* Adds the lines of the journal `from` that the journal `to` does not have. *added: how many of
 * them are runs. */
PF_MUST_USE pf_status pf_hunt_journal_merge(const char *from, const char *to, uint64_t *added,
                                            struct pf_error *e);

/* Adds the input of a run to the corpus, with the sites that the run reached. */
PF_MUST_USE pf_status pf_hunt_corpus_add(struct pf_hunt *h, const struct pf_input_bytes *in,
                                         const uint64_t *sites, size_t nsites, struct pf_error *e);
/* Notes that the input has a symbolic run, which took these branches. */
void pf_hunt_corpus_explored(struct pf_hunt *h, uint64_t input, const uint64_t *branches, size_t n);
/* Marks the input as one that shows a race: it stays in the corpus. */
void pf_hunt_corpus_keep(struct pf_hunt *h, uint64_t input);
/* Removes inputs whose sites and branches are all reached by others, unless they show a race, have
 * an open run, or are of an earlier session and had no symbolic run in this one. */
void pf_hunt_corpus_minimise(struct pf_hunt *h, const pf_hunt_open_list *open);
/* Writes the corpus as files for other fuzzers: FOLDER/SOURCE/HASH. */
PF_MUST_USE pf_status pf_hunt_corpus_export(const struct pf_hunt *h, const char *folder,
                                            struct pf_error *e);
/* The same for a hunt that has ended, from the corpus in its folder. */
PF_MUST_USE pf_status pf_hunt_corpus_export_kept(const struct pf_hunt_settings *settings,
                                                 struct pf_error *e);
void pf_hunt_state_release(struct pf_hunt *h);

#endif
