# frozen_string_literal: true

require_relative "../base/fork"
require_relative "../run"
require_relative "errors"
require_relative "observability/in_flight_requests"
require_relative "worker/acceptor_group"
require_relative "worker/connection_set"
require_relative "worker/context"
require_relative "worker/graceful_shutdown"

module Raffia
  class Server
    # Serves in the calling process and thread: accepts on its listeners, a fiber per connection.
    #
    # @api private
    class Worker
      # @param listeners [Array<Array<Listener>>] listeners of each of its Ractors; one without
      #   Ractors
      # @return [Worker, Ractors::WorkerGroup]
      def self.for(app, listeners, options:, **others)
        unless options.ractors?
          return new(app, listeners: listeners.first, options: options, **others)
        end

        require_relative "ractors/worker_group"
        Ractors::WorkerGroup.new(app, listeners: listeners, options: options, **others)
      end

      # @return [ConnectionSet] the open ones
      attr_reader :connections
      # @return [Context]
      attr_reader :context

      # @param listeners [Array<Listen::Listener>] they stay open when the worker ends
      # @param worker_context [Object, nil] the supervisor's
      # @param liveness [#beat, nil] is told that the loop turns
      # @param backend [Symbol, nil] as {Raffia.run} takes it
      # @param counters [Observability::Metrics::Counters] for its requests
      def initialize(app, listeners:, options:, worker_context: nil, liveness: worker_context,
        log: nil, backend: nil,
        counters: Observability::Metrics::Counters.alone)
        @listeners = listeners
        @worker_context = worker_context
        @liveness = liveness
        listeners.each { |listener| listener.log = log }
        @backend = backend
        @context = Context.new(app, options, log, counters)
        @connections = ConnectionSet.new(@context)
        @acceptors = AcceptorGroup.new(listeners, @context, @connections)
        @orders = ::Thread::Queue.new
        @on_stop_accepting = @on_reopen = @sidecars = nil
      end

      # Serves until {stop}, in a scheduler of its own.
      # @yield when connections are accepted
      def run(&)
        embedded = Fiber.scheduler
        stop = SignalException.new("TERM") # ends what the application has left in the loop
        Raffia.run(backend: @backend) do |scope|
          shutdown = serve(scope, &)
          raise stop unless embedded || shutdown.outlast { take_order(_1) }
        end
      rescue SignalException => signal
        raise unless signal.equal?(stop)
      end

      # @yield when no more connections are accepted, and those that waited are: the listeners may
      #   be closed. While a process holds them open, clients connect to it in vain
      def on_stop_accepting(&block) = @on_stop_accepting = block

      # Any thread may ask.
      # @param slow [Numeric, nil] seconds from which on a request's backtrace is wanted
      # @return [Hash] as {Observability::InFlightRequests#to_h}
      def in_flight(slow) = Observability::InFlightRequests.new(self).to_h(slow: slow)

      # @return [Boolean] see {Ractors::WorkerGroup#abandoned?}
      def abandoned? = false

      # Any thread may ask, and so may a trap.
      # @param how [Symbol] :drain lets the requests in flight end, :now does not
      def stop(how = :drain)
        @orders.push(how)
        nil
      end

      # Opens log files again, which were moved away. Any thread may ask, and so may a trap.
      def reopen
        @orders.push(:reopen)
        nil
      end

      # @yield in the worker's own thread, after its log files were opened again
      def on_reopen(&block) = @on_reopen = block

      # Runs actors beside the requests: they start with the loop, and stop after the last request.
      # @param blocks [Array<#call>] see {Raffia::Run::Sidecars}
      def run_beside(blocks) = @sidecars = Raffia::Run::Sidecars.new(blocks, context.log)

      # Accepts the connections that wait in sockets of another worker, which is down. Any thread
      # may ask.
      # @param sockets [Array<IO>] in the order of this worker's listeners; they are closed then
      def accept_from(sockets)
        @orders.push(sockets)
        nil
      end

      private

      # @return [GracefulShutdown]
      def serve(scope)
        fork_hook = Fork.after_child { close_after_fork }
        context.admission.limiter&.on_relief { connections.signal_capacity }
        connections.scope = scope
        @sidecars&.begin(scope) { stop }
        @acceptors.start(scope)
        helpers = context.telemetry.start(scope, @liveness, context.admission.limiter)
        watchdog = hard_limit
        yield if block_given?
        shut_down(await_order)
      ensure
        fork_hook&.remove
        watchdog&.close
        context.close
        context.telemetry.close
        helpers&.each { |task| task.cancel(:drain) }
      end

      # @param how [Symbol] see {stop}
      def shut_down(how)
        @acceptors.stop
        if @on_stop_accepting
          @acceptors.accept_queued
          @on_stop_accepting.call
        end
        GracefulShutdown.new(self, (how == :now) ? 0 : grace).tap do |shutdown|
          shutdown.run { take_order(_1) }
          @sidecars&.stop(shutdown.left)
        end
      end

      # A supervisor kills when its time is over, so requests are given up a little earlier.
      def grace
        limit = context.options.drain_timeout
        (limit && @worker_context) ? [limit - 1, limit / 2.0].max : limit
      end

      # @param seconds [Numeric] to wait
      # @return [Symbol, nil]
      def take_order(seconds)
        order = @orders.pop(timeout: seconds)
        order.is_a?(::Array) ? order.each(&:close) : order # too late: another worker is asked
      end

      # @return [Symbol] :drain or :now
      def await_order
        loop do
          case order = @orders.pop
          when :reopen
            context.telemetry.reopen
            @on_reopen&.call
          when ::Array then @acceptors.adopt(order)
          else return order
          end
        end
      end

      # Runs in a child that the application has forked: a socket that it kept open would not be
      # closed for the client.
      def close_after_fork
        context.forked = true
        connections.each(&:close_after_fork)
        @listeners.each { |listener| listener.socket.close }
      end

      def hard_limit
        limit = context.options.hard_timeout or return
        require_relative "admission/hard_limit"
        Admission::HardLimit.new(self, limit, @worker_context)
      end
    end
  end
end
