/*
 * reporter.c - see reporter.h. Repeated findings are recognised by reported_findings.c.
 */
#include "reporter.h"
#include "benign.h"
#include "cancellation.h"
#include "ended_scope.h"
#include "finding_builder.h"
#include "finding_position.h"
#include "finding_text.h"
#include "findings_log.h"
#include "hooks.h"
#include "limits.h"
#include "misuse.h"
#include "object_log.h"
#include "options.h"
#include "oracle_log.h"
#include "race_build.h"
#include "report_print.h"
#include "reported_findings.h"
#include "rt.h"
#include "spin.h"
#include "suppress.h"
#include "suppress_read.h"
#include "sys.h"
#include <stdlib.h>

static struct {
    struct pf_spin lock;
    pid_t holder; /* kernel thread that holds the lock */
    int cancel_type; /* of that thread, before it took the lock */
    pid_t pid;
    bool ended;
    uint32_t execs; /* calls of exec in progress */
    uint64_t waited_ms; /* at exit, for other threads */
    int status;         /* 1 + the exit status that the program wants; 0: unknown */
    struct pf_pool work;  /* memory for one finding */
    struct pf_pool forever;
    struct pf_suppressions suppressions;
    uint64_t findings, suppressed;
    uint64_t counted; /* findings that are errors of the program */
    void (*on_halt)(void);
    const struct pf_finding *current; /* while the program's hook runs */
} reporter;

/* --- output --- */

static void print_finding(const struct pf_finding *f)
{
    struct pf_text_style style = {.color = pf_report_print_color(),
                                  .strip_prefix = pf_options.strip_path_prefix,
                                  .pid = reporter.pid,
                                  .summary = pf_options.print_summary};
    struct pf_text t;
    pf_text_init(&t, &reporter.work);
    pf_finding_text(&t, f, &style);
    if (pf_options.gen_suppressions)
        pf_suppression_text(&t, f);
    pf_report_print(&t);
}

/* --- the lock --- */

static void lock_reports(void)
{
    int type = pf_cancellation_defer();
    pf_spin_lock(&reporter.lock);
    reporter.cancel_type = type;
    __atomic_store_n(&reporter.holder, (pid_t)pf_sys(SYS_gettid), __ATOMIC_RELAXED);
}

static void unlock_reports(void)
{
    int type = reporter.cancel_type;
    __atomic_store_n(&reporter.holder, 0, __ATOMIC_RELAXED);
    pf_spin_unlock(&reporter.lock);
    pf_cancellation_restore(type);
}

/* A signal handler that interrupts a report may call exit. */
static bool is_reporting(void)
{
    return __atomic_load_n(&reporter.holder, __ATOMIC_RELAXED) == (pid_t)pf_sys(SYS_gettid);
}

/* --- end of the process --- */

static void add_count(struct pf_text *t, uint64_t n, const char *one, const char *many)
{
    pf_text_u64(t, n);
    pf_text_char(t, ' ');
    pf_text_add(t, n == 1 ? one : many);
}

static void add_losses(struct pf_text *t)
{
    for (int i = 0; i < PF_LIMITS; i++)
        if (pf_limit_count[i]) {
            pf_text_add(t, "photofinish: incomplete: ");
            add_count(t, pf_limit_count[i], pf_limit_text[i].one, pf_limit_text[i].many);
            pf_text_char(t, '\n');
        }
}

static void print_summary(void)
{
    struct pf_text t;
    pf_text_init(&t, &reporter.work);
    if (reporter.findings) {
        pf_text_add(&t, "photofinish: reported ");
        add_count(&t, reporter.findings, "warning\n", "warnings\n");
    }
    if (reporter.suppressed && pf_options.print_suppressions) {
        pf_text_add(&t, "photofinish: suppressed ");
        add_count(&t, reporter.suppressed, "finding (hits, line):\n", "findings (hits, line):\n");
        for (struct pf_suppression *s = reporter.suppressions.first; s; s = s->next)
            if (s->hits) {
                pf_text_u64(&t, s->hits);
                pf_text_char(&t, ' ');
                pf_text_name(&t, s->line);
                pf_text_char(&t, '\n');
            }
    }
    add_losses(&t);
    if (t.n)
        pf_report_print(&t);
    pf_pool_release(&reporter.work);
}

/* The last lines of the log. Completes `e`. */
static void log_end(struct pf_process_end *e)
{
    pf_reported_each_repeated(pf_findings_log_count);
    pf_object_log_new();
    e->findings = reporter.findings;
    e->suppressed = reporter.suppressed;
    e->waited_ms = reporter.waited_ms;
    pf_findings_log_end(e);
}

