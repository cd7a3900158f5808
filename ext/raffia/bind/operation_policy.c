/* Raffia::Engine::OperationPolicy: decides which blocking operations run in the calling fiber, and
 * which on another thread.
 *
 * A file-system call that the kernel answers from memory takes a microsecond; passing it to a
 * thread and back takes ten or more. So short calls run in the fiber, and long ones on a thread:
 * the measured times of each C function decide. Only time without the GVL counts, no wait for it.
 * An open that waits for another program (a FIFO, a terminal) is known before it begins, and so is
 * one on a network file system: Ruby's own open function is found by a trial, and its path is
 * checked. */
#include "operation.h"

#include <errno.h>
#include <fcntl.h>
#include <ruby/debug.h>
#include <ruby/io.h>
#include <string.h>
#include <unistd.h>
#include "open_check.h"
#include "timer.h"

enum kind { FILES, COMPUTE };

/* Nanoseconds. A file-system call counts as slow above SLOW. Most of the last eight calls decide,
 * because a single one may have read the disk, or its thread was preempted. */
enum { SLOW = 200000, MANY = 6, FEW = 2 };
/* A computation moves by its mean, because a few long ones are most of the work: above LONG to a
 * thread, below SHORT back. */
enum { LONG = 50000, SHORT = 30000, AT_FIRST = 1000000, LONGEST = 1000000, WEIGHT = 16 };

struct entry {
    void *(*function)(void *data);
    VALUE name; /* of the method that called it first */
    enum kind kind;
    int elsewhere, always; /* always: never runs in the fiber */
    int64_t mean;
    unsigned char slow; /* a bit for each of the last calls */
    uint64_t here_count, elsewhere_count;
};

enum probe { NOT_PROBED, PROBING_OPEN, PROBING_CLOSE, PROBED };

struct policy {
    struct entry *entries;
    size_t count, capacity;
    enum probe probe;
    void *(*open)(void *data), *(*close)(void *data);
    struct raffia_devices devices;
};

static VALUE sym_closed, sym_files, sym_compute, sym_waiting;

/* The argument of core's open function. */
struct opening {
    VALUE path;
    int flags;
    mode_t mode;
};

static void policy_mark(void *pointer)
{
    struct policy *policy = pointer;
    for (size_t i = 0; i < policy->count; i++)
        rb_gc_mark(policy->entries[i].name);
}

static void policy_free(void *pointer)
{
    struct policy *policy = pointer;
    ruby_xfree(policy->entries);
    ruby_xfree(policy);
}

static size_t policy_memsize(const void *pointer)
{
    const struct policy *policy = pointer;
    return sizeof(*policy) + policy->capacity * sizeof(*policy->entries);
}

