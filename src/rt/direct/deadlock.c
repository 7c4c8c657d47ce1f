#include "deadlock.h"
#include "scheduler.h"
#include "sys.h"

_Noreturn void pf_deadlock(void)
{
    pf_direct_say("deadlock");
    pf_direct_end();
    for (;;)
        pf_sys(SYS_exit_group, 66);
}
