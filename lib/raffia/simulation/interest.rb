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

      def initialize
        @list = []
      end

      def empty? = @list.empty?

      # Calls the block once with the events that came. Returns an object for {remove}.
      def add(io, events, &action)
        Operation.new(io, events, action).tap { |one| @list << one }
      end

      def remove(watch) = @list.delete_if { |other| other.equal?(watch) }

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
