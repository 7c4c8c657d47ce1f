/*
 * rewind.h - uses one copy of a resident target for several runs.
 *
 * Model:   to copy a process, and to end the copy, takes the kernel several times as long as a
 *          short run. So a copy that has ended its run goes back to where it began: the pages that
 *          the run wrote get their contents from before, and the registers as well. All threads of
 *          the target are contexts of one kernel thread, so there is nothing else in the process.
 *          Private memory that the run mapped is unmapped. Private memory that the run unmapped was
 *          only made inaccessible, and is made accessible again. Other changes in the kernel cannot
 *          be undone. So after a system call that changes anything else in the kernel (gate.S), the
 *          copy really ends with its run, and the next run gets a new copy.
 *
 *          Every first write to a page of a copy costs a page fault. The copy has saved the pages
 *          that earlier copies wrote (hot_pages.h). If there were faults in a run, the copy looks
 *          for other pages that it has written; if there are any, it ends, and the next copy saves
 *          those as well.
 * Memory:  a reservation that all copies inherit: the saved pages, and the stack on which the copy
 *          is rewound. Its own pages are never rewound.
 * Threads: the target's one kernel thread.
 * Errors:  without PAGEMAP_SCAN (Linux before 6.7), or if the runs write too many pages, every run
 *          gets a copy of its own.
 */
#ifndef PF_RT_REWIND_H
#define PF_RT_REWIND_H

/* In the resident process, before the first copy. */
void pf_rewind_prepare(void);
/* In a copy, before its run. Returns again for each further run, with memory as it was. */
void pf_rewind_begin(void);
#endif