static void end_log(const char *how, bool exec)
{
    struct pf_sample_numbers sample;
    bool sampled = pf_hooks.sampling_finished(&sample, exec);
    log_end(&(struct pf_process_end){
        .how = how, .status = exec ? -1 : reporter.status - 1, .sample = sampled ? &sample : NULL});
}

static bool is_this_process(void) { return reporter.pid == (pid_t)pf_sys(SYS_getpid); }

static int wanted_status(void)
{
    return reporter.counted && !pf_options.own_status ? pf_options.exitcode : 0;
}

/* A function of the program. failed: 1 if there are findings that count, else 0. The process gets
 * the exit status of a failure if the result is not 0. */
int __tsan_on_finalize(int failed) __attribute__((weak));

int pf_reporter_summary(void)
{
    if (!is_this_process() || reporter.ended)
        return is_this_process() ? wanted_status() : 0;
    pf_nest();
    bool inside = is_reporting();
    if (!inside)
        lock_reports();
    reporter.ended = true;
    if (!pf_options.quiet)
        print_summary();
    end_log("exit", false);
    if (!inside) {
        unlock_reports();
        pf_oracle_begin();
        pf_oracle_flush();
        pf_oracle_end();
    }
    if (__tsan_on_finalize)
        reporter.counted = __tsan_on_finalize(reporter.counted != 0) != 0;
    pf_unnest();
    return wanted_status();
}

void pf_reporter_before_unload(void)
{
    if (!is_this_process() || is_reporting())
        return;
    pf_nest();
    lock_reports();
    pf_object_log_new();
    unlock_reports();
    pf_unnest();
}

void pf_reporter_waited(uint64_t ms) { reporter.waited_ms = ms; }

void pf_reporter_child_died(pid_t child, int signal)
{
    if (pf_rt.events || !is_this_process() || is_reporting())
        return;
    lock_reports();
    if (!reporter.ended)
        pf_findings_log_child_died(child, signal);
    unlock_reports();
}

void pf_reporter_exits(int status)
{
    if (is_this_process())
        reporter.status = 1 + (status & 0xff);
}

void pf_reporter_before_exec(void)
{
    if (!is_this_process() || is_reporting())
        return;
    pf_nest();
    lock_reports();
    reporter.execs++;
    if (!reporter.ended)
        end_log("exec", true);
    unlock_reports();
    pf_unnest();
}

void pf_reporter_exec_failed(void)
{
    if (!is_this_process() || is_reporting())
        return;
    pf_nest();
    lock_reports();
    /* another thread may be in exec too, or may have ended the process meanwhile */
    if (--reporter.execs == 0 && !reporter.ended)
        pf_hooks.sampling_resumed();
    if (!reporter.ended)
        pf_findings_log_resume();
    unlock_reports();
    pf_unnest();
}

/* --- findings --- */

/* A function of the program: called with each report, inside the runtime (wrap_report.c). */
void __tsan_on_report(const void *report) __attribute__((weak));

const struct pf_finding *pf_reporter_current(void) { return reporter.current; }

static _Noreturn void halt(void)
{
    reporter.ended = true;
    if (!pf_options.quiet)
        print_summary();
    end_log("halt", false);
    if (reporter.on_halt)
        reporter.on_halt();
    if (pf_options.abort_on_error)
        abort();
    for (;;)
        pf_sys(SYS_exit_group, pf_options.exitcode ? pf_options.exitcode : 1);
}

/* Reports a finding, unless it is suppressed. Suppressions match callers and variables, which are
 * not in the fingerprint; so a suppressed finding may be reported later, with another stack.
 * Returns false if the name of its variable suppresses it, or if there is no memory. Then the pair
 * of site ids is not remembered, because it may be reported for another variable. */
static bool report(struct pf_reported_finding *e, struct pf_finding *f)
{
    bool by_name;
    if (!f) {
        pf_limit_hit(PF_LIMIT_FINDINGS);
        return false;
    }
    if (pf_suppressions_match(&reporter.suppressions, f, &by_name)) {
        reporter.suppressed += !e->suppressed;
        e->suppressed = true;
        return !by_name;
    }
    e->reported = true;
    e->count = f->count;
    reporter.findings++;
    reporter.counted += !f->suspicious;
    if (!pf_options.quiet)
        print_finding(f);
    pf_findings_log_finding(f);
    if (__tsan_on_report) {
        reporter.current = f;
        __tsan_on_report(f);
        reporter.current = NULL;
    }
    if (pf_options.halt_on_error && !f->suspicious)
        halt();
    return true;
}

