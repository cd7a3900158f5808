# frozen_string_literal: true

require "socket"
require_relative "../../pool"
require_relative "../cell"
require_relative "../memory"
require_relative "../web/connection"
require_relative "application"

module Raffia
  module Lab
    class BlockingDB < Experiment
      # The servers to compare. Each has one listener, and takes one request from each connection.
      class Servers
        BACKLOG = 1_024

        # A worker that answers one request after the other, and returns their number. listener, and
        # ready, the pipe on which it says that it has started, are descriptors.
        def self.attend(_index, listener, ready, database, seconds)
          listener = TCPServer.for_fd(listener).tap { |copy| copy.autoclose = false }
          connection = Web::Connection.new(Application.new(:mysql2, database, seconds))
          IO.for_fd(ready, "w", autoclose: false).syswrite(".")
          served = 0
          loop { served += connection.serve(listener.accept) }
        rescue Errno::EINVAL
          served # the listener was shut down
        end

        def initialize(setting, host)
          @setting = setting
          @host = host
          @database = setting.service.fetch(:port)
          @seconds, @wide = setting.params.values_at(:sleep, :wide)
        end

        # Returns the number of answered requests, and the memory of all processes at the end.
        def run
          @listener = TCPServer.new("127.0.0.1", 0)
          @listener.listen(BACKLOG)
          case @setting.variant
          when :fibers then serve(Application.new(:trilogy, @database, @seconds))
          when :offload then offload
          when :threads then run_workers(:threads, @setting.workers)
          when :processes then run_workers(:processes, @wide)
          end
        ensure
          @listener&.close
        end

        private

        # A fiber for each connection, but the driver blocks, so other threads make its calls.
        def offload
          pool = Executor::Threads::BlockingPool.new(max: @wide)
          serve(Application.new(:mysql2, @database, @seconds,
            around: ->(call) { pool.call(&call) }))
        ensure
          pool&.shutdown
        end

        def serve(app)
          connection = Web::Connection.new(app)
          Raffia.run do |scope|
            accepting = scope.spawn { accept(scope, connection) }
            {**wait, served: accepting.value.sum(&:value)}
          end
        end

        def accept(scope, connection)
          tasks = []
          loop do
            client = @listener.accept
            tasks << scope.spawn { connection.serve(client) }
          end
        rescue Errno::EINVAL
          tasks # the listener was shut down
        end

        def run_workers(strategy, workers)
          there, ready = IO.pipe
          work = Work.new(Servers, :attend, [@listener.fileno, ready.fileno, @database, @seconds])
          Raffia.run do |scope|
            counts = scope.spawn do
              Raffia.map([*1..workers], on: strategy, workers:, chunk: 1, &work)
            end
            there.read(workers)
            {**wait, served: counts.value.sum}
          end
        ensure
          [there, ready].each(&:close)
        end

        # Shutting the listener down wakes all that wait in accept, in any process.
        def wait
          @host.announce(port: @listener.local_address.ip_port)
          @host.wait_for_stop
          Memory.read(::Process.pid).to_h
        ensure
          @listener.shutdown
        end
      end
    end
  end
end
