/*
 * fork.c - see fork.h.
 */
#include "fork.h"
#include "access_set.h"
#include "benign.h"
#include "cell.h"
#include "ended_scope.h"
#include "lock_order.h"
#include "lockset.h"
#include "module.h"
#include "oracle_log.h"
#include "pc_frame.h"
#include "runtime_access.h"
#include "sample.h"
#include "site_pair.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "symbolizer.h"
#include "sync.h"
#include "thread_life.h"
#include "thread_table.h"

static void lock_all(void)
{
    pf_oracle_begin(); /* the outermost lock */
    pf_oracle_flush(); /* else the child would write the same events again */
    pf_sample_lock();
    pf_ended_scope_lock();
    pf_thread_lock();
    pf_slot_lock();
    pf_sync_lock_all();
    pf_lock_order_lock();
    pf_cell_lock_all();
    pf_read_set_lock();
    pf_block_lock_all();
    pf_lockset_lock();
    pf_stack_lock();
    pf_site_pair_lock();
    pf_module_lock();
    pf_store_lock_all();
    pf_benign_lock();
    pf_pc_lock();
}

static void unlock_all(void)
{
    pf_pc_unlock();
    pf_benign_unlock();
    pf_store_unlock_all();
    pf_module_unlock();
    pf_site_pair_unlock();
    pf_stack_unlock();
    pf_lockset_unlock();
    pf_block_unlock_all();
    pf_read_set_unlock();
    pf_cell_unlock_all();
    pf_lock_order_unlock();
    pf_sync_unlock_all();
    pf_slot_unlock();
    pf_thread_unlock();
    pf_ended_scope_unlock();
    pf_sample_unlock();
    pf_oracle_end();
}

void pf_rt_before_fork(bool alone)
{
    pf_nest();
    if (!alone)
        lock_all();
}

void pf_rt_after_fork(bool alone, bool child)
{
    if (!alone)
        unlock_all();
    if (!alone && child)
        pf_symbolizer_forked();
    pf_unnest();
    if (child && __pf_tls.thread) {
        pf_thread_after_fork(__pf_tls.thread);
        pf_sample_forked(__pf_tls.thread);
    }
}
