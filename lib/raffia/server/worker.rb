# frozen_string_literal: true

require_relative "error"
require_relative "observability/in_flight_requests"
require_relative "takeover/readiness_probe"
require_relative "worker/acceptor_group"
require_relative "worker/connection_mover"
require_relative "worker/connection_set"
require_relative "worker/context"
require_relative "worker/graceful_shutdown"
require_relative "worker/pause"

module Raffia
  class Server
    # Serves in the calling thread: accepts on its listeners, and runs a fiber per connection.
    #
    # @api private
    class Worker
      attr_reader :connections, :context

      # `liveness` receives a `beat` each second. The worker does not close its listeners.
      def initialize(app, listeners:, options:, worker_context: nil, liveness: worker_context,
        log: nil, backend: nil, counters: Observability::Metrics::Counters.alone)
        @listeners = listeners
        @worker_context = worker_context
        @liveness = liveness
        listeners.each { |listener| listener.log = log }
        @backend = backend
        @context = Context.new(app, options, log, counters)
        @connections = ConnectionSet.new(@context)
        @acceptors = AcceptorGroup.new(listeners, @context, @connections)
        @pause = Pause.new(@acceptors, @connections)
        @commands = ::Thread::Queue.new
        @on_stop_accepting = @on_reopen = @sidecars = @mover = nil
      end

      # Serves until {stop}. Yields when connections are accepted.
      def run(&)
        embedded = Fiber.scheduler
        stop = SignalException.new("TERM") # ends what the application has left in the loop
        Raffia.run(backend: @backend) do |scope|
          shutdown = serve(scope, &)
          raise stop unless embedded || shutdown.outlast { next_command(_1) }
        end
      rescue SignalException => signal
        raise unless signal.equal?(stop)
      end

      # Runs the block when the queue of the kernel is empty and the listeners may be closed.
      # Clients can still connect, in vain, while any process holds them open.
      def on_stop_accepting(&block) = @on_stop_accepting = block

      # See {Observability::InFlightRequests#to_h}. Safe in any thread.
      def in_flight(slow) = Observability::InFlightRequests.new(self).to_h(slow: slow)

      def abandoned? = false

      # `how`: :drain finishes requests in flight, :now does not. Safe in any thread and in a trap.
      def stop(how = :drain)
        @commands.push(how)
        nil
      end

      # Takes no new connections until {release}. Safe in any thread.
      def hold
        @commands.push(:hold)
        nil
      end

      # Safe in any thread.
      def release
        @commands.push(:release)
        nil
      end

      # Takes no requests for so many seconds, see {Pause}. Safe in any thread.
      def pause(seconds)
        @commands.push(seconds)
        nil
      end

      # Serves a connection of the supervisor. Safe in any thread.
      def probe(sockets)
        @commands.push(Takeover::ReadinessProbe::Connection.new(sockets.first))
        nil
      end

      # Reopens log files after a rotation. Safe in any thread and in a trap.
      def reopen
        @commands.push(:reopen)
        nil
      end

      # Runs the block in the worker's thread after its log files were reopened.
      def on_reopen(&block) = @on_reopen = block

      # Actors of the application start with the loop, and stop after the last request.
      def use(hooks)
        if hooks.any?(:actors)
          @sidecars = Raffia::Run::Sidecars.new(hooks.all(:actors), context.log)
        end
        key = hooks.all(:client_key).last and context.admission.client_limiter&.key = key
        return unless hooks.any?(:on_error)

        context.on_error { |error, env| hooks.call(:on_error, error, env) }
      end

      # Moves connections to other workers, and receives theirs. `place`: of this worker on the
      # balancer's board.
      def share_connections(balancer, place)
        @mover = ConnectionMover.new(balancer, place, @listeners, context, @connections)
      end

      # Accepts what waits in sockets of a worker that is down, then closes them. Safe in any
      # thread. `sockets`: in the order of this worker's listeners.
      def accept_from(sockets)
        @commands.push(sockets)
        nil
      end

      private

      def serve(scope)
        fork_hook = Fork.after_child { close_after_fork }
        context.admission.limiter&.on_relief { connections.signal_capacity }
        connections.scope = scope
        @sidecars&.begin(scope) { stop }
        @acceptors.scope = scope
        start_accepting unless held?
        helpers = context.telemetry.start(scope, @liveness, context.admission.limiter,
          context.zombies)
        context.zombies&.on_hopeless { @worker_context&.leave }
        if (monitor = context.connection_monitor)
          helpers << scope.spawn { monitor.run }
        end
        watchdog = hard_limit
        yield if block_given?
        shut_down(await_stop)
      ensure
        fork_hook&.remove
        @mover&.stop
        watchdog&.close
        context.close
        context.telemetry.access_log&.close
        helpers&.each { |task| task.cancel(:drain) }
      end

      def shut_down(how)
        @acceptors.stop
        @mover&.stop_accepting
        if @on_stop_accepting
          @acceptors.accept_queued unless held? || @pause.active?
          @on_stop_accepting.call
        end
        GracefulShutdown.new(self, (how == :now) ? 0 : grace).tap do |shutdown|
          shutdown.run { next_command(_1) }
          shutdown.run { next_command(_1) } if @mover&.take_rest
          @sidecars&.stop(shutdown.left)
        end
      end

      # Less than the supervisor's limit, after which it kills.
      def grace
        limit = context.options.drain_timeout
        (limit && @worker_context) ? [limit - 1, limit / 2.0].max : limit
      end

      # Again after a hold, too.
      def start_accepting
        @pause.end
        @mover&.start(connections.scope)
        @acceptors.start
      end

      # The time is over without newer code. In a takeover, :release begins to accept.
      def resume = held? ? @pause.end : start_accepting

      # Whether workers of another supervisor serve.
      def held? = !!@worker_context&.held?

      # Sockets that come too late are closed: the supervisor asks another worker.
      def next_command(seconds)
        command = @commands.pop(timeout: seconds)
        return command.each(&:close) if command.is_a?(::Array)

        command.is_a?(Takeover::ReadinessProbe::Connection) ? command.socket.close : command
      end

      def await_stop
        loop do
          case command = @commands.pop(timeout: @pause.wait)
          when nil then resume if @pause.step
          when Numeric
            @mover&.hold
            @pause.begin(command)
          when :reopen
            context.telemetry.access_log&.reopen
            @on_reopen&.call
          when :release then start_accepting
          when :hold
            @acceptors.stop
            @mover&.hold
            connections.each(&:close_after_response)
          when ::Array then @acceptors.adopt(command)
          when Takeover::ReadinessProbe::Connection
            connections.open(command.socket, command)
          else return command
          end
        end
      end

      # Runs in a child that the application forks. A socket open there would stay open for the
      # client.
      def close_after_fork
        context.forked = true
        connections.each(&:close_after_fork)
        @mover&.close_after_fork
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
