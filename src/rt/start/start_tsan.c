/*
 * start_tsan.c - starts the runtime in a program that was built with -fsanitize=thread and linked
 * with the shared runtime of ThreadSanitizer: the dynamic linker finds ours under that name first.
 *
 * Such a program calls __tsan_init before its first constructor; libraries may run earlier, so the
 * object is also initialised first (linked with -z initfirst).
 */
#include "pc_frame.h"
#include "start.h"

static void start(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    pf_rt.pc_frames = true;
    pf_pc_init();
    pf_rt_init();
}

__attribute__((constructor)) static void start_first(void) { start(); }

void __tsan_init(void);
PF_EXPORT void __tsan_init(void) { start(); }
