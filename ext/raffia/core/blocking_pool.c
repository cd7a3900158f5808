#include "blocking_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "timer.h"

/* Bytes. getaddrinfo runs the modules of nsswitch.conf, and some use hundreds of kilobytes. Pages
 * that are not touched cost address space only. */
enum { STACK = 1 << 20 };
enum { FEWEST = 4, FOR_EACH_PROCESSOR = 2 };
#define IDLE ((int64_t)10000000000)

/* One lock for everything, the clients' lists included. It is held for a few instructions and at
 * most one write to an eventfd; jobs take many microseconds. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;  /* there is a job */
    pthread_cond_t ended; /* a job has ended, for clients that close */
    struct raffia_link queue, running;
    unsigned limit, idle; /* idle: threads that wait for work, woken or not */
    int waking;           /* a thread has been woken or started, and has not arrived yet */
    int64_t patience;
    struct raffia_blocking_metrics metrics;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .ended = PTHREAD_COND_INITIALIZER,
    .queue = {&pool.queue, &pool.queue},
    .running = {&pool.running, &pool.running},
    .patience = IDLE,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int failure; /* of once */

static void lock(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* Lists */

static void clear(struct raffia_link *list)
{
    list->next = list->previous = list;
}

static int is_empty(const struct raffia_link *list)
{
    return list->next == list;
}

static void take_out(struct raffia_job *job)
{
    job->link.previous->next = job->link.next;
    job->link.next->previous = job->link.previous;
}

static void append(struct raffia_link *list, struct raffia_job *job)
{
    job->link = (struct raffia_link){.next = list, .previous = list->previous};
    list->previous->next = &job->link;
    list->previous = &job->link;
}

static struct raffia_job *first(const struct raffia_link *list)
{
    return (struct raffia_job *)list->next;
}

static void free_all(struct raffia_link *list)
{
    while (!is_empty(list)) {
        struct raffia_job *job = first(list);
        take_out(job);
        job->free(job);
    }
}

/* The process */

static int init_work(void)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error) return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) error = pthread_cond_init(&pool.work, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

/* The clients live until they close, and must not wait for these. */
static void forget_all(struct raffia_link *list)
{
    for (struct raffia_link *link = list->next; link != list; link = link->next) {
        struct raffia_client *client = ((struct raffia_job *)link)->client;
        if (client) client->running = 0;
    }
    free_all(list);
}

/* In a forked child the threads are the parent's. The lock was taken before the fork, so the lists
 * are consistent. It is made anew, because its owner has another number here. */
static void start_over(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.ended, NULL);
    init_work();
    forget_all(&pool.queue);
    forget_all(&pool.running);
    pool.idle = 0;
    pool.waking = 0;
    pool.metrics = (struct raffia_blocking_metrics){0};
}

static unsigned default_limit(void)
{
    long threads = sysconf(_SC_NPROCESSORS_ONLN) * FOR_EACH_PROCESSOR;
    return threads < FEWEST ? FEWEST : (unsigned)threads;
}

static void init(void)
{
    pool.limit = default_limit();
    failure = -init_work();
    if (failure == 0) failure = -pthread_atfork(lock, unlock, start_over);
}

/* Threads. From here on the lock is held, except where it is released. */

static void begin(struct raffia_job *job)
{
    int64_t waited = raffia_now() - job->submitted;
    take_out(job);
    append(&pool.running, job);
    job->state = RAFFIA_JOB_RUNNING;
    job->client->running++;
    pool.metrics.queued--;
    pool.metrics.running++;
    if (waited > (int64_t)pool.metrics.longest_wait) pool.metrics.longest_wait = (uint64_t)waited;
}

static void deliver(struct raffia_job *job)
{
    struct raffia_client *client = job->client;
    append(&client->done, job);
    job->state = RAFFIA_JOB_DONE;
    client->running--;
    /* Sequentially consistent: see wake.h. */
    atomic_fetch_add(&client->arrived, 1);
    raffia_wake_signal(client->wake);
    pthread_cond_broadcast(&pool.ended);
}

static void end(struct raffia_job *job)
{
    take_out(job);
    pool.metrics.running--;
    if (!job->client) {
        job->free(job);
        return;
    }
    pool.metrics.done++;
    deliver(job);
}

