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
      # The servers that are compared. Each has one listener, and takes one request from each
      # connection.
      class Servers
        BACKLOG = 1_024

        # A worker that answers one request after the other.
        #
        # @param _index [Integer]
        # @param listener [Integer] its descriptor
        # @param ready [Integer] descriptor of the pipe on which it says that it is there
        # @param database [Integer] port
        # @param seconds [Float] that a statement takes
        # @return [Integer] how many requests it answered
        def self.attend(_index, listener, ready, database, seconds)
          listener = TCPServer.for_fd(listener).tap { |copy| copy.autoclose = false }
          conversation = Web::Connection.new(Application.new(:mysql2, database, seconds))
          IO.for_fd(ready, "w", autoclose: false).syswrite(".")
          served = 0
          loop { served += conversation.hold(listener.accept) }
        rescue Errno::EINVAL
          served # nobody comes any more: the listener was shut down
        end

        # @param setting [Setting]
        # @param host [Child] who wants to know the port, and says when to stop
        def initialize(setting, host)
          @setting = setting
          @host = host
          @database = setting.service.fetch(:port)
          @seconds, @wide = setting.params.values_at(:sleep, :wide)
        end

        # @return [Hash{Symbol => Integer}] how many requests were answered, and what all processes
        #   took then
        def run
          @listener = TCPServer.new("127.0.0.1", 0)
          @listener.listen(BACKLOG)
          case @setting.variant
          when :fibers then serve(Application.new(:trilogy, @database, @seconds))
          when :offload then offload
          when :threads then crew(:threads, @setting.workers)
          when :processes then crew(:processes, @wide)
          end
        ensure
          @listener&.close
        end

        private

        # A fiber for each connection here too; but the driver blocks, so its calls are made on
        # other threads.
        def offload
          pool = Executor::Threads::BlockingPool.new(max: @wide)
          serve(Application.new(:mysql2, @database, @seconds,
            around: ->(call) { pool.call(&call) }))
        ensure
          pool&.shutdown
        end

        def serve(app)
          conversation = Web::Connection.new(app)
          Raffia.run do |scope|
            accepting = scope.spawn { accept(scope, conversation) }
            {**wait, served: accepting.value.sum(&:value)}
          end
        end

        def accept(scope, conversation)
          tasks = []
          loop do
            client = @listener.accept
            tasks << scope.spawn { conversation.hold(client) }
          end
        rescue Errno::EINVAL
          tasks # as in attend
        end

        def crew(strategy, workers)
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

        # Shutting the listener down wakes everybody who waits in accept, in whichever process.
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
