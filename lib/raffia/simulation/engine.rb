# frozen_string_literal: true

module Raffia
  module Simulation
    # The engine of a {FiberScheduler}: Raffia's event loop with the world's clock, timers and
    # descriptors. It has the methods of Engine::Select. The next one of its completions is a choice
    # of the run; an interrupt goes first, as schedulers promise.
    #
    # @api private
    class Engine
      ETIME = -::Errno::ETIME::Errno
      private_constant :ETIME

      # An operation under way, or a completion.
      Operation = Struct.new(:id, :data, :result, :timer, :watch, :over)
      private_constant :Operation

      def initialize(world)
        @world = world
        @thread_scheduler = world.thread_scheduler
        @thread = world.running
        @operations = {}
        @ready = []
        @next_id = @polls = @completed = 0
        @current = nil
        @closed = @woken = false
      end

      def name = :simulated

      def transfers? = false

      def arm(io, events, data)
        check_open
        io = Raffia::Engine::Interest.io(io)
        operation = add(data)
        @world.boundary.io(io)
        operation.watch = @world.interest.add(io, events) { |found| complete(operation, found) }
        operation.id
      end

      # Those of the events that are there now, or a negative error.
      def ready(io, events)
        Interest.poll(Raffia::Engine::Interest.io(io), events)
      rescue ::SystemCallError => error
        -error.errno
      end

      def after(seconds, data)
        check_open
        operation = add(data)
        operation.timer = @world.after(Raffia::Engine::Timers.seconds(seconds), @thread) do
          complete(operation, ETIME)
        end
        operation.id
      end

      def disarm(id)
        operation = @operations.delete(Integer(id)) or return
        operation.timer&.cancel
        @world.interest.remove(operation.watch) if operation.watch
        operation.over = true
      end

      def push(data, result)
        check_open
        enqueue(Operation.new(data: data, result: Integer(result)))
        nil
      end

      def inject(data, result)
        return false if @closed

        enqueue(Operation.new(data: data, result: Integer(result)))
        true
      end

      def wake
        return false if @closed

        @woken = true
        end_poll
        true
      end

      def peek
        return if @closed

        @current = nil if @current&.over
        @current ||= choose
        @current&.data
      end

      def shift
        data = peek
        @current.over = true if @current
        data
      end

      def result = @current&.result

      def poll(timeout = nil)
        check_open
        @polls += 1
        wait(timeout) unless any? || timeout&.zero?
        @woken = false
        @ready.count { |operation| !operation.over } + (@current ? 1 : 0)
      end

      def pending = @operations.size

      def stats
        {polls: @polls, completed: @completed, pending: pending, ready: @ready.size}
      end

      def closed? = @closed

      def close
        @closed = true
        @operations.each_key { |id| disarm(id) }
        @ready.clear
        nil
      end

      private

      def check_open
        raise ::IOError, "the event loop is closed" if @closed
      end

      def add(data)
        operation = Operation.new(id: @next_id += 1, data: data)
        @operations[operation.id] = operation
      end

      def complete(operation, result)
        @operations.delete(operation.id)
        @completed += 1
        operation.result = result
        enqueue(operation)
      end

      def enqueue(operation)
        @ready << operation
        end_poll
      end

      def any?
        @ready.shift while @ready.first&.over
        @woken || @ready.any? || (@current && !@current.over)
      end

      def wait(timeout) = @thread_scheduler.suspend(:poll, self, timeout)

      # The thread waits in {poll}, if it waits.
      def end_poll
        @thread_scheduler.wake(@thread, :woken) if @thread.wait&.subject.equal?(self)
      end

      def choose
        @ready.reject!(&:over)
        return if @ready.empty?
        return @ready.shift if @ready.size == 1

        first = @ready.index { |operation| !operation.data.is_a?(Scheduler::Portable::Wait) }
        @ready.delete_at(first || @thread_scheduler.choose_completion(@ready))
      end
    end
  end
end
