/* Measures how much of a thread's time passes without the GVL: such waits, and computations in C,
 * can run beside Ruby code. */
#include "raffia.h"
#include <fcntl.h>
#include <pthread.h>
#include <ruby/thread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Each thread writes its own. An event that another thread reports for it uses that thread's. */
static _Thread_local struct {
    int watchers;
    bool outside, ready;
    double since, cpu_since;
    double wall, cpu;
} mine;

/* The hook exists only while a thread is measured, because it is called whenever any thread takes
 * or releases the GVL. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static rb_internal_thread_event_hook_t *hook;
static int watchers;

static double now(clockid_t clock)
{
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void leave(void)
{
    mine.outside = true;
    mine.ready = false;
    mine.since = now(CLOCK_MONOTONIC);
    mine.cpu_since = now(CLOCK_THREAD_CPUTIME_ID);
}

/* From here on it waits for the GVL, which is no wait of the program's. */
static void want(void)
{
    mine.wall += now(CLOCK_MONOTONIC) - mine.since;
    mine.ready = true;
}

static void enter(void)
{
    if (!mine.ready) want();
    mine.cpu += now(CLOCK_THREAD_CPUTIME_ID) - mine.cpu_since;
    mine.outside = false;
}

static void on_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *none)
{
    (void)data;
    (void)none;
    if (mine.watchers == 0) return;
    if (event == RUBY_INTERNAL_THREAD_EVENT_SUSPENDED)
        leave();
    else if (mine.outside && event == RUBY_INTERNAL_THREAD_EVENT_READY && !mine.ready)
        want();
    else if (mine.outside && event == RUBY_INTERNAL_THREAD_EVENT_RESUMED)
        enter();
}

static void count(int change)
{
    const rb_event_flag_t events = RUBY_INTERNAL_THREAD_EVENT_READY |
                                   RUBY_INTERNAL_THREAD_EVENT_RESUMED |
                                   RUBY_INTERNAL_THREAD_EVENT_SUSPENDED;
    pthread_mutex_lock(&guard);
    watchers += change;
    if (watchers > 0 && !hook) hook = rb_internal_thread_add_event_hook(on_event, events, NULL);
    if (watchers == 0 && hook) {
        rb_internal_thread_remove_event_hook(hook);
        hook = NULL;
    }
    pthread_mutex_unlock(&guard);
}

/*
 * @overload measure_gvl(on)
 *   Begins to measure the current thread, or ends it. Each beginning needs an end in the same
 *   thread.
 *   @param on [Boolean]
 *   @return [nil]
 */
static VALUE measure_gvl(VALUE module, VALUE on)
{
    (void)module;
    int change = RTEST(on) ? 1 : -1;
    if (mine.watchers + change < 0) return Qnil;
    mine.watchers += change;
    mine.outside = false;
    count(change);
    return Qnil;
}

/*
 * @overload time_without_gvl
 *   How long the current thread was without the GVL while it was measured. Only differences mean
 *   something.
 *   @return [Array(Float, Float)] seconds by the clock, and of CPU
 */
static VALUE time_without_gvl(VALUE module)
{
    (void)module;
    return rb_assoc_new(DBL2NUM(mine.wall), DBL2NUM(mine.cpu));
}

/*
 * @overload run_delay
 *   How long the current thread has been ready to run without a processor, since its start.
 *   @return [Float] seconds; 0.0 where the kernel does not tell
 */
static VALUE run_delay(VALUE module)
{
    char text[96];
    unsigned long long ran, waited;
    (void)module;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return DBL2NUM(0.0);
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = 0;
    return DBL2NUM(sscanf(text, "%llu %llu", &ran, &waited) == 2 ? (double)waited / 1e9 : 0.0);
}

void raffia_init_gvl_timing(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "measure_gvl", measure_gvl, 1);
    rb_define_singleton_method(native, "time_without_gvl", time_without_gvl, 0);
    rb_define_singleton_method(native, "run_delay", run_delay, 0);
}