/* Reports an invalid access, or counts it. Remembers the result for the pair, unless that is 0. */
static void report_bad_access(const struct pf_bad_access *seen, uint64_t pair)
{
    if (!pf_options.report_bugs)
        return;
    lock_reports();
    struct pf_finding *f = pf_bad_access_build(&reporter.work, seen);
    struct pf_reported_finding *e = f ? pf_reported_find(f->id) : NULL;
    bool any_variable = e != NULL;
    if (!e) {
        pf_limit_hit(PF_LIMIT_FINDINGS);
    } else if (e->reported) {
        __atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED);
    } else {
        any_variable = report(e, f);
        const char *text = e->reported ? pf_finding_position(&reporter.work, f) : NULL;
        if (text)
            pf_hooks.memory_error_reported(
                text, f->kind, pf_backtrace_source(&f->accesses[f->naccesses - 1].stack));
    }
    if (pair && any_variable)
        pf_reported_remember_pair(pair, e->reported ? e : NULL);
    else if (pair && e)
        pf_reported_hide_pair(pair, seen->byte);
    pf_pool_release(&reporter.work);
    unlock_reports();
}

void pf_bad_access_found(const struct pf_bad_access *seen) { report_bad_access(seen, 0); }

/* An access to a freed block, or to a variable whose scope has ended. */
static void use_after_free(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    uint64_t pair = pf_reported_pair(now, then);
    struct pf_bad_access e = pf_bad_access_of_mark(t, granule, now, then);
    bool known = pf_block_find((void *)e.addr, &e.block);
    if (pf_ended_scopes_exist && pf_bad_access_find_scope(&e))
        e.block = (struct pf_block){0};
    else if (pf_ended_scopes_exist && !known)
        return; /* a mark left behind by a function that has returned */
    if (!pf_reported_count_pair(pair) && !pf_reported_pair_is_hidden(pair, granule))
        report_bad_access(&e, pair);
}

void pf_race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then)
{
    bool atomic = (now | then) >> PF_ATOMIC_BIT & 1;
    unsigned bytes = (unsigned)((now & then) >> PF_MASK_SHIFT);
    uint64_t pair = pf_reported_pair(now, then);
    pf_oracle_event(t, "race", granule, bytes);
    if (pf_benign_bytes(granule, bytes))
        return;
    if ((then >> PF_SID_SHIFT & PF_SID_MASK) == PF_SID_FREED) {
        use_after_free(t, granule, now, then);
        return;
    }
    if (!pf_options.report_bugs || (atomic && !pf_options.report_atomic_races) ||
        pf_reported_count_pair(pair) || pf_reported_pair_is_hidden(pair, granule))
        return;
    lock_reports();
    uint64_t id = pf_race_fingerprint(now, then);
    struct pf_reported_finding *e = pf_reported_find(id);
    if (!e) {
        pf_limit_hit(PF_LIMIT_FINDINGS);
    } else if (e->reported) {
        __atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED);
        pf_reported_remember_pair(pair, e);
    } else if (report(e, pf_race_build(&reporter.work, id, t, granule, now, then))) {
        pf_reported_remember_pair(pair, e->reported ? e : NULL);
    } else {
        pf_reported_hide_pair(pair, granule);
    }
    pf_pool_release(&reporter.work);
    unlock_reports();
}

const char *pf_failed_assertion;

void pf_failure_found(const struct pf_failure *e, bool quiet)
{
    if (reporter.ended || is_reporting() || !pf_module_try_lock())
        return; /* the thread that failed may hold these locks */
    pf_module_unlock();
    lock_reports();
    struct pf_finding *f = pf_failure_build(&reporter.work, e);
    struct pf_reported_finding *entry =
        f && !quiet && pf_options.report_bugs ? pf_reported_find(f->id) : NULL;
    const char *where = f && f->naccesses ? pf_finding_stop(&reporter.work, f) : NULL;
    if (where)
        pf_hooks.failure_found(where, f->kind, pf_backtrace_source(&f->accesses[0].stack));
    if (entry && !entry->reported)
        report(entry, f);
    pf_pool_release(&reporter.work);
    unlock_reports();
}

/* Other threads still run, and may hold the lock for a short time. The thread that crashed may hold
 * a lock of the runtime that one of them waits for; then the lock never becomes free. */
