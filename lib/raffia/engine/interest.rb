# frozen_string_literal: true

module Raffia
  module Engine
    # Who waits for which descriptor, in the pure-Ruby engine. Several may wait for one, each for its own events.
    #
    # @api private
    class Interest
      Entry = Struct.new(:io, :events, :data, :id, :fd)
      EBADF = -Errno::EBADF::Errno
      private_constant :EBADF

      # @param io [IO, Integer]
      # @return [IO]
      def self.io(io) = io.is_a?(Integer) ? IO.for_fd(io, autoclose: false) : io

      # @return [Integer] those of the events that are there now
      def self.look(io, events)
        lists = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].map { |event| (events & event).zero? ? [] : [io] }
        readable, writable, urgent = Fiber.blocking { IO.select(*lists, 0) }
        [[readable, IO::READABLE], [writable, IO::WRITABLE], [urgent, IO::PRIORITY]].sum do |list, event|
          list.nil? || list.empty? ? 0 : event
        end
      end

      def initialize
        @entries = Hash.new { |entries, fd| entries[fd] = [] } # fd => entries
      end

      # @return [Entry]
      # @raise [SystemCallError] when there is no such descriptor
      def add(io, events, data, id)
        io = Interest.io(io)
        entry = Entry.new(io, events, data, id, io.fileno)
        @entries[entry.fd].push(entry)
        entry
      end

      def remove(entry)
        list = @entries.fetch(entry.fd, nil) or return
        list.delete_if { |other| other.equal?(entry) }
        @entries.delete(entry.fd) if list.empty?
      end

      # Wait for any of them, or for the waker.
      # @yieldparam entry [Entry]
      # @yieldparam events [Integer] what came, or a negative errno
      def select(waker, pause, &)
        lists = lists(waker)
        found = Fiber.blocking { IO.select(*lists, pause) } or return
        waker.read_nonblock(1024, exception: false) if found[0].delete(waker)
        report(*found, &)
      rescue IOError, SystemCallError
        # One of them was closed under its waiter; select does not say which.
        weed_out(&)
      end

      private

      def lists(waker)
        readable = [waker]
        writable = []
        urgent = []
        each do |entry|
          readable << entry.io unless (entry.events & IO::READABLE).zero?
          writable << entry.io unless (entry.events & IO::WRITABLE).zero?
          urgent << entry.io unless (entry.events & IO::PRIORITY).zero?
        end
        [readable, writable, urgent]
      end

      def report(readable, writable, urgent)
        came = Hash.new(0).compare_by_identity
        readable.each { |io| came[io] |= IO::READABLE }
        writable.each { |io| came[io] |= IO::WRITABLE }
        urgent.each { |io| came[io] |= IO::PRIORITY }
        each do |entry|
          events = came[entry.io] & entry.events
          yield entry, events unless events.zero?
        end
      end

      def weed_out
        each { |entry| yield entry, EBADF if gone?(entry) }
      end

      def gone?(entry)
        return true if entry.io.closed? || entry.io.fileno != entry.fd

        Interest.look(entry.io, entry.events)
        false
      rescue IOError, SystemCallError
        true
      end

      # Over a copy: whoever is told, may remove itself.
      def each(&) = @entries.each_value.to_a.each { |list| list.dup.each(&) }
    end
  end
end
