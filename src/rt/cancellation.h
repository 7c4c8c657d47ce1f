/*
 * cancellation.h - no thread is cancelled while it holds a lock of the runtime for long.
 *
 * Model:   a thread with asynchronous cancellation may end at any instruction, also in the middle
 *          of a report, and would leave the lock of all reports taken. Between _defer and _restore
 *          it is not cancelled; _restore cancels it if another thread asked for it meanwhile.
 *          Short critical sections are not protected: that would cost more than they do.
 * Threads: the calling one. In directed mode both do nothing: threads are cancelled at events.
 */
#ifndef PF_RT_CANCELLATION_H
#define PF_RT_CANCELLATION_H

#include "rt.h"
#include <pthread.h>

/* Returns the thread's type of cancellation, for _restore. */
static inline int pf_cancellation_defer(void)
{
    int type = PTHREAD_CANCEL_DEFERRED;
    if (!pf_rt.events)
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    return type;
}

/* If the thread ends here, its cleanup handlers are watched. So the caller must hold no lock
 * of the runtime, and the state of the runtime must be consistent. */
static inline void pf_cancellation_restore(int type)
{
    if (type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return;
    uint32_t nested = __pf_tls.nested;
    __pf_tls.nested = 0;
    pthread_setcanceltype(type, NULL);
    __pf_tls.nested = nested;
}

#endif
