/*
 * sarif_rules.c - see sarif_rules.h.
 */
#include "sarif_rules.h"
#include "finding.h"
#include "finding_json.h"

static const struct {
    const char *name, *about, *help;
} rules[PF_KINDS] = {
    [PF_KIND_RACE] = {"DataRace",
                      "Two threads access the same memory, at least one writes, at least one "
                      "access is not atomic, and nothing orders them.",
                      "Order the two accesses: hold the same lock in both, make both atomic, "
                      "or let one thread wait for the other."},
    [PF_KIND_VPTR_RACE] = {"VptrRace",
                           "A constructor or destructor sets the vtable pointer of an object "
                           "while another thread calls a virtual function of it.",
                           "Publish the object after its construction, and destroy it after "
                           "its last use by any thread."},
    [PF_KIND_EXTERNAL_RACE] = {"ExternalRace",
                               "Two threads use an object of a library that is not "
                               "thread-safe, at least one modifies it, and nothing orders "
                               "them.",
                               "Hold the same lock in both uses of the object."},
    [PF_KIND_DESCRIPTOR_RACE] = {"DescriptorRace",
                                 "A thread closes a file descriptor that another thread uses, "
                                 "and nothing orders them: the number may already belong to "
                                 "another file.",
                                 "Let the last user close the descriptor, or wait for the "
                                 "other threads first."},
    [PF_KIND_ATOMICITY] = {"AtomicityViolation",
                           "Accesses that belong together are torn apart by another thread.",
                           "Hold one lock over all the accesses that belong together."},
    [PF_KIND_ATOMIC_SET] = {"AtomicSetViolation",
                            "Variables that belong together are seen in an inconsistent state.",
                            "Hold one lock over every use of the variables that belong "
                            "together."},
    [PF_KIND_DEADLOCK] = {"Deadlock", "Threads wait for each other in a cycle.",
                          "Take the locks in the same order everywhere."},
    [PF_KIND_HEAP_OVERFLOW] = {"HeapOverflow", "Memory before or after a heap block is accessed.",
                               "Keep the access within the block."},
    [PF_KIND_USE_AFTER_FREE] = {"UseAfterFree", "A heap block is used after it was freed.",
                                "Free the block after its last use."},
    [PF_KIND_DOUBLE_FREE] = {"DoubleFree", "A heap block is freed twice.",
                             "Let one owner free the block."},
    [PF_KIND_STACK_OVERFLOW] = {"StackBufferOverflow",
                                "Memory before or after a variable on the stack is accessed.",
                                "Keep the access within the variable."},
    [PF_KIND_USE_AFTER_SCOPE] = {"UseAfterScope",
                                 "A variable on the stack is used after its scope has ended.",
                                 "Declare the variable in a scope that outlives its last use."},
    [PF_KIND_GLOBAL_OVERFLOW] = {"GlobalBufferOverflow",
                                 "Memory before or after a global variable is accessed.",
                                 "Keep the access within the variable."},
    [PF_KIND_CRASH] = {"Crash", "The program died of a signal.",
                       "Replay the clip and follow the stack to the invalid operation."},
    [PF_KIND_ASSERTION] = {"FailedAssertion", "An assertion of the program was false.",
                           "Replay the clip: it shows the schedule that makes it false."},
    [PF_KIND_HANG] = {"Hang", "The program makes no progress: its threads wait or spin.",
                      "Replay the clip: it shows what each thread waits for."},
    [PF_KIND_MUTEX_DESTROY_LOCKED] = {"DestroyLockedMutex",
                                      "A lock is destroyed while a thread holds it.",
                                      "Unlock it before it is destroyed."},
    [PF_KIND_MUTEX_DOUBLE_LOCK] = {"DoubleLock", "A thread takes a lock that it holds already.",
                                   "Release the lock first, or make it recursive."},
    [PF_KIND_MUTEX_INVALID] = {"InvalidMutex",
                               "A lock is used that is not initialised or was destroyed.",
                               "Initialise the lock before its first use, and destroy it "
                               "after its last one."},
    [PF_KIND_MUTEX_BAD_UNLOCK] = {"BadUnlock", "A thread releases a lock that it does not hold.",
                                  "Let the thread that took the lock release it; use a "
                                  "semaphore to signal another thread."},
    [PF_KIND_MUTEX_BAD_READ_LOCK] = {"BadReadLock",
                                     "A lock is taken for reading while it is held for "
                                     "writing.",
                                     "Release the lock for writing first."},
    [PF_KIND_MUTEX_BAD_READ_UNLOCK] = {"BadReadUnlock",
                                       "A lock that is held for writing is released as if it "
                                       "were held for reading.",
                                       "Release the lock in the mode in which it was taken."},
    [PF_KIND_MUTEX_WRONG_CONTEXT] = {"MutexHeldInWrongContext",
                                     "A thread holds a lock where the program asserts that it "
                                     "holds none.",
                                     "Release the lock before this call."},
    [PF_KIND_LOCK_AT_THREAD_END] = {"LockAtThreadEnd",
                                    "A thread ends while it holds a lock, which nobody can "
                                    "take any more.",
                                    "Release the lock before the thread ends."},
    [PF_KIND_SYNC_MISUSE] = {"SynchronizationMisuse",
                             "A condition variable, barrier or semaphore is used in a way "
                             "that POSIX leaves undefined.",
                             "Use the object as POSIX demands: with one mutex, and destroyed "
                             "or initialised only while nobody uses it."},
    [PF_KIND_SIGNAL_UNSAFE] = {"SignalUnsafeCall",
                               "A signal handler calls a function that is not "
                               "async-signal-safe.",
                               "Only set a flag or write to a pipe in the handler."},
    [PF_KIND_ERRNO_IN_SIGNAL] = {"ErrnoInSignal",
                                 "A signal handler changes errno, which the interrupted code "
                                 "may be about to read.",
                                 "Save errno at the start of the handler and restore it at "
                                 "its end."},
    [PF_KIND_IGNORES_AT_END] = {"IgnoresAtThreadEnd",
                                "A thread ends in a region in which annotations turn checking "
                                "off.",
                                "End the region with the matching annotation."},
    [PF_KIND_THREAD_LEAK] = {"ThreadLeak",
                             "A thread has ended but was neither joined nor detached, so its "
                             "stack is never freed.",
                             "Join the thread, or detach it."},
};

/* Adds a member that is an object with one member, "text". */
static void add_text(struct pf_text *t, const char *key, const char *text)
{
    pf_json_key(t, key);
    pf_text_char(t, '{');
    pf_json_str(t, "text", text);
    pf_text_char(t, '}');
}

void pf_sarif_rules(struct pf_text *t)
{
    pf_json_key(t, "rules");
    pf_text_char(t, '[');
    for (int i = 0; i < PF_KINDS; i++) {
        pf_text_add(t, i ? ",{" : "{");
        pf_json_str(t, "id", pf_kind_name((enum pf_kind)i));
        pf_json_str(t, "name", rules[i].name);
        add_text(t, "shortDescription", pf_kind_title((enum pf_kind)i));
        add_text(t, "fullDescription", rules[i].about);
        add_text(t, "help", rules[i].help);
        pf_json_key(t, "defaultConfiguration");
        pf_text_add(t, "{\"level\":\"error\"}");
        pf_json_key(t, "properties");
        pf_text_add(t, "{\"tags\":[\"concurrency\",\"correctness\"],\"precision\":\"very-high\","
                       "\"problem.severity\":\"error\"}}");
    }
    pf_text_char(t, ']');
}
