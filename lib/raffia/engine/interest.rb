# frozen_string_literal: true

module Raffia
  module Engine
    # The waits for each descriptor, in the pure-Ruby engine. Several operations may wait for one,
    # each for its own events. Kernel.select is IO.select under a name that other libraries' tests
    # do not replace.
    #
    # @api private
    class Interest
      EBADF = -Errno::EBADF::Errno
      # In the order of select's lists.
      EVENTS = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].freeze
      private_constant :EBADF, :EVENTS

      def self.io(io)
        return IO.for_fd(io, autoclose: false) if io.is_a?(Integer)
        return io if io.is_a?(IO)
        return io.to_io if io.respond_to?(:to_io)

        raise TypeError, "expected IO or a descriptor, #{io.class} given"
      end

      # Those of the events that are there now.
      def self.poll(io, events)
        lists = EVENTS.map { |event| events.anybits?(event) ? [io] : [] }
        found = Fiber.blocking { Kernel.select(*lists, 0) } || []
        found.zip(EVENTS).sum { |ios, event| ios.empty? ? 0 : event }
      end

      def initialize
        @operations = Hash.new { |operations, fd| operations[fd] = [] } # by descriptor
      end

      # Raises SystemCallError when there is no such descriptor.
      def add(operation)
        operation.fd = operation.io.fileno
        @operations[operation.fd].push(operation)
      end

      def remove(operation)
        list = @operations.fetch(operation.fd, nil) or return
        list.delete_if { |other| other.equal?(operation) }
        @operations.delete(operation.fd) if list.empty?
      end

      # Waits for any of them, or for the waker. Yields each operation that is ready, with its
      # events or a negative errno.
      def select(waker, pause, &)
        found = wait(waker, pause)
        found ? report(found, &) : fail_closed(&)
      end

      private

      # Nil when a descriptor was closed under its waiter; select does not say which.
      def wait(waker, pause)
        lists = lists(waker)
        found = Fiber.blocking { Kernel.select(*lists, pause) } || [[], [], []]
        waker.read_nonblock(1024, exception: false) if found[0].delete(waker)
        found
      rescue IOError, SystemCallError
        nil
      end

      def lists(waker)
        lists = [[waker], [], []]
        each do |operation|
          EVENTS.zip(lists) { |event, ios| ios << operation.io if operation.events.anybits?(event) }
        end
        lists
      end

      def report(found)
        came = Hash.new(0).compare_by_identity
        found.zip(EVENTS) { |ios, event| ios.each { |io| came[io] |= event } }
        each do |operation|
          events = came[operation.io] & operation.events
          yield operation, events unless events.zero?
        end
      end

      def fail_closed
        each { |operation| yield operation, EBADF if gone?(operation) }
      end

      def gone?(operation)
        return true if operation.io.closed? || operation.io.fileno != operation.fd

        Interest.poll(operation.io, operation.events)
        false
      rescue IOError, SystemCallError
        true
      end

      # Over a copy, because an operation may be removed meanwhile.
      def each(&) = @operations.each_value.to_a.each { |list| list.dup.each(&) }
    end
  end
end
