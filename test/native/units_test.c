/* The parts of the loop, one by one, against simple models of them. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "buffer.h"
#include "check.h"
#include "pending_queue.h"
#include "fork.h"
#include "inbox.h"
#include "op.h"
#include "ready.h"
#include "wake.h"

/* -- ops -- */

enum { OPS = 1000 };

static void ops_are_found_by_id_until_released(void)
{
    struct raffia_ops ops;
    struct raffia_op *held[OPS] = {0};
    raffia_id ids[OPS] = {0};
    size_t used = 0;
    raffia_ops_init(&ops);
    for (int round = 0; round < 50000; round++) {
        uint32_t i = check_random(OPS);
        if (held[i]) {
            CHECK(raffia_ops_find(&ops, ids[i]) == held[i]);
            CHECK_EQUAL(held[i]->data, i);
            raffia_ops_release(&ops, held[i]);
            CHECK(raffia_ops_find(&ops, ids[i]) == NULL);
            held[i] = NULL;
            used--;
        } else {
            held[i] = raffia_ops_acquire(&ops, RAFFIA_POLL, i);
            CHECK(held[i]->id != ids[i]);
            CHECK(raffia_ops_find(&ops, ids[i]) == NULL);
            ids[i] = held[i]->id;
            used++;
        }
        CHECK_EQUAL(ops.used, used);
    }
    CHECK(raffia_ops_memsize(&ops) >= OPS / 2 * sizeof(struct raffia_op));
    raffia_ops_free(&ops);
}

static void visit_op(struct raffia_op *op, void *arg)
{
    char *seen = arg;
    CHECK_EQUAL(seen[op->data]++, 0);
}

static void ops_are_visited_once_each(void)
{
    struct raffia_ops ops;
    static char seen[OPS];
    struct raffia_op *held[OPS];
    raffia_ops_init(&ops);
    for (raffia_data i = 0; i < OPS; i++)
        held[i] = raffia_ops_acquire(&ops, RAFFIA_TIMER, i);
    for (raffia_data i = 0; i < OPS; i += 3)
        raffia_ops_release(&ops, held[i]);
    raffia_ops_each(&ops, visit_op, seen);
    for (raffia_data i = 0; i < OPS; i++)
        CHECK_EQUAL(seen[i], i % 3 != 0);
    raffia_ops_free(&ops);
}

static void an_op_is_blank_when_acquired(void)
{
    struct raffia_ops ops;
    raffia_ops_init(&ops);
    struct raffia_op *op = raffia_ops_acquire(&ops, RAFFIA_READ, 7);
    op->fd = 3;
    op->events = 5;
    op->cancelled = 1;
    op->length = 9;
    raffia_ops_release(&ops, op);
    CHECK(raffia_ops_acquire(&ops, RAFFIA_WRITE, 8) == op);
    CHECK_EQUAL(op->kind, RAFFIA_WRITE);
    CHECK_EQUAL(op->data, 8);
    CHECK(op->fd == -1 && op->events == 0 && op->cancelled == 0 && op->length == 0 &&
          op->next == NULL);
    raffia_ops_free(&ops);
}

static void generations_start_again_at_one(void)
{
    struct raffia_ops ops;
    raffia_ops_init(&ops);
    struct raffia_op *op = raffia_ops_acquire(&ops, RAFFIA_POLL, 1);
    CHECK_EQUAL(op->id, (raffia_id)1 << 32);
    op->id = (raffia_id)UINT32_MAX << 32;
    raffia_ops_release(&ops, op);
    CHECK(raffia_ops_acquire(&ops, RAFFIA_POLL, 1) == op);
    CHECK_EQUAL(op->id, (raffia_id)1 << 32);
    raffia_ops_free(&ops);
}

/* -- queues of ops -- */

static void queues_let_go_of_any_op(void)
{
    enum { MANY = 50 };
    struct raffia_op ops[MANY] = {0};
    struct raffia_pending_queue queues[2];
    size_t counts[2] = {0};
    raffia_pending_queue_init(&queues[0], 1);
    raffia_pending_queue_init(&queues[1], 2);
    for (int round = 0; round < 20000; round++) {
        struct raffia_op *op = &ops[check_random(MANY)];
        uint32_t which = op->queue ? op->queue - 1u : check_random(2);
        if (op->queue)
            raffia_pending_queue_remove(&queues[which], op);
        else
            raffia_pending_queue_add(&queues[which], op);
        counts[which] += op->queue ? 1 : (size_t)-1;
        CHECK_EQUAL(queues[which].count, counts[which]);
    }
    for (uint32_t which = 0; which < 2; which++) {
        for (; counts[which] > 0; counts[which]--)
            CHECK(raffia_pending_queue_take(&queues[which]) != NULL);
        CHECK(raffia_pending_queue_take(&queues[which]) == NULL);
    }
}

