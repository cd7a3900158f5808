# frozen_string_literal: true

module Raffia
  class Server
    module HTTP2
      # Receives the requests of a connection, and serves each by a block.
      #
      # One fiber receives. It serves requests itself, because most never wait, and a fiber of its
      # own for each costs as much as a small response. When it has waited in one, another fiber
      # receives, and the first one ends with its request.
      #
      # Where each request waits, because it runs on a thread, and without a native scheduler, the
      # fiber that receives starts another one for each request, and for those that have come with
      # it.
      #
      # @api private
      class RequestLoop
        # The block gets a stream.
        def initialize(session, scope, inline:, &serve)
          @session = session
          @scope = scope
          @serve = serve
          @receiver_requests = ::Thread::Queue.new
          @session.receiver_requests = @receiver_requests if inline
        end

        # Returns when no more requests will come. Some may still run, in the scope.
        def run
          return (nil while receive) unless @session.inline?

          start_receiver
          while @receiver_requests.pop
            start_receiver if @session.take_receiver_request
          end
        end

        private

        def start_receiver = @scope.spawn { receive_requests }

        def receive_requests
          storage = Fiber.current.storage || {}
          nil while serve_next(storage)
        ensure
          @session.release_receiver # the application has ended the fiber
        end

        # A method of its own: YJIT does not compile a loop that is entered once.
        def serve_next(storage)
          stream = next_stream or return end_requests
          @serve.call(stream)
          return unless @session.resume_receiving

          check_cancellation
          Native.reset_fiber(storage)
          true
        end

        # The application may cancel the task of a request that has ended.
        def next_stream
          @session.receive
        rescue Cancel
          @session.receiver_cancelled
          raise
        end

        def end_requests
          @receiver_requests.push(nil)
          nil
        end

        # A cancellation that came too late for one request must not end another one.
        def check_cancellation = CancellationStack.current&.check!

        # Receives a request, which another fiber serves. Returns whether there was one.
        def receive
          stream = @session.receive or return false
          @scope.spawn { serve_streams(stream) }
          true
        end

        # Until one waits: then the receiving fiber goes on, and the next one gets its own.
        def serve_streams(stream)
          storage = Fiber.current.storage || {}
          @serve.call(stream)
          while (stream = next_request)
            Native.reset_fiber(storage)
            @serve.call(stream)
          end
        end

        def next_request
          check_cancellation
          @session.next_request
        end
      end
    end
  end
end
