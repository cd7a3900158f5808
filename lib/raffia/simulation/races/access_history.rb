# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # Accesses of the threads to one variable: the last write, and since then the last read of
      # each thread, as in FastTrack (Flanagan and Freund, PLDI 2009).
      # @api private
      class AccessHistory
        # One read or write. `time`: the thread's own time in the happens-before order. `locks`:
        # what the thread held. `torn`: a switch point lies between the thread's last read of the
        # variable and this write.
        Entry = Data.define(:thread, :time, :write, :place, :locks, :torn)

        def initialize(ordering)
          @ordering = ordering
          @write = nil
          @reads = {}.compare_by_identity
          @read_points = {}.compare_by_identity
        end

        # @param points [Integer] switch points that the thread has passed
        # @return [Array<Array(Entry, Entry)>] earlier accesses that nothing orders before this one
        def add(thread, write, place, locks, points)
          entry = Entry.new(thread, @ordering.time(thread), write, place, locks.dup,
            write && @read_points.fetch(thread, points) != points)
          found = (write ? [@write, *@reads.each_value] : [@write])
            .select { |earlier| earlier && race?(earlier, entry) }
          keep(entry, points)
          found.map { |earlier| [earlier, entry] }
        end

        private

        def race?(earlier, entry)
          !@ordering.before?(earlier.thread, earlier.time, entry.thread) &&
            (earlier.locks & entry.locks).empty?
        end

        def keep(entry, points)
          if entry.write
            @write = entry
            @reads.clear
          else
            @reads[entry.thread] = entry
            @read_points[entry.thread] = points
          end
        end
      end
    end
  end
end
