/* Raffia::Engine::CallQueue: runs blocking operations on Ruby threads that stay without the GVL.
 *
 * A thread that serves the queue runs one C function after the other, and takes the GVL for none of
 * them. The loop gets a completion for each. They are Ruby's threads, because the functions may
 * allocate, and Ruby may collect garbage then.
 *
 * A function works on the stack of the fiber that called it. So a call has to end, or never to
 * begin, before its fiber may resume. */
#include "blocking_call.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "raffia.h"
#include "scheduler.h"
#include "timer.h"

struct call_queue {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct call *first, **last, *begun;
    unsigned limit, threads, idle;
    int closed;
    pid_t owner;
    uint64_t queued, running, done, cancelled;
    int64_t longest_wait;
};

/* A serving thread; lives on its stack. */
struct server {
    struct call_queue *queue;
    struct call *call;
    pthread_t thread;
    int64_t idle_timeout;
    int interrupted, retired;
    int failure; /* raised while it completed a call */
};

static const rb_data_type_t queue_type = {
    .wrap_struct_name = "Raffia::Engine::CallQueue",
    /* The lock and the condition own no memory. A forked child must not destroy them, because they
     * may be locked. */
    .function = {.dfree = RUBY_DEFAULT_FREE},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static struct call_queue *queue_of(VALUE self)
{
    struct call_queue *queue;
    TypedData_Get_Struct(self, struct call_queue, &queue_type, queue);
    return queue;
}

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
#ifdef __linux__
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static VALUE queue_allocate(VALUE class)
{
    struct call_queue *queue;
    VALUE self = TypedData_Make_Struct(class, struct call_queue, &queue_type, queue);
    pthread_mutex_init(&queue->lock, NULL);
    init_condition(&queue->work);
    queue->last = &queue->first;
    queue->owner = getpid();
    return self;
}

/* Threads */

static struct call *take(struct call_queue *queue)
{
    struct call *call = queue->first;
    queue->first = call->next;
    if (!queue->first) queue->last = &queue->first;
    queue->queued--;
    queue->running++;
    int64_t waited = raffia_now() - call->submitted;
    if (waited > queue->longest_wait) queue->longest_wait = waited;
    call->thread = pthread_self();
    call->state = RUNNING;
    call->next = queue->begun;
    queue->begun = call;
    return call;
}

static struct call **link_to(struct call **link, const struct call *call)
{
    while (*link != call)
        link = &(*link)->next;
    return link;
}

static struct timespec deadline_after(int64_t idle_timeout)
{
#ifdef __linux__
    int64_t end = raffia_now() + idle_timeout;
#else
    int64_t end = (int64_t)time(NULL) * 1000000000 + idle_timeout;
#endif
    return (struct timespec){.tv_sec = (time_t)(end / 1000000000),
                             .tv_nsec = (long)(end % 1000000000)};
}

/* With the lock held. NULL when this thread is to return to Ruby. */
static struct call *next(struct server *server)
{
    struct call_queue *queue = server->queue;
    struct timespec end = deadline_after(server->idle_timeout);
    while (!queue->first) {
        if (queue->closed || server->interrupted) return NULL;
        queue->idle++;
        int error = pthread_cond_timedwait(&queue->work, &queue->lock, &end);
        queue->idle--;
        if (error == ETIMEDOUT && !queue->first) return NULL;
    }
    return server->interrupted ? NULL : take(queue);
}

/* With the lock held. The waiting fiber may free the call as soon as it is done. */
static void finish(struct call_queue *queue, struct call *call)
{
    struct raffia_loop *loop = call->loop;
    raffia_data ticket = (raffia_data)call->ticket;
    *link_to(&queue->begun, call) = call->next;
    queue->running--;
    queue->done++;
    __atomic_store_n(&call->state, DONE, __ATOMIC_RELEASE);
    if (loop) raffia_loop_inject(loop, ticket, 0);
}

static int deliver(VALUE pointer)
{
    const VALUE *of = (const VALUE *)pointer;
    rb_funcall(of[0], rb_intern("deliver"), 2, of[1], INT2FIX(0));
    return 1;
}

static VALUE deliver_uninterruptibly(VALUE pointer)
{
    raffia_uninterruptible(deliver, pointer);
    return Qnil;
}

/* With the GVL, so that the fiber does not resume in between. Thread#kill may be raised in Ruby's
 * code, and the fiber would wait for ever. */
static void *complete_portable(void *pointer)
{
    struct server *server = pointer;
    struct call *call = server->call;
    VALUE of[] = {call->scheduler, call->ticket};
    pthread_mutex_lock(&server->queue->lock);
    int told = call->portable;
    server->call = NULL;
    finish(server->queue, call);
    pthread_mutex_unlock(&server->queue->lock);
    if (told) rb_protect(deliver_uninterruptibly, (VALUE)of, &server->failure);
    RB_GC_GUARD(of[0]);
    RB_GC_GUARD(of[1]);
    return NULL;
}

static void complete_call(struct server *server)
{
    struct call *call = server->call;
    if (call->portable) {
        rb_thread_call_with_gvl(complete_portable, server);
        pthread_mutex_lock(&server->queue->lock);
        return;
    }
    pthread_mutex_lock(&server->queue->lock);
    server->call = NULL;
    finish(server->queue, call);
}

static void *serve(void *pointer)
{
    struct server *server = pointer;
    struct call_queue *queue = server->queue;
    pthread_mutex_lock(&queue->lock);
    while (!server->failure && (server->call = next(server))) {
        struct call *call = server->call;
        pthread_mutex_unlock(&queue->lock);
        int64_t began = raffia_now();
        errno = 0;
        call->value = call->operation.function(call->operation.data);
        call->error = errno;
        call->elapsed = raffia_now() - began;
        complete_call(server);
    }
    server->retired = !server->failure && (!server->interrupted || queue->closed);
    if (server->retired) queue->threads--;
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void interrupt_thread(const struct call *call)
{
    rb_unblock_function_t *unblock = call->operation.unblock;
    if (unblock == RUBY_UBF_IO || unblock == RUBY_UBF_PROCESS)
        pthread_kill(call->thread, SIGVTALRM); /* a system call ends; Ruby's handler does nothing */
    else if (unblock)
        unblock(call->operation.unblock_data);
}

/* Ruby interrupts the thread: it is killed, or the process ends. */
static void interrupt_server(void *pointer)
{
    struct server *server = pointer;
    pthread_mutex_lock(&server->queue->lock);
    server->interrupted = 1;
    if (server->call) interrupt_thread(server->call);
    pthread_cond_broadcast(&server->queue->work);
    pthread_mutex_unlock(&server->queue->lock);
}

static VALUE serve_without_gvl(VALUE pointer)
{
    struct server *server = (struct server *)pointer;
    while (!server->retired) {
        server->interrupted = 0;
        rb_nogvl(serve, server, interrupt_server, server, 0); /* raises interrupts of this thread */
        if (server->failure) rb_jump_tag(server->failure);
    }
    return Qnil;
}

/* A killed thread passes on the signal that may have woken it. */
static VALUE release_thread(VALUE pointer)
{
    struct server *server = (struct server *)pointer;
    if (server->retired) return Qnil;
    pthread_mutex_lock(&server->queue->lock);
    server->queue->threads--;
    pthread_cond_signal(&server->queue->work);
    pthread_mutex_unlock(&server->queue->lock);
    return Qnil;
}

/*
 * @overload serve(idle)
 *   Runs calls in the calling thread, until there were none for so long, the queue is closed, or
 *   the thread is killed.
 *   @param idle [Numeric] seconds
 *   @return [nil]
 */
static VALUE queue_serve(VALUE self, VALUE idle)
{
    struct server server = {.queue = queue_of(self),
                            .idle_timeout = raffia_nanoseconds(idle),
                            .thread = pthread_self()};
    rb_ensure(serve_without_gvl, (VALUE)&server, release_thread, (VALUE)&server);
    RB_GC_GUARD(self);
    return Qnil;
}

/* The queue */

static VALUE queue_initialize(VALUE self, VALUE limit)
{
    queue_of(self)->limit = NUM2UINT(limit);
    return self;
}

/*
 * @overload submit(call, scheduler, ticket)
 *   @param call [BlockingCall]
 *   @param scheduler [Scheduler] of the calling thread
 *   @param ticket [Integer, Object] of the wait that the call ends
 *   @return [Boolean, nil] whether to start a thread, which is counted already; nil when the queue
 *     is closed
 */
static VALUE queue_submit(VALUE self, VALUE object, VALUE owner, VALUE ticket)
{
    struct call_queue *queue = queue_of(self);
    struct call *call = raffia_call_of(object);
    int native = raffia_scheduler_is_native(owner);
    struct raffia_loop *loop = native ? raffia_scheduler_of(owner)->loop : NULL;
    pthread_mutex_lock(&queue->lock);
    int closed = queue->closed, start = 0;
    if (!closed) {
        call->scheduler = owner;
        call->loop = loop;
        call->portable = !native;
        call->ticket = ticket;
        call->state = QUEUED;
        call->submitted = raffia_now();
        call->next = NULL;
        *queue->last = call;
        queue->last = &call->next;
        queue->queued++;
        if (queue->idle > 0) pthread_cond_signal(&queue->work);
        start = queue->queued > queue->idle && queue->threads < queue->limit;
        queue->threads += (unsigned)start;
    }
    pthread_mutex_unlock(&queue->lock);
    return closed ? Qnil : start ? Qtrue : Qfalse;
}

/* @overload not_started
 *   Takes back the count of a thread that could not be started.
 *   @return [Boolean] whether others will serve the queue */
static VALUE queue_not_started(VALUE self)
{
    struct call_queue *queue = queue_of(self);
    pthread_mutex_lock(&queue->lock);
    int others = --queue->threads > 0;
    pthread_mutex_unlock(&queue->lock);
    return others ? Qtrue : Qfalse;
}

/* @overload short_of_threads
 *   Called when a serving thread was killed.
 *   @return [Boolean] whether to start another one, which is counted already */
static VALUE queue_short_of_threads(VALUE self)
{
    struct call_queue *queue = queue_of(self);
    pthread_mutex_lock(&queue->lock);
    int start = !queue->closed && queue->queued > queue->idle && queue->threads < queue->limit;
    queue->threads += (unsigned)start;
    pthread_mutex_unlock(&queue->lock);
    return start ? Qtrue : Qfalse;
}

static void dequeue(struct call_queue *queue, struct call *call)
{
    struct call **link = link_to(&queue->first, call);
    *link = call->next;
    if (!call->next) queue->last = link;
    queue->queued--;
    queue->cancelled++;
    call->state = CANCELLED;
}

/*
 * @overload cancel(call, ticket)
 *   Keeps a call from beginning, or interrupts a running one, which then ends the given wait.
 *   @return [Boolean] whether it is over
 */
static VALUE queue_cancel(VALUE self, VALUE object, VALUE ticket)
{
    struct call_queue *queue = queue_of(self);
    struct call *call = raffia_call_of(object);
    pthread_mutex_lock(&queue->lock);
    if (call->state == QUEUED) dequeue(queue, call);
    if (call->state == RUNNING) {
        call->ticket = ticket;
        interrupt_thread(call);
    }
    int over = call->state >= DONE || call->state == NEW;
    pthread_mutex_unlock(&queue->lock);
    return over ? Qtrue : Qfalse;
}

/*
 * @overload abandon(scheduler)
 *   Cancels the calls of a closed scheduler, whose fibers never resume. Running ones are
 *   interrupted, and complete without notice.
 *   @return [Array<BlockingCall>] that still run; they, and so the stacks they work on, are to be
 *     kept until the process ends
 */
static VALUE queue_abandon(VALUE self, VALUE owner)
{
    struct call_queue *queue = queue_of(self);
    VALUE kept = rb_ary_new_capa(16);
    if (queue->owner != getpid()) return kept;
    pthread_mutex_lock(&queue->lock);
    for (struct call *call = queue->first, *following; call; call = following) {
        following = call->next;
        if (call->scheduler == owner) dequeue(queue, call);
    }
    for (struct call *call = queue->begun; call; call = call->next) {
        if (call->scheduler != owner) continue;
        call->loop = NULL;
        call->portable = 0;
        interrupt_thread(call);
        rb_ary_push(kept, call->self);
    }
    pthread_mutex_unlock(&queue->lock);
    return kept;
}

/*
 * @overload close
 *   Takes no more calls. Serving threads end after the ones they have.
 */
static VALUE queue_close(VALUE self)
{
    struct call_queue *queue = queue_of(self);
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->work);
    pthread_mutex_unlock(&queue->lock);
    return Qnil;
}

static void store(VALUE hash, const char *name, VALUE value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

/* @overload stats
 *   @return [Hash] limit:, threads:, queued:, running:, done:, cancelled:, longest_wait:
 *     (seconds) */
static VALUE queue_stats(VALUE self)
{
    struct call_queue *queue = queue_of(self);
    pthread_mutex_lock(&queue->lock);
    const struct call_queue now = *queue;
    pthread_mutex_unlock(&queue->lock);
    VALUE stats = rb_hash_new();
    store(stats, "limit", UINT2NUM(now.limit));
    store(stats, "threads", UINT2NUM(now.threads));
    store(stats, "queued", ULL2NUM(now.queued));
    store(stats, "running", ULL2NUM(now.running));
    store(stats, "done", ULL2NUM(now.done));
    store(stats, "cancelled", ULL2NUM(now.cancelled));
    store(stats, "longest_wait", DBL2NUM((double)now.longest_wait / 1e9));
    return stats;
}

void raffia_init_call_queue(VALUE raffia)
{
    VALUE engine = rb_define_module_under(raffia, "Engine");
    VALUE queue = rb_define_class_under(engine, "CallQueue", rb_cObject);

    rb_define_alloc_func(queue, queue_allocate);
    rb_define_method(queue, "initialize", queue_initialize, 1);
    rb_define_method(queue, "serve", queue_serve, 1);
    rb_define_method(queue, "submit", queue_submit, 3);
    rb_define_method(queue, "not_started", queue_not_started, 0);
    rb_define_method(queue, "short_of_threads", queue_short_of_threads, 0);
    rb_define_method(queue, "cancel", queue_cancel, 2);
    rb_define_method(queue, "abandon", queue_abandon, 1);
    rb_define_method(queue, "close", queue_close, 0);
    rb_define_method(queue, "stats", queue_stats, 0);
}
