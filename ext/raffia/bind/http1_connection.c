/* Raffia::Native::HTTP1: one connection as an object. It reads requests, and before it waits for
 * more input it sends the output that is left. */
#include "raffia.h"

#include "http1_response.h"

#ifdef HAVE_LLHTTP

#include <errno.h>

static void http1_mark(void *pointer)
{
    struct http1_response *response = pointer;
    raffia_http1_request_mark(&response->request);
}

static void http1_compact(void *pointer)
{
    struct http1_response *response = pointer;
    raffia_http1_request_compact(&response->request);
}

static void http1_free(void *pointer)
{
    struct http1_response *response = pointer;
    raffia_http1_request_free(&response->request);
    raffia_http1_output_free(&response->output);
    ruby_xfree(response);
}

static size_t http1_memsize(const void *pointer)
{
    const struct http1_response *response = pointer;
    return sizeof(*response) + raffia_http1_request_memsize(&response->request) +
           raffia_http1_output_memsize(&response->output);
}

static const rb_data_type_t http1_type = {
    .wrap_struct_name = "Raffia::Native::HTTP1",
    .function = {.dmark = http1_mark,
                 .dfree = http1_free,
                 .dsize = http1_memsize,
                 .dcompact = http1_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE http1_allocate(VALUE class)
{
    struct http1_response *response;
    VALUE self = TypedData_Make_Struct(class, struct http1_response, &http1_type, response);
    response->request.transport.self = self;
    raffia_http1_request_init(&response->request);
    raffia_http1_output_init(&response->output);
    return self;
}

/*
 * @overload initialize(socket, template, limits = {})
 *   @param socket [BasicSocket, OpenSSL::SSL::SSLSocket]
 *   @param template [Hash] entries of every env on this connection; see {.template}
 *   @param limits [Hash{Symbol => Integer, nil}] bytes, nil: none. +request_line+, +head+, +fields+
 *     (a number of them), +name+, +extensions+, +trailers+, +body+
 */
static VALUE http1_initialize(int argc, VALUE *argv, VALUE self)
{
    struct http1_request *request = raffia_http1_request_of(self);
    rb_check_arity(argc, 2, 3);
    RB_OBJ_WRITE(self, &request->template, raffia_http1_template(argv[1]));
    raffia_http_transport_open(&request->transport, argv[0]);
    raffia_http1_request_limit(request, argc == 3 ? argv[2] : Qnil);
    return self;
}

static int64_t flush_and_receive(struct http1_response *response, int64_t deadline)
{
    raffia_http1_unshare(&response->request);
    raffia_http1_flush(response);
    return raffia_http1_receive_input(&response->request, deadline);
}

static int64_t flush_and_receive_first(struct http1_response *response, int64_t deadline)
{
    raffia_http1_unshare(&response->request);
    raffia_http1_flush(response);
    return raffia_http1_receive_first(&response->request, deadline);
}

/*
 * @overload receive(idle_timeout, head_timeout)
 *   Reads the next request. The body of the last one must have been read.
 *   @param idle_timeout [Numeric, nil] seconds until its first byte comes
 *   @param head_timeout [Numeric, nil] seconds from then on until its head is complete
 *   @return [Hash, nil, false] its env; nil: the client has left, or nothing came in time; false:
 *     see {find_http2}
 *   @raise [Server::Refused] when the response must have that status, and the connection be closed
 */
static VALUE http1_receive(VALUE self, VALUE idle_timeout, VALUE head_timeout)
{
    struct http1_request *request = raffia_http1_reader(self);
    struct http1_response *response = raffia_http1_response_of(self);
    if (request->input.broken) return Qnil;
    raffia_http1_next_request(request);
    VALUE env = raffia_http1_parse(request);
    int begun = raffia_http1_head_has_begun(request);
    int64_t deadline = raffia_http1_deadline(begun ? head_timeout : idle_timeout);
    while (NIL_P(env)) {
        int64_t count = begun ? flush_and_receive(response, deadline)
                              : flush_and_receive_first(response, deadline);
        if (count == -ETIME && begun)
            raffia_http1_refuse(request, 408, "the head of the request did not come in time");
        if (count <= 0) return Qnil;
        env = raffia_http1_parse(request);
        if (begun || !(raffia_http1_head_has_begun(request) || RTEST(env))) continue;
        begun = 1;
        raffia_http1_note_arrival(request);
        deadline = raffia_http1_deadline(head_timeout);
    }
    response->output.status = 0;
    response->output.body = 0;
    raffia_http1_unshare(request); /* where another protocol begins */
    request->movable.served++;
    return env;
}

static void send_continue(struct http1_response *response)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct http1_request *request = &response->request;
    if (!request->expects_continue) return;
    request->expects_continue = 0;
    if (raffia_http1_has_input(request)) return; /* The client did not wait. */
    raffia_http1_discard_partial_head(&response->output);
    /* A client that has seen the beginning of the response needs no interim one. */
    if (raffia_http1_insert(&response->output, interim, sizeof(interim) - 1))
        raffia_http1_flush(response);
}

/*
 * @overload read_body(max = 65_536, timeout = nil)
 *   Reads what there is of the body, at least one byte. Sends 100 Continue if the client waits for
 *   it.
 *   @param max [Integer] bytes
 *   @param timeout [Numeric, nil] seconds until something comes
 *   @return [String, nil] decoded, binary; nil at the end
 *   @raise [Server::Refused]
 *   @raise [Server::Disconnected] when the input ends before the body does
 */
static VALUE http1_read_body(int argc, VALUE *argv, VALUE self)
{
    struct http1_request *request = raffia_http1_reader(self);
    struct http1_response *response = raffia_http1_response_of(self);
    rb_check_arity(argc, 0, 2);
    size_t max = argc > 0 && !NIL_P(argv[0]) ? NUM2SIZET(argv[0]) : 64 << 10;
    VALUE piece = Qnil;
    if (raffia_http1_body_is_over(request) || request->input.broken) return Qnil;
    if (max == 0) return rb_str_new(NULL, 0);
    send_continue(response);
    int64_t deadline = raffia_http1_deadline(argc > 1 ? argv[1] : Qnil);
    while (raffia_http1_check(request, raffia_http1_decode(request, max, &piece)) == 0 &&
           !raffia_http1_body_is_over(request)) {
        int64_t count = flush_and_receive(response, deadline);
        if (count > 0) continue;
        if (count == -ETIME)
            raffia_http1_refuse(request, 408, "the body of the request did not come in time");
        request->input.broken = 1;
        rb_raise(rb_path2class("Raffia::Server::Disconnected"),
                 "the client left in the middle of its request");
    }
    return NIL_P(piece) ? Qnil : raffia_http1_complete_piece(request, piece, max);
}

static VALUE skip(struct http1_response *response, uint64_t limit, int64_t deadline)
{
    struct http1_request *request = &response->request;
    const struct raffia_parser *parser = &request->input.parser;
    for (uint64_t done = 0; done <= limit;) {
        int64_t count = raffia_http1_decode(request, SIZE_MAX, NULL);
        request->input.broken = count < 0;
        if (count < 0) return Qfalse;
        done += (uint64_t)count;
        if (raffia_http1_body_is_over(request)) return done <= limit ? Qtrue : Qfalse;
        if (!parser->chunked && parser->left > limit - done) return Qfalse;
        if (flush_and_receive(response, deadline) <= 0) return Qfalse;
    }
    return Qfalse;
}

/*
 * @overload skip_body(limit, timeout = 0)
 *   Reads and drops the rest of the body, so that the next request can be read.
 *   @param limit [Integer] bytes
 *   @param timeout [Numeric, nil] seconds in all
 *   @return [Boolean] false when the connection must be closed instead
 */
static VALUE http1_skip_body(int argc, VALUE *argv, VALUE self)
{
    struct http1_request *request = raffia_http1_reader(self);
    rb_check_arity(argc, 1, 2);
    if (request->input.broken) return Qfalse;
    if (raffia_http1_body_is_over(request)) return Qtrue;
    if (request->expects_continue) return Qfalse; /* The body may come, or not. */
    uint64_t limit = NUM2ULL(argv[0]);
    int64_t deadline = raffia_http1_deadline(argc > 1 ? argv[1] : INT2FIX(0));
    return skip(raffia_http1_response_of(self), limit, deadline);
}

void raffia_init_http1(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE http1 = rb_define_class_under(native, "HTTP1", rb_cObject);
    rb_define_alloc_func(http1, http1_allocate);
    rb_define_method(http1, "initialize", http1_initialize, -1);
    rb_define_method(http1, "receive", http1_receive, 2);
    rb_define_method(http1, "read_body", http1_read_body, -1);
    rb_define_method(http1, "skip_body", http1_skip_body, -1);
    raffia_init_http_methods();
    raffia_init_http_transport(http1);
    raffia_init_http1_request(http1);
    raffia_init_http1_response(http1);
    raffia_init_http1_movable(http1);
}

#else

void raffia_init_http1(VALUE raffia)
{
    (void)raffia;
}

#endif
