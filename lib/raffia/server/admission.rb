# frozen_string_literal: true

require_relative "admission/arrival"
require_relative "admission/gate"
require_relative "admission/time_limit"

module Raffia
  class Server
    # What stands between a request and the application: its turn, and its time.
    #
    # @api private
    class Admission
      # @return [Gate, nil]
      attr_reader :gate

      # @param app [#call]
      # @param options [Options]
      def initialize(app, options)
        @app = app
        @gate = Gate.build(limit: options.max_in_flight, target: options.queue_target, most: options.max_queue_time)
        @limit = options.request_timeout
        @heeds = options.request_deadline
      end

      # @param env [Hash]
      # @param queued [Integer] microseconds that the request has waited; negative when not known
      # @return [Object] what the application returns
      # @raise [Gate::Busy] when it was not asked
      # @raise [TimeLimit::Passed] when it was interrupted
      def call(env, queued)
        wanted = env["HTTP_REQUEST_TIMEOUT"] if @heeds
        return limited(@limit, env) unless wanted || @gate

        queued = queued.clamp(0..) / 1e6
        before = Arrival.ago(env["HTTP_X_REQUEST_START"]) || 0.0
        @gate ? through_gate(env, wanted, queued, before) : limited(shorter(wanted, queued + before), env)
      end

      private

      def through_gate(env, wanted, queued, before)
        waited = @gate.enter(queued, before)
        begin
          limited(shorter(wanted, waited + before), env)
        ensure
          @gate.leave
        end
      end

      def limited(limit, env) = limit ? TimeLimit.new(limit).enforce { @app.call(env) } : @app.call(env)

      # @return [Numeric, nil] seconds
      def shorter(wanted, waited)
        patience = Arrival.patience(wanted) or return @limit
        left = patience - waited
        raise Gate::Expired.new(waited) unless left.positive?

        [left, @limit].compact.min
      end
    end
  end
end