static const rb_data_type_t policy_type = {
    .wrap_struct_name = "Raffia::Engine::OperationPolicy",
    .function = {.dmark = policy_mark, .dfree = policy_free, .dsize = policy_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE policy_allocate(VALUE class)
{
    struct policy *policy;
    return TypedData_Make_Struct(class, struct policy, &policy_type, policy);
}

static struct policy *policy_of(VALUE self)
{
    struct policy *policy;
    TypedData_Get_Struct(self, struct policy, &policy_type, policy);
    return policy;
}

/* Entries */

/* The method that called the hook that called us. */
static VALUE calling_method(void)
{
    enum { SELF, HOOK, METHOD, FRAMES };
    VALUE frames[FRAMES], name = Qnil;
    if (rb_profile_frames(0, FRAMES, frames, NULL) == FRAMES)
        name = rb_profile_frame_qualified_method_name(frames[METHOD]);
    return NIL_P(name) ? rb_str_new_cstr("unknown") : name;
}

static int begins(const char *name, const char *word)
{
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 && strchr(".#:", name[length]) != NULL;
}

static enum kind kind_of(const char *name)
{
    static const char *const owners[] = {"File",   "Dir",     "IO", "FileTest",
                                         "Kernel", "Process", "Etc"};
    if (begins(name, "IO::Buffer")) return COMPUTE;
    for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++)
        if (begins(name, owners[i])) return FILES;
    return COMPUTE;
}

static struct entry *find(const struct policy *policy, void *(*function)(void *data))
{
    for (size_t i = 0; i < policy->count; i++)
        if (policy->entries[i].function == function) return &policy->entries[i];
    return NULL;
}

static struct entry *add(struct policy *policy, void *(*function)(void *data))
{
    VALUE name = rb_str_freeze(calling_method());
    const char *text = StringValueCStr(name);
    if (policy->count == policy->capacity) {
        policy->capacity = policy->capacity ? policy->capacity * 2 : 16;
        REALLOC_N(policy->entries, struct entry, policy->capacity);
    }
    struct entry *entry = &policy->entries[policy->count++];
    *entry = (struct entry){.function = function, .name = name, .kind = kind_of(text)};
    entry->mean = entry->kind == COMPUTE ? AT_FIRST : 0;
    /* Where the open function is unknown, any call may be one that waits. */
    int unsure = entry->kind == FILES && policy->probe == PROBED && !policy->open;
    entry->always = unsure || strstr(text, "copy_stream") != NULL;
    entry->elsewhere = entry->always || entry->kind == COMPUTE;
    return entry;
}

static void learn(struct entry *entry, int64_t elapsed)
{
    if (elapsed > LONGEST) elapsed = LONGEST;
    entry->mean += (elapsed - entry->mean) / WEIGHT;
    entry->slow = (unsigned char)(entry->slow << 1 | (elapsed > SLOW));
    int slow = __builtin_popcount(entry->slow);
    if (entry->kind == FILES ? slow >= MANY : entry->mean > LONG)
        entry->elsewhere = 1;
    else if (entry->kind == FILES ? slow <= FEW : entry->mean < SHORT)
        entry->elsewhere = entry->always;
}

void raffia_operation_learn(VALUE self, void *(*function)(void *data), int64_t elapsed)
{
    struct entry *entry = find(policy_of(self), function);
    if (entry) learn(entry, elapsed);
}

int raffia_operation_opens(VALUE self, void *(*function)(void *data))
{
    return policy_of(self)->open == function;
}

/* Running one here */

struct timed {
    struct operation *operation;
    struct raffia_devices *devices; /* of a path that is checked first */
    enum raffia_open_check check;
    void *value;
    int error, returned;
    int64_t elapsed;
};

static void *run_timed(void *pointer)
{
    struct timed *timed = pointer;
    const struct operation *operation = timed->operation;
    if (timed->devices) {
        const struct opening *opening = operation->data;
        timed->check =
            raffia_open_check(timed->devices, RSTRING_PTR(opening->path), opening->flags);
        if (timed->check != RAFFIA_OPENS_AT_ONCE) return NULL;
    }
    int64_t began = raffia_now();
    errno = 0;
    timed->value = operation->function(operation->data);
    timed->error = errno;
    timed->elapsed = raffia_now() - began;
    return NULL;
}

static VALUE run_without_lock(VALUE pointer)
{
    struct timed *timed = (struct timed *)pointer;
    const struct operation *operation = timed->operation;
    rb_nogvl(run_timed, timed, operation->unblock, operation->unblock_data,
             operation->flags & ~RB_NOGVL_OFFLOAD_SAFE);
    timed->returned = 1;
    return Qnil;
}

/* An interrupt was raised after the file was opened. */
static VALUE close_unreturned(VALUE pointer)
{
    const struct timed *timed = (const struct timed *)pointer;
    int fd = (int)(intptr_t)timed->value;
    if (!timed->returned && fd >= 0) close(fd);
    return Qnil;
}

static void run_here(struct timed *timed)
{
    if (timed->devices) {
        timed->value = (void *)(intptr_t)-1;
        rb_ensure(run_without_lock, (VALUE)timed, close_unreturned, (VALUE)timed);
    } else {
        run_without_lock((VALUE)timed);
    }
    if (timed->check == RAFFIA_OPENS_AT_ONCE)
        raffia_operation_complete(timed->operation, timed->value, timed->error);
}

/* Core's functions that open and close are found by an open and a close of our own, which come back
 * to this hook. */

#define PROBE "/dev/null"

static VALUE open_and_close(VALUE none)
{
    VALUE mode = rb_str_new_cstr("w"); /* core does not announce the closing of a read-only IO */
    VALUE fd = rb_funcall(rb_cIO, rb_intern("sysopen"), 2, rb_str_new_cstr(PROBE), mode);
    VALUE io = rb_funcall(rb_cIO, rb_intern("for_fd"), 2, fd, mode);
    return rb_funcall(io, rb_intern("close"), 0), none;
}

static int is_opening(const struct opening *opening)
{
    return !RB_SPECIAL_CONST_P(opening->path) && RB_TYPE_P(opening->path, T_STRING) &&
           strcmp(RSTRING_PTR(opening->path), PROBE) == 0 &&
           (opening->flags & O_ACCMODE) == O_WRONLY;
}

static void probe(struct policy *policy)
{
    int failure = 0;
    policy->probe = PROBING_OPEN;
    rb_protect(open_and_close, Qnil, &failure);
    policy->probe = PROBED;
    if (!failure) return;
    /* An interrupt that was raised here belongs to the fiber. */
    if (!RTEST(rb_obj_is_kind_of(rb_errinfo(), rb_eSystemCallError))) rb_jump_tag(failure);
    rb_set_errinfo(Qnil);
}

static void note_probe(struct policy *policy, const struct operation *operation)
{
    if (policy->probe == PROBING_OPEN && is_opening(operation->data)) {
        policy->open = operation->function;
        policy->probe = PROBING_CLOSE;
    } else if (policy->probe == PROBING_CLOSE) {
        policy->close = operation->function;
        policy->probe = PROBED;
    }
}

static VALUE class_of(const struct entry *entry)
{
    return entry->kind == COMPUTE ? sym_compute : sym_files;
}

/*
 * @overload run(work)
 *   Runs an operation in the calling fiber, if it is short. Only the scheduler's hook may call it.
 *   @param work [Proc] the hook's argument
 *   @return [Symbol, true, nil] true: done; :closed: done, and it has closed a descriptor; :files,
 *     :compute, :waiting: threads of that kind are to run it; nil: no known operation of core's
 */
static VALUE policy_run(VALUE self, VALUE work)
{
    struct policy *policy = policy_of(self);
    struct timed timed = {.operation = raffia_operation_of(work), .check = RAFFIA_OPENS_AT_ONCE};
    if (!timed.operation) return Qnil;
    void *(*function)(void *data) = timed.operation->function;
    if (policy->probe == NOT_PROBED)
        probe(policy);
    else if (policy->probe != PROBED)
        note_probe(policy, timed.operation);
    struct entry *entry = find(policy, function);
    if (!entry) entry = add(policy, function);
    if (entry->elsewhere && function != policy->close)
        return entry->elsewhere_count++, class_of(entry);

    if (function == policy->open) timed.devices = &policy->devices;
    entry->here_count++;
    run_here(&timed);
    RB_GC_GUARD(work);
    if (timed.check != RAFFIA_OPENS_AT_ONCE) {
        entry = find(policy, function);
        entry->here_count--, entry->elsewhere_count++;
        return timed.check == RAFFIA_OPENS_REMOTELY ? sym_files : sym_waiting;
    }
    raffia_operation_learn(self, function, timed.elapsed);
    return function == policy->close || !policy->close ? sym_closed : Qtrue;
}

static void store(VALUE hash, const char *name, VALUE value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

/*
 * @overload stats
 *   @return [Hash{String => Hash}] by the method that called the C function first: here:,
 *     elsewhere: (how often), mean: (seconds), place:
 */
static VALUE policy_stats(VALUE self)
{
    const struct policy *policy = policy_of(self);
    VALUE stats = rb_hash_new();
    for (size_t i = 0; i < policy->count; i++) {
        const struct entry *entry = &policy->entries[i];
        VALUE one = rb_hash_new(), name = entry->name;
        if (entry->function == policy->open) name = rb_str_new_cstr("open");
        if (entry->function == policy->close) name = rb_str_new_cstr("close");
        store(one, "here", ULL2NUM(entry->here_count));
        store(one, "elsewhere", ULL2NUM(entry->elsewhere_count));
        store(one, "mean", DBL2NUM((double)entry->mean / 1e9));
        store(one, "place", entry->elsewhere ? class_of(entry) : ID2SYM(rb_intern("here")));
        rb_hash_aset(stats, name, one);
    }
    return stats;
}

void raffia_init_operation_policy(VALUE raffia)
{
    VALUE engine = rb_define_module_under(raffia, "Engine");
    VALUE policy = rb_define_class_under(engine, "OperationPolicy", rb_cObject);
    sym_closed = ID2SYM(rb_intern("closed"));
    sym_files = ID2SYM(rb_intern("files"));
    sym_compute = ID2SYM(rb_intern("compute"));
    sym_waiting = ID2SYM(rb_intern("waiting"));

    rb_define_alloc_func(policy, policy_allocate);
    rb_define_method(policy, "run", policy_run, 1);
    rb_define_method(policy, "stats", policy_stats, 0);
}