static void queues_are_in_order(void)
{
    struct raffia_op ops[5] = {0};
    struct raffia_pending_queue queue;
    raffia_pending_queue_init(&queue, 1);
    for (int i = 0; i < 5; i++)
        raffia_pending_queue_add(&queue, &ops[i]);
    raffia_pending_queue_remove(&queue, &ops[2]);
    raffia_pending_queue_remove(&queue, &ops[4]);
    raffia_pending_queue_add(&queue, &ops[2]);
    CHECK(raffia_pending_queue_take(&queue) == &ops[0]);
    CHECK(raffia_pending_queue_take(&queue) == &ops[1]);
    CHECK(raffia_pending_queue_take(&queue) == &ops[3]);
    CHECK(raffia_pending_queue_take(&queue) == &ops[2]);
}

/* -- buffers -- */

static void buffers_are_out_or_free(void)
{
    enum { BUFFERS = 16, SIZE = 10 };
    struct raffia_buffers buffers;
    uint32_t numbers[BUFFERS];
    CHECK_EQUAL(raffia_buffers_init(&buffers, BUFFERS, SIZE), 0);
    CHECK_EQUAL(raffia_buffers_memsize(&buffers), 0);
    CHECK_EQUAL(raffia_buffers_take(&buffers), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(raffia_buffers_prepare(&buffers), 0);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        numbers[i] = raffia_buffers_take(&buffers);
        memset(raffia_buffers_at(&buffers, numbers[i]), (int)i, SIZE);
    }
    CHECK_EQUAL(raffia_buffers_take(&buffers), 0);
    CHECK_EQUAL(raffia_buffers_free_count(&buffers), 0);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const char *bytes = raffia_buffers_at(&buffers, numbers[i]);
        CHECK(bytes[0] == (char)i && bytes[SIZE - 1] == (char)i);
        CHECK_EQUAL(raffia_buffers_return(&buffers, numbers[i]), 0);
        CHECK_EQUAL(raffia_buffers_return(&buffers, numbers[i]), -EINVAL);
    }
    CHECK_EQUAL(raffia_buffers_free_count(&buffers), BUFFERS);
    CHECK(raffia_buffers_memsize(&buffers) > BUFFERS * SIZE);
    raffia_buffers_free(&buffers);
}

/* -- the ready queue -- */

static void completions_are_shifted_in_order(void)
{
    struct raffia_ready ready;
    struct raffia_completion completion;
    raffia_data pushed = 0, shifted = 0;
    raffia_ready_init(&ready);
    CHECK_EQUAL(raffia_ready_shift(&ready, &completion), 0);
    for (int round = 0; round < 2000; round++) {
        for (uint32_t i = check_random(30); i > 0; i--, pushed++) {
            CHECK_EQUAL(raffia_ready_push(&ready, pushed, -(int64_t)pushed), 0);
        }
        for (uint32_t i = check_random(30); i > 0 && shifted < pushed; i--, shifted++) {
            CHECK_EQUAL(raffia_ready_shift(&ready, &completion), 1);
            CHECK_EQUAL(completion.data, shifted);
            CHECK_EQUAL(completion.result, -(int64_t)shifted);
        }
        CHECK_EQUAL(ready.count, pushed - shifted);
    }
    raffia_ready_free(&ready);
}

static void reserved_room_needs_no_memory(void)
{
    struct raffia_ready ready;
    raffia_ready_init(&ready);
    for (int i = 0; i < 40; i++)
        raffia_ready_push(&ready, 1, 1);
    CHECK_EQUAL(raffia_ready_reserve(&ready, 1000), 0);
    struct raffia_completion *slots = ready.slots;
    for (int i = 0; i < 1000; i++)
        CHECK_EQUAL(raffia_ready_push(&ready, 1, 1), 0);
    CHECK(ready.slots == slots);
    CHECK_EQUAL(raffia_ready_reserve(&ready, SIZE_MAX), -ENOMEM);
    CHECK_EQUAL(raffia_ready_reserve(&ready, SIZE_MAX / 8), -ENOMEM);
    CHECK_EQUAL(ready.count, 1040);
    raffia_ready_free(&ready);
}

