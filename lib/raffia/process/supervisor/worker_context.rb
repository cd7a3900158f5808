# frozen_string_literal: true

require_relative "error_reporter"

module Raffia
  module Process
    class Supervisor
      # A worker's view of its slot, and its way to the supervisor. Safe from any thread.
      class WorkerContext
        # @return [Integer] of the slot, from 0
        attr_reader :index
        # @return [Integer] from 1: one more for each {Supervisor#restart}
        attr_reader :generation
        # @return [Integer] the row of the slot's scoreboards that is this worker's while it lives
        attr_reader :row
        # @return [Array<IO>] the resources of the slot; closing one closes this process's copy
        # alone
        attr_reader :ios
        # @return [Object, nil] what `preload` returned
        attr_accessor :preloaded
        # @return [Scoreboard] this worker's integers, with the counts of earlier workers
        attr_reader :board
        # @return [Scoreboards] those of all workers
        attr_reader :boards

        # @api private
        def initialize(channel, log:, boards:, index:, generation:, row:, ios:, preloaded: nil)
          @channel = channel
          @log = log
          @boards = boards
          @board = boards.board(index, row)
          @index = index
          @row = row
          @generation = generation
          @ios = ios
          @preloaded = preloaded
          @lock = Thread::Mutex.new
          @stopping = false
          @stopped = Thread::Queue.new
          @answers = Thread::Queue.new
          @on_stop = []
          @handlers = {}
          @on_accept = @on_probe = nil
        end

        # This worker serves from now on. Without it, it is killed and replaced after boot_timeout.
        def ready! = @channel.send(:ready)

        # `preload` has failed in this worker.
        # @api private
        def load_failed = @channel.send(:failed)

        # This worker is alive. After the first time, it must be called more often than every
        # hang_timeout.
        def beat = @board.beat

        # @return [Symbol] what its supervisor wants of it, see {Scoreboard#stop_reason}
        def stop_reason = @board.stop_reason

        # @return [Integer, nil] pid of the supervisor, with which it ends
        attr_accessor :supervisor

        # Asks to be drained and replaced, as SIGTERM to a worker does.
        def leave = @channel.send(:leaving)

        # @return [Boolean] whether it was asked to drain: to finish what it has begun, and then to
        # return from the block
        def stopping? = @stopping

        # Calls the block, on a thread of the context's own, when this worker is to drain; at once
        # when it is draining already.
        def on_stop(&block)
          now = @lock.synchronize { @stopping || (@on_stop << block && false) }
          yield if now
        end

        # Another supervisor has the same resources, and its workers serve: this worker takes no new
        # work until it gets the message "release". While it serves, it may get "hold".
        # @return [Boolean]
        def held? = @boards.held?

        # Waits until this worker is to drain. Under a fiber scheduler only this fiber waits.
        # @param timeout [Numeric, nil] seconds
        # @return [Boolean] whether it is
        def wait_for_stop(timeout = nil)
          @stopped.pop(timeout: timeout)
          @stopping
        end

        # Calls the block, on a thread of the context's own, with messages of this name; one block a
        # name. The supervisor itself sends "dump" (write what all fibers wait for) and "reopen"
        # (the log files were moved). Other messages are ignored.
        # @yieldparam data [Object, nil]
        def on_message(name, &block) = @lock.synchronize { @handlers[name.to_s] = block }

        # Calls the block, on a thread of the context's own, with sockets of a slot that has no
        # worker now: this worker is to accept the connections that wait. The sockets are in the
        # order of {ios}, and the block closes them.
        # @yieldparam sockets [Array<IO>]
        def on_accept(&block) = @lock.synchronize { @on_accept = block }

        # Calls the block, on a thread of the context's own, with a connection of the supervisor: a
        # request that shows whether this worker serves. The block closes it.
        # @yieldparam sockets [Array<IO>] one
        def on_probe(&block) = @lock.synchronize { @on_probe = block }

        # Sends to the supervisor, without ever waiting.
        # @param name [String, Symbol] that its on_message hook gets
        # @param data [Object, nil] that JSON knows
        # @return [Boolean] whether it was sent
        # @raise [ArgumentError] for a message that is too long
        def send(name, data = nil) = @channel.send(name, data)

        # The same as {Supervisor#status}, with Strings for keys.
        # @param timeout [Numeric] seconds
        # @return [Hash, nil] nil when there was no answer in time
        def status(timeout: 5)
          @answers.clear
          @answers.pop(timeout: timeout) if @channel.send(:status)
        end

        # The main loop of the thread that reads. It ends with the supervisor.
        # @api private
        def listen
          while (message = @channel.receive)
            handle(*message)
          end
        end

        private

        def handle(name, data, ios)
          return pass(ios, @lock.synchronize { @on_accept }) if name == "accept"
          return pass(ios, @lock.synchronize { @on_probe }) if name == "probe"

          ios.each(&:close)
          case name
          when "drain" then stop
          when "status" then @answers << data
          else @lock.synchronize { @handlers[name] }&.call(data)
          end
        rescue => error
          ErrorReporter.call(@log, "worker #{@index} (#{::Process.pid}) failed to handle " \
            "#{name.inspect}",
            error)
        end

        def pass(sockets, block) = block ? block.call(sockets) : sockets.each(&:close)

        def stop
          blocks = @lock.synchronize do
            @stopping = true
            @on_stop.slice!(0..)
          end
          @stopped.close
          blocks.each(&:call)
        end
      end
    end
  end
end
