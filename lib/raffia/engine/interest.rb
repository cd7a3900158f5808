# frozen_string_literal: true

module Raffia
  module Engine
    # The waits of each descriptor, in the pure-Ruby engine. Several operations may wait for one,
    # each for its own events. Kernel.select is IO.select under a name that other libraries' tests
    # do not replace.
    #
    # @api private
    class Interest
      EBADF = -Errno::EBADF::Errno
      private_constant :EBADF

      # @param io [IO, Integer]
      # @return [IO]
      def self.io(io)
        return IO.for_fd(io, autoclose: false) if io.is_a?(Integer)
        return io if io.is_a?(IO)
        return io.to_io if io.respond_to?(:to_io)

        raise TypeError, "expected IO or a descriptor, #{io.class} given"
      end

      # @return [Integer] those of the events that are there now
      def self.poll(io, events)
        lists = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].map do |event|
          (events & event).zero? ? [] : [io]
        end
        readable, writable, urgent = Fiber.blocking { Kernel.select(*lists, 0) }
        [[readable, IO::READABLE], [writable, IO::WRITABLE],
          [urgent, IO::PRIORITY]].sum do |list, event|
          (list.nil? || list.empty?) ? 0 : event
        end
      end

      def initialize
        @operations = Hash.new { |operations, fd| operations[fd] = [] } # fd => operations
      end

      # @param operation [Operation] with io and events
      # @raise [SystemCallError] when there is no such descriptor
      def add(operation)
        operation.fd = operation.io.fileno
        @operations[operation.fd].push(operation)
      end

      def remove(operation)
        list = @operations.fetch(operation.fd, nil) or return
        list.delete_if { |other| other.equal?(operation) }
        @operations.delete(operation.fd) if list.empty?
      end

      # Waits for any of them, or for the waker.
      # @yieldparam operation [Operation]
      # @yieldparam events [Integer] what came, or a negative errno
      def select(waker, pause, &)
        found = wait(waker, pause)
        found ? report(*found, &) : fail_closed(&)
      end

      private

      # @return [Array<Array<IO>>, nil] nil when one of them was closed under its waiter; select
      #   does not say which
      def wait(waker, pause)
        lists = lists(waker)
        found = Fiber.blocking { Kernel.select(*lists, pause) } || [[], [], []]
        waker.read_nonblock(1024, exception: false) if found[0].delete(waker)
        found
      rescue IOError, SystemCallError
        nil
      end

      def lists(waker)
        readable = [waker]
        writable = []
        urgent = []
        each do |operation|
          readable << operation.io unless (operation.events & IO::READABLE).zero?
          writable << operation.io unless (operation.events & IO::WRITABLE).zero?
          urgent << operation.io unless (operation.events & IO::PRIORITY).zero?
        end
        [readable, writable, urgent]
      end

      def report(readable, writable, urgent)
        came = Hash.new(0).compare_by_identity
        readable.each { |io| came[io] |= IO::READABLE }
        writable.each { |io| came[io] |= IO::WRITABLE }
        urgent.each { |io| came[io] |= IO::PRIORITY }
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
