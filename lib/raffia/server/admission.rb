# frozen_string_literal: true

require_relative "admission/queue_time"
require_relative "admission/concurrency_limiter"
require_relative "admission/time_limit"

module Raffia
  class Server
    # What stands between a request and the application: its turn, and its time.
    #
    # @api private
    class Admission
      # @return [ConcurrencyLimiter, nil]
      attr_reader :gate

      # @param app [#call]
      # @param options [Options]
      def initialize(app, options)
        @app = app
        # Those that find no thread free wait in line, in their fibers.
        places = [options.max_in_flight, (options.threads if options.threaded?)].compact.min
        @gate = ConcurrencyLimiter.build(limit: places, target: options.queue_target,
          most: options.max_queue_time)
        @limit = options.request_timeout
        @heeds = options.request_deadline
      end

      # @param env [Hash]
      # @param queued [Integer] microseconds that the request has waited; negative when not known
      # @return [Object] what the application returns
      # @raise [ConcurrencyLimiter::Busy] when it was not asked
      # @raise [TimeLimit::Passed] when it was interrupted
      def call(env, queued)
        wanted = env["HTTP_REQUEST_TIMEOUT"] if @heeds
        return limited(@limit, env) unless wanted || @gate

        admit(env, queued, wanted) { |limit| limited(limit, env) }
      end

      # The same for whoever asks the application by himself.
      # @yieldparam limit [Numeric, nil] seconds that it may take
      # @return [Object] the block's value
      # @raise [ConcurrencyLimiter::Busy]
      def admit(env, queued, wanted = (env["HTTP_REQUEST_TIMEOUT"] if @heeds), &)
        queued = queued.clamp(0..) / 1e6
        before = QueueTime.ago(env["HTTP_X_REQUEST_START"]) || 0.0
        @gate ? through_gate(wanted, queued, before, &) : yield(shorter(wanted, queued + before))
      end

      private

      def through_gate(wanted, queued, before)
        waited = @gate.enter(queued, before)
        begin
          yield shorter(wanted, waited + before)
        ensure
          @gate.leave
        end
      end

      def limited(limit, env)
        limit ? TimeLimit.new(limit).enforce { @app.call(env) } : @app.call(env)
      end

      # @return [Numeric, nil] seconds
      def shorter(wanted, waited)
        patience = QueueTime.patience(wanted) or return @limit
        left = patience - waited
        raise ConcurrencyLimiter::Expired.new(waited) unless left.positive?

        [left, @limit].compact.min
      end
    end
  end
end