static struct timespec end_of_patience(void)
{
    int64_t end = raffia_now() + pool.patience;
    return (struct timespec){.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
}

/* NULL when the thread is to end. */
static struct raffia_job *next(void)
{
    struct timespec end = end_of_patience();
    while (is_empty(&pool.queue)) {
        pool.idle++;
        int error = pthread_cond_timedwait(&pool.work, &pool.lock, &end);
        pool.idle--;
        pool.waking = 0;
        if (error && is_empty(&pool.queue)) return NULL;
    }
    return first(&pool.queue);
}

static int call_thread(void);

/* A thread that finds more jobs than it can run wakes the next one. Most of a burst of short jobs
 * are done before a second thread is there. */
static void perform(struct raffia_job *job)
{
    begin(job);
    call_thread();
    unlock();
    job->run(job);
    lock();
    end(job);
}

static void *serve(void *unused)
{
    struct raffia_job *job;
#ifdef __linux__
    pthread_setname_np(pthread_self(), "raffia-blocking");
#endif
    lock();
    pool.waking = 0;
    while (pool.metrics.threads <= pool.limit && (job = next()))
        perform(job);
    pool.metrics.threads--;
    call_thread(); /* it may have been woken itself, and be unneeded */
    unlock();
    return unused;
}

static int create(const pthread_attr_t *attributes)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, attributes, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int start(void)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return -error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    error = create(&attributes);
    pthread_attr_destroy(&attributes);
    if (error) return -error;
    if (++pool.metrics.threads > pool.metrics.peak) pool.metrics.peak = pool.metrics.threads;
    return 0;
}

/* Wakes or starts a thread if there is work without one. 0 or -errno. */
static int call_thread(void)
{
    if (pool.waking || is_empty(&pool.queue)) return 0;
    int error = 0;
    if (pool.idle > 0) {
        pthread_cond_signal(&pool.work);
    } else {
        if (pool.metrics.threads >= pool.limit) return 0; /* all are busy, and will see it */
        error = start();
    }
    pool.waking = error == 0;
    return pool.metrics.threads > 0 ? 0 : error;
}

static void dequeue(struct raffia_job *job)
{
    take_out(job);
    pool.metrics.queued--;
}

int raffia_blocking_submit(struct raffia_client *client, struct raffia_job *job)
{
    int error = -pthread_once(&once, init);
    if (error || failure) return error ? error : failure;
    lock();
    job->client = client;
    job->state = RAFFIA_JOB_QUEUED;
    job->submitted = raffia_now();
    append(&pool.queue, job);
    pool.metrics.queued++;
    error = call_thread();
    if (error < 0)
        dequeue(job);
    else
        client->jobs++;
    unlock();
    return error;
}

static void take_arrived(struct raffia_job *job)
{
    take_out(job);
    job->client->jobs--;
    atomic_fetch_sub(&job->client->arrived, 1);
}

static int is_cancellable(const struct raffia_job *job)
{
    return job->detachable || job->state == RAFFIA_JOB_QUEUED;
}

/* A running job is left to its thread, which frees it. */
static void cancel(struct raffia_job *job)
{
    if (job->state == RAFFIA_JOB_RUNNING) {
        job->client->jobs--;
        job->client->running--;
        job->client = NULL;
        pool.metrics.cancelled++;
        return;
    }
    if (job->state == RAFFIA_JOB_QUEUED) {
        job->client->jobs--;
        dequeue(job);
        pool.metrics.cancelled++;
    } else {
        take_arrived(job);
    }
    job->free(job);
}

int raffia_blocking_cancel(struct raffia_job *job)
{
    lock();
    int cancellable = is_cancellable(job);
    if (cancellable) cancel(job);
    unlock();
    return cancellable;
}

struct raffia_job *raffia_blocking_take(struct raffia_client *client)
{
    if (raffia_client_empty(client)) return NULL;
    lock();
    struct raffia_job *job = first(&client->done);
    take_arrived(job);
    unlock();
    return job;
}

/* Clients */

void raffia_client_init(struct raffia_client *client, struct raffia_wake *wake)
{
    *client = (struct raffia_client){.wake = wake};
    clear(&client->done);
}

int raffia_client_empty(const struct raffia_client *client)
{
    return atomic_load(&client->arrived) == 0;
}

static void cancel_in(const struct raffia_link *list, const struct raffia_client *client)
{
    struct raffia_link *following;
    for (struct raffia_link *link = list->next; link != list; link = following) {
        struct raffia_job *job = (struct raffia_job *)link;
        following = link->next;
        if (job->client == client && is_cancellable(job)) cancel(job);
    }
}

void raffia_client_close(struct raffia_client *client)
{
    if (client->jobs == 0) return;
    lock();
    cancel_in(&pool.queue, client);
    cancel_in(&pool.running, client);
    while (client->running > 0)
        pthread_cond_wait(&pool.ended, &pool.lock);
    free_all(&client->done);
    client->jobs = 0;
    atomic_store(&client->arrived, 0);
    unlock();
}

/* Settings and figures */

void raffia_blocking_limit(unsigned threads)
{
    pthread_once(&once, init);
    if (threads == 0) threads = default_limit();
    lock();
    pool.limit = threads;
    unlock();
}

void raffia_blocking_idle(int64_t nanoseconds)
{
    lock();
    pool.patience = nanoseconds;
    unlock();
}

struct raffia_blocking_metrics raffia_blocking_metrics(void)
{
    pthread_once(&once, init);
    lock();
    struct raffia_blocking_metrics metrics = pool.metrics;
    metrics.limit = pool.limit;
    unlock();
    return metrics;
}