/* -- wake-ups -- */

static void the_descriptor_is_written_once_for_each_sleep(void)
{
    struct raffia_wake wake;
    CHECK_EQUAL(raffia_wake_init(&wake), 0);
    CHECK_EQUAL(raffia_wake_signal(&wake), 0);
    CHECK_EQUAL(raffia_wake_sleep(&wake), 1); /* a signal is for a sleep that is under way */
    CHECK_EQUAL(raffia_wake_signal(&wake), 1);
    CHECK_EQUAL(raffia_wake_signal(&wake), 0);
    CHECK_EQUAL(raffia_wake_request(&wake), 0);
    raffia_wake_up(&wake);
    CHECK_EQUAL(raffia_wake_request(&wake), 0);
    CHECK_EQUAL(raffia_wake_sleep(&wake), 0); /* a request is for the next one too */
    CHECK_EQUAL(raffia_wake_sleep(&wake), 1);
    CHECK_EQUAL(raffia_wake_request(&wake), 1);
    raffia_wake_up(&wake);
    CHECK_EQUAL(wake.writes, 2);
    struct pollfd entry = {.fd = wake.fd, .events = POLLIN};
    CHECK_EQUAL(poll(&entry, 1, 0), 1);
    raffia_wake_drain(&wake); /* of all of them */
    CHECK_EQUAL(poll(&entry, 1, 0), 0);
    raffia_wake_drain(&wake); /* does not wait when there is nothing */
    raffia_wake_close(&wake);
}

static void signalling_leaves_errno_alone(void)
{
    struct raffia_wake wake;
    CHECK_EQUAL(raffia_wake_init(&wake), 0);
    CHECK_CALL(close(wake.writer));
    raffia_wake_sleep(&wake);
    errno = EXDEV;
    CHECK_EQUAL(raffia_wake_signal(&wake), -EBADF);
    CHECK_EQUAL(errno, EXDEV);
    if (wake.fd != wake.writer) CHECK_CALL(close(wake.fd));
}

/* -- the inbox -- */

static void letters_are_taken_in_order_and_leave_room(void)
{
    struct raffia_inbox inbox;
    struct raffia_ready ready;
    struct raffia_completion completion;
    raffia_ready_init(&ready);
    CHECK_EQUAL(raffia_inbox_init(&inbox), 0);
    CHECK_EQUAL(raffia_inbox_take(&inbox, &ready, 0), 0);
    CHECK(raffia_inbox_empty(&inbox));
    for (raffia_data i = 0; i < 100; i++)
        CHECK_EQUAL(raffia_inbox_push(&inbox, i, 1), 0);
    CHECK(!raffia_inbox_empty(&inbox));
    CHECK_EQUAL(raffia_inbox_take(&inbox, &ready, 500), 100);
    CHECK(raffia_inbox_empty(&inbox));
    CHECK(ready.capacity - ready.count >= 500);
    for (raffia_data i = 0; raffia_ready_shift(&ready, &completion); i++)
        CHECK_EQUAL(completion.data, i);
    CHECK_EQUAL(raffia_inbox_push(&inbox, 1, 1), 0);
    CHECK_EQUAL(raffia_inbox_take(&inbox, &ready, SIZE_MAX / 2), -ENOMEM);
    CHECK_EQUAL(raffia_inbox_take(&inbox, &ready, 0), 1); /* nothing was lost */
    raffia_ready_free(&ready);
    raffia_inbox_free(&inbox);
}

/* -- the process -- */

static void a_child_is_another_process(void)
{
    int status;
    CHECK_EQUAL(raffia_process_init(), 0);
    CHECK_EQUAL(raffia_process(), getpid());
    pid_t child = CHECK_CALL(fork());
    if (child == 0) _exit(raffia_process() == getpid() ? 0 : 1);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(raffia_process(), getpid());
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(ops_are_found_by_id_until_released),
        TEST(ops_are_visited_once_each),
        TEST(an_op_is_blank_when_acquired),
        TEST(generations_start_again_at_one),
        TEST(completions_are_shifted_in_order),
        TEST(reserved_room_needs_no_memory),
        TEST(the_descriptor_is_written_once_for_each_sleep),
        TEST(signalling_leaves_errno_alone),
        TEST(letters_are_taken_in_order_and_leave_room),
        TEST(a_child_is_another_process),
        TEST(queues_let_go_of_any_op),
        TEST(queues_are_in_order),
        TEST(buffers_are_out_or_free),
    };
    return check_run("units", tests, COUNT(tests));
}
