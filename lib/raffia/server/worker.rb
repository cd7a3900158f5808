# frozen_string_literal: true

require_relative "../base/fork"
require_relative "../run"
require_relative "errors"
require_relative "worker/context"
require_relative "worker/acceptor"
require_relative "http1/connection"
require_relative "worker/graceful_shutdown"
require_relative "observability/in_flight_requests"

module Raffia
  class Server
    # Serves in this process and thread: accepts on its listeners, one fiber for each connection.
    #
    # @api private
    class Worker
      # @param app [#call]
      # @param lanes [Array<Array<Listen::Listener>>] what each of its Ractors accepts from; of one
      #   where there are none
      # @return [Worker, Ractors::WorkerGroup]
      def self.for(app, lanes, options:, **others)
        return new(app, listeners: lanes.first, options: options, **others) unless options.ractors?

        require_relative "ractors/worker_group"
        Ractors::WorkerGroup.new(app, listeners: lanes, options: options, **others)
      end

      # @return [Hash{Connection => Task}] those that are open
      attr_reader :connections
      # @return [Context]
      attr_reader :service

      # @param app [#call]
      # @param listeners [Array<Listen::Listener>] they stay open when the worker ends
      # @param options [Options]
      # @param seat [Object, nil] the supervisor's
      # @param heart [#beat, nil] is told that the loop turns
      # @param log [Logger, nil]
      # @param backend [Symbol, nil] as {Raffia.run} takes it
      # @param ledger [Observability::Metrics::Counters] where requests are counted
      def initialize(app, listeners:, options:, seat: nil, heart: seat, log: nil, backend: nil,
        ledger: Observability::Metrics::Counters.alone)
        @listeners = listeners
        @seat = seat
        @heart = heart
        listeners.each { |listener| listener.log = log }
        @backend = backend
        @service = Context.new(app, options, log, ledger)
        @connections = {}.compare_by_identity
        @orders = ::Thread::Queue.new
        @take_leave = @on_reopen = @sidecars = nil
      end

      # Serves until {stop}, in a scheduler of its own.
      # @yield when connections are accepted
      # @return [void]
      def run(&)
        embedded = Fiber.scheduler
        # as for the main thread of any program: the one who has to end hears of it
        stop = SignalException.new("TERM")
        Raffia.run(backend: @backend) do |scope|
          @scope = scope
          retreat = serve(scope, &)
          raise stop unless embedded || retreat.outlast { order(_1) }
        end
      rescue SignalException => signal
        raise unless signal.equal?(stop)
      end

      # @yield when it accepts no more, and has accepted who had connected by then: the listeners
      #   may be closed. While one process has them open, clients can connect, and wait in vain
      # @return [void]
      def on_leave(&block) = @take_leave = block

      # Any thread may ask.
      # @param slow [Numeric, nil] seconds from which on a request's backtrace is wanted
      # @return [Hash] as {Observability::InFlightRequests#to_h}
      def in_flight(slow) = Observability::InFlightRequests.new(self).to_h(slow: slow)

      # @return [Boolean] see {Ractors::WorkerGroup#abandoned?}
      def abandoned? = false

      # Any thread may ask, and so may a trap.
      # @param how [Symbol] :drain lets the requests in flight end, :now does not
      # @return [void]
      def stop(how = :drain)
        @orders.push(how)
        nil
      end

      # Log files were moved away. Any thread may ask, and so may a trap.
      # @return [void]
      def reopen
        @orders.push(:reopen)
        nil
      end

      # @yield in the worker's own thread, after its log files were opened again
      # @return [void]
      def on_reopen(&block) = @on_reopen = block

      # What lives beside the requests: actors, begun in the loop and ended after the last request.
      # @param blocks [Array<#call>] see {Raffia::Run::Sidecars}
      # @return [void]
      def accompany(blocks) = @sidecars = Raffia::Run::Sidecars.new(blocks, service.log)

      # Accepts the connections that wait in sockets of another worker, which does not serve now.
      # Any thread may ask.
      # @param sockets [Array<IO>] in the order of this worker's listeners; they are closed then
      # @return [void]
      def accept_from(sockets)
        @orders.push(sockets)
        nil
      end

      # Speaks HTTP with a client that has been accepted.
      # @return [void]
      def admit(socket, listener, address = nil)
        connection = HTTP1::Connection.new(service, socket, listener, address)
        connections[connection] = nil
        service.monitor.connections(1)
        task = @scope.spawn do
          connection.run
        ensure
          leave(connection)
        end
        connections[connection] = task if connections.key?(connection)
      end

      # Waits while there are as many connections as there may be. While as many requests wait for a
      # thread as there are threads, one connection is accepted for each request that ends:
      # connections that are kept alive could keep all others out.
      # @return [void]
      def await_room
        most = service.options.max_connections
        @departures ||= ::Thread::Queue.new
        @departures.pop if service.crowded?
        @departures.pop while most && connections.size >= most
      end

      private

      # @return [GracefulShutdown]
      def serve(scope)
        forks = Fork.after_child { leave_to_parent }
        service.admission.gate&.on_relief { make_room }
        @sidecars&.begin(scope) { stop }
        @accepting = @listeners.map { |listener| scope.spawn { Acceptor.new(listener, self).run } }
        helpers = service.monitor.start(scope, @heart, service.admission.gate)
        lookout = hard_limit
        yield if block_given?
        how = await_order
        @accepting.each { |task| task.cancel(:drain) }
        take_leave if @take_leave
        GracefulShutdown.new(self, (how == :now) ? 0 : grace).tap do |retreat|
          retreat.run { order(_1) }
          @sidecars&.stop(retreat.left)
        end
      ensure
        forks&.remove
        lookout&.close
        service.close
        service.monitor.close
        helpers&.each { |task| task.cancel(:drain) }
      end

      # At the end of the time a supervisor kills, so those who are given up are told before.
      def grace
        limit = service.options.drain_timeout
        (limit && @seat) ? [limit - 1, limit / 2.0].max : limit
      end

      def order(seconds)
        order = @orders.pop(timeout: seconds)
        order.is_a?(::Array) ? order.each(&:close) : order # too late: another worker is asked
      end

      # In a child that the app has forked. While it held a socket, closing that in the parent would
      # be no end for the client.
      def leave_to_parent
        service.left = true
        connections.each_key(&:leave_to_parent)
        @listeners.each { |listener| listener.socket.close }
      end

      def take_leave
        @accepting.each(&:join)
        @listeners.each do |listener|
          listener.queued(service.options) { |socket| admit(socket, listener) }
        end
        @take_leave.call
      end

      def hard_limit
        limit = service.options.hard_timeout or return
        require_relative "admission/hard_limit"
        Admission::HardLimit.new(self, limit, @seat)
      end

      # @return [Symbol] :drain or :now
      def await_order
        loop do
          case order = @orders.pop
          when :reopen
            service.monitor.reopen
            @on_reopen&.call
          when ::Array then accept_queued(order)
          else return order
          end
        end
      end

      # While the last ones wait for room here, another worker is asked.
      def accept_queued(sockets)
        return sockets.each(&:close) if @accepting.size > @listeners.size

        sockets.zip(@listeners) do |socket, listener|
          task = @scope.spawn do
            accept_once(listener, socket)
          ensure
            @accepting.delete(task)
          end
          @accepting << task unless socket.closed?
        end
      end

      def accept_once(listener, socket)
        typed = listener.socket.class.for_fd(socket.fileno)
        typed.autoclose = false
        Acceptor.new(listener, self, typed, once: true).run
      ensure
        socket.close
      end

      def leave(connection)
        connections.delete(connection)
        service.monitor.connections(-1)
        make_room
      end

      def make_room
        @departures&.push(nil) if @departures&.num_waiting&.positive?
      end
    end
  end
end