static bool try_lock_reports(void)
{
    for (int i = 0; i < 1000; i++) {
        if (pf_spin_try(&reporter.lock)) {
            reporter.cancel_type = PTHREAD_CANCEL_DEFERRED; /* the process is about to die */
            return true;
        }
        pf_sys(SYS_sched_yield);
    }
    return false;
}

void pf_crash_found(const struct pf_failure *e)
{
    if (!is_this_process() || reporter.ended || is_reporting() || !pf_module_try_lock())
        return;
    pf_module_unlock();
    if (!try_lock_reports())
        return;
    __atomic_store_n(&reporter.holder, (pid_t)pf_sys(SYS_gettid), __ATOMIC_RELAXED);
    reporter.ended = true;
    log_end(&(struct pf_process_end){
        .how = "crash",
        .signal = e->signal,
        .status = -1,
        .failure = pf_options.report_bugs ? pf_failure_build(&reporter.work, e) : NULL});
    pf_pool_release(&reporter.work);
    unlock_reports();
}

void pf_misuse_found(const struct pf_misuse *m)
{
    if (!pf_options.report_bugs || pf_rt.events)
        return;
    lock_reports();
    struct pf_finding *f = pf_misuse_build(&reporter.work, m);
    struct pf_reported_finding *e = f ? pf_reported_find(f->id) : NULL;
    if (!e)
        pf_limit_hit(PF_LIMIT_FINDINGS);
    else if (e->reported)
        __atomic_fetch_add(&e->count, f->count, __ATOMIC_RELAXED);
    else
        report(e, f);
    pf_pool_release(&reporter.work);
    unlock_reports();
}

/* --- requests of the program --- */

static void print_for_program(const char *head, const char *rest, uint32_t id)
{
    struct pf_text t;
    struct pf_text_style style = {.color = pf_report_print_color(),
                                  .strip_prefix = pf_options.strip_path_prefix};
    lock_reports();
    pf_text_init(&t, &reporter.work);
    pf_text_add(&t, head);
    pf_text_add(&t, rest);
    if (id) {
        struct pf_backtrace stack = pf_backtrace_build(&reporter.work, id);
        pf_backtrace_text(&t, &stack, &style);
    }
    pf_text_char(&t, '\n');
    pf_report_print(&t);
    pf_pool_release(&reporter.work);
    unlock_reports();
}

void pf_reporter_print_stack(uint32_t id) { print_for_program(NULL, NULL, id); }
void pf_reporter_print_line(const char *head, const char *rest)
{
    print_for_program(head, rest, 0);
}

void pf_reporter_redirect(const char *path)
{
    lock_reports();
    pf_report_print_to(&reporter.work, reporter.pid, path);
    unlock_reports();
}

void pf_reporter_on_halt(void (*callback)(void)) { reporter.on_halt = callback; }

/* --- start --- */

void pf_reporter_init(void)
{
    pf_hooks.race_found = pf_race_found;
    pf_hooks.lock_cycle_found = pf_lock_cycle_found;
    reporter.pid = (pid_t)pf_sys(SYS_getpid);
    pf_pool_init(&reporter.work, pf_report_map, pf_report_unmap);
    pf_pool_init(&reporter.forever, pf_report_map, pf_report_unmap);
    pf_suppressions_init(&reporter.suppressions);
    pf_suppressions_read(&reporter.suppressions, &reporter.forever, &reporter.work);
    pf_report_print_open(&reporter.work, reporter.pid);
    pf_findings_log_open(&reporter.suppressions);
    pf_object_log_new();
    if (pf_options.verbosity > 0 && !pf_options.quiet) {
        struct pf_text t;
        pf_text_init(&t, &reporter.work);
        pf_text_add(&t, "photofinish: watching process ");
        pf_text_u64(&t, (uint64_t)reporter.pid);
        pf_text_char(&t, '\n');
        pf_report_print(&t);
        pf_pool_release(&reporter.work);
    }
}

void pf_reporter_after_fork(void)
{
    reporter.lock.taken = 0; /* the holder, if any, does not exist in this process */
    reporter.holder = 0;
    reporter.pid = (pid_t)pf_sys(SYS_getpid);
    reporter.ended = false;
    reporter.execs = 0;
    reporter.waited_ms = 0;
    reporter.status = 0;
    reporter.findings = reporter.suppressed = reporter.counted = 0;
    pf_reported_clear();
    /* another thread may have been using it */
    pf_pool_init(&reporter.work, pf_report_map, pf_report_unmap);
    for (struct pf_suppression *s = reporter.suppressions.first; s; s = s->next)
        s->hits = 0;
    pf_report_print_open(&reporter.work, reporter.pid);
    pf_findings_log_fork();
}
