# frozen_string_literal: true

require_relative "error_reporter"

module Raffia
  module Process
    class Supervisor
      # A worker's view of its slot, and its way to the supervisor. Safe from any thread.
      class WorkerContext
        # @return [Integer] of the slot, from 0
        attr_reader :index
        # @return [Integer] from 1: how often the supervisor has been told to {Supervisor#restart},
        #   this worker's code included
        attr_reader :generation
        # @return [Integer] which of the slot's lanes is this worker's alone while it lives
        attr_reader :lane
        # @return [Array<IO>] the resources of the slot. They are the supervisor's: closing one here
        #   closes this process's copy alone
        attr_reader :ios
        # @return [Object, nil] what `preload` returned
        attr_accessor :preloaded
        # @return [Scoreboard] this worker's integers; earlier workers' counts are still in it
        attr_reader :board
        # @return [Scoreboards] those of all workers
        attr_reader :boards

        # @api private
        def initialize(channel, log:, boards:, index:, generation:, lane:, ios:, preloaded: nil)
          @channel = channel
          @log = log
          @boards = boards
          @board = boards.board(index, lane)
          @index = index
          @lane = lane
          @generation = generation
          @ios = ios
          @preloaded = preloaded
          @lock = Thread::Mutex.new
          @stopping = false
          @stopped = Thread::Queue.new
          @answers = Thread::Queue.new
          @on_stop = []
          @handlers = {}
          @on_accept = nil
        end

        # This worker serves from now on. A worker that does not say so within boot_timeout is
        # killed and replaced.
        def ready! = @channel.send(:ready)

        # `preload` has failed in this worker.
        # @api private
        # @return [Boolean] whether it was sent
        def load_failed = @channel.send(:failed)

        # This worker is alive. Once it has said so, it is to say so more often than every
        # hang_timeout.
        def beat = @board.beat

        # @return [Symbol] what its supervisor wants of it, see {Scoreboard#stop_reason}
        def stop_reason = @board.stop_reason

        # @return [Integer, nil] pid of the supervisor, with which it ends
        attr_accessor :supervisor

        # Asks to be drained, and replaced by another: SIGTERM to a worker does the same.
        def leave = @channel.send(:leaving)

        # @return [Boolean] whether it was asked to drain: to finish what it has begun, and then to
        #   return from the block
        def stopping? = @stopping

        # Calls the block, on a thread of the context's own, when this worker is to drain; at once
        # when that has been said already.
        def on_stop(&block)
          now = @lock.synchronize { @stopping || (@on_stop << block && false) }
          yield if now
        end

        # Waits until this worker is to drain. Under a fiber scheduler only this fiber waits.
        # @param timeout [Numeric, nil] seconds
        # @return [Boolean] whether it is
        def wait_for_stop(timeout = nil)
          @stopped.pop(timeout: timeout)
          @stopping
        end

        # Calls the block, on a thread of the context's own, with what comes by this name; one block
        # a name. From the supervisor itself come "dump" (write what all fibers wait for) and
        # "reopen" (the log files were moved away). Other messages are ignored.
        # @yieldparam data [Object, nil]
        def on_message(name, &block) = @lock.synchronize { @handlers[name.to_s] = block }

        # Calls the block, on a thread of the context's own, when connections wait in the sockets of
        # a slot that has no worker now: this worker is to accept them. The sockets are in the order
        # of {ios}, and the block's to close.
        # @yieldparam sockets [Array<IO>]
        def on_accept(&block) = @lock.synchronize { @on_accept = block }

        # Sends to the supervisor, without ever waiting.
        # @param name [String, Symbol] that its on_message hook gets
        # @param data [Object, nil] that JSON knows
        # @return [Boolean] whether it was sent
        # @raise [ArgumentError] for a message that is too long
        def send(name, data = nil) = @channel.send(name, data)

        # What {Supervisor#status} says, as JSON knows it: keys are Strings.
        # @param timeout [Numeric] seconds
        # @return [Hash, nil] nil when there was no answer in time
        def status(timeout: 5)
          @answers.clear
          @answers.pop(timeout: timeout) if @channel.send(:status)
        end

        # The life of the thread that reads. It ends with the supervisor.
        # @api private
        def listen
          while (message = @channel.receive)
            handle(*message)
          end
        end

        private

        def handle(name, data, ios)
          return accept(ios) if name == "accept"

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

        def accept(sockets)
          block = @lock.synchronize { @on_accept } or return sockets.each(&:close)
          block.call(sockets)
        end

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
