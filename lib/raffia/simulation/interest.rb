# frozen_string_literal: true

module Raffia
  module Simulation
    # Descriptors that members of a world wait for: the ends of simulated connections and pipes.
    # They change only when a member acts, so they are polled without waiting.
    #
    # @api private
    class Interest
      # One wait for one descriptor.
      Operation = Struct.new(:io, :events, :action)
      private_constant :Operation

      def self.poll(io, events)
        lists = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].map do |event|
          events.anybits?(event) ? [io] : nil
        end
        found = select(lists) or return 0
        found.zip([IO::READABLE, IO::WRITABLE, IO::PRIORITY])
          .sum { |ios, event| ios.empty? ? 0 : event }
      end

      def self.select(lists) = ::Fiber.real_blocking { ::Kernel.select(*lists, 0) }

      def initialize(world)
        @world = world
        @list = []
        @waits = {}.compare_by_identity # IO => number of waits
        @closing = {}.compare_by_identity # IO => fibers
      end

      def empty? = @list.empty?

      # Calls the block once with the events that came. Returns an object for {remove}.
      def add(io, events, &action)
        Operation.new(io, events, action).tap { |one| @list << one }
      end

      def remove(watch) = @list.delete_if { |other| other.equal?(watch) }

      # Runs the block, in which the running thread or fiber waits for the IO.
      # @raise [IOError] another one closes it
      def during_wait(io)
        @waits[io] = @waits.fetch(io, 0) + 1
        result = yield
        raise ::IOError, "stream closed in another thread" if @closing[io]

        result
      ensure
        if (@waits[io] -= 1).zero?
          @waits.delete(io)
          @closing[io]&.each { |fiber| @world.fiber_waits.unblock(io, fiber) }
        end
      end

      def waited_for?(io) = @waits.key?(io)

      # Ends the waits for an IO that is about to be closed. Ruby would end them by an exception in
      # the real thread, which is also that of the caller.
      def release(io)
        return unless waited_for?(io)

        closers = @closing[io] ||= []
        closers << ::Fiber.current
        @list.select { |watch| watch.io.equal?(io) }.each do |watch|
          remove(watch)
          watch.action.call(watch.events)
        end
        @world.fiber_waits.block(io, nil) while waited_for?(io)
      ensure
        closers&.delete(::Fiber.current)
        @closing.delete(io) if closers && closers.empty?
      end

      # Completes those that are ready. Returns whether there were any.
      def poll
        return false if @list.empty?

        ready = @list.filter_map do |watch|
          events = watch.io.closed? ? watch.events : Interest.poll(watch.io, watch.events)
          [watch, events] if events.positive?
        end
        ready.each do |watch, events|
          remove(watch)
          watch.action.call(events)
        end
        ready.any?
      end
    end
  end
end
