# frozen_string_literal: true

module Raffia
  class Server
    module HTTP2
      # Sends what connections could not send at once, and checks their timers: one fiber for all
      # connections of a worker.
      #
      # Threads of the application write to streams, but only the loop's fibers send. So a
      # connection that has output comes here by the queue.
      #
      # @api private
      class ConnectionMonitor
        # Seconds between two checks.
        TICK = 1
        private_constant :TICK

        # Gets a Native::HTTP2 when it has output for the loop to send.
        attr_reader :queue

        def initialize(options)
          limits = [options.head_timeout, options.idle_timeout, options.write_timeout].compact
          @tick = limits.map { |limit| limit / 4.0 }.min.to_f.clamp(0.05, TICK)
          @queue = ::Thread::Queue.new
          @connections = {}.compare_by_identity
          @checked_at = Clock.now
        end

        def add(connection)
          @queue.push(nil) if @connections.empty?
          @connections[connection.session] = connection
        end

        def remove(connection) = @connections.delete(connection.session)

        def run
          loop do
            session = @queue.pop(timeout: (@tick unless @connections.empty?))
            @connections[session]&.send_output if session
            check if Clock.now - @checked_at >= @tick
          end
        end

        private

        def check
          @checked_at = now = Clock.now
          @connections.values.each { |connection| connection.check(now) }
        end
      end
    end
  end
end
