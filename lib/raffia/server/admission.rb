# frozen_string_literal: true

require_relative "admission/client_limiter"
require_relative "admission/concurrency_limiter"
require_relative "admission/cost_estimate"
require_relative "admission/queue_time"
require_relative "admission/thread_limit"
require_relative "admission/time_limit"

module Raffia
  class Server
    # Decides when a request reaches the application, and how long it may take.
    #
    # @api private
    class Admission
      # Limits the requests of a client; nil: not limited.
      attr_reader :client_limiter
      attr_reader :limiter
      # Costs of requests on threads; nil in fibers, or with one thread.
      attr_reader :costs

      # `rates`: memory of {ClientRates}.
      def initialize(app, options, rates = nil)
        @app = app
        @client_limiter = ClientLimiter.build(options, rates)
        # Requests without a free thread wait in the limiter, in their fibers.
        limit = [options.max_in_flight, (options.most_threads if options.threaded?)].compact.min
        @costs = CostEstimate.new if options.threaded? && limit > 1
        @limiter = ConcurrencyLimiter.build(limit: limit, target: options.queue_target,
          max_wait: options.max_queue_time, heavy: @costs && heavy(limit))
        @time_limit = options.request_timeout
        @client_deadline = options.request_deadline
      end

      # Returns the response. `queued`: microseconds; negative when not known. `connection`: see
      # {ConcurrencyLimiter#enter}. Raises {ClientLimiter::Exceeded} and {ConcurrencyLimiter::Busy}
      # before, and {TimeLimit::Passed} while it runs.
      def call(env, queued, connection = nil)
        @client_limiter&.check(env)
        wanted = env["HTTP_REQUEST_TIMEOUT"] if @client_deadline
        return call_within(@time_limit, env) unless wanted || @limiter

        admit_in_turn(env, queued, connection, wanted) { |limit| call_within(limit, env) }
      end

      # Yields the time limit in seconds, or nil, when the request may begin, and its kind and
      # whether it is heavy, where costs are estimated.
      def admit(env, queued, connection, &)
        @client_limiter&.check(env)
        wanted = env["HTTP_REQUEST_TIMEOUT"] if @client_deadline
        admit_in_turn(env, queued, connection, wanted, &)
      end

      private

      def admit_in_turn(env, queued, connection, wanted, &)
        queued = queued.clamp(0..) / 1e6
        before = QueueTime.ago(env["HTTP_X_REQUEST_START"]) || 0.0
        return through_limiter(env, connection, wanted, queued, before, &) if @limiter

        yield shorter(wanted, queued + before)
      end

      # Requests that compute take all of Ruby's lock with half of the threads, too, and each of
      # them delays the others by its time slice.
      def heavy(limit) = (limit / 2).clamp(2..).clamp(..(limit - 1))

      def through_limiter(env, connection, wanted, queued, before)
        kind = @costs&.kind(env)
        heavy = !kind.nil? && @costs.heavy?(kind)
        waited = @limiter.enter(queued, before, heavy, connection)
        begin
          yield shorter(wanted, waited + before), kind, heavy
        ensure
          @limiter.leave(heavy)
        end
      end

      def call_within(limit, env)
        limit ? TimeLimit.new(limit).enforce { @app.call(env) } : @app.call(env)
      end

      # The client's time limit counts from the arrival of its request.
      def shorter(wanted, waited)
        limit = QueueTime.client_timeout(wanted) or return @time_limit
        left = limit - waited
        raise ConcurrencyLimiter::Expired.new(waited) unless left.positive?

        [left, @time_limit].compact.min
      end
    end
  end
end
