# frozen_string_literal: true

require "monitor"
require_relative "location"
require_relative "lock_order/acquisition"

module Raffia
  module Simulation
    # Finds locks that are taken in different orders, also where no run has come to a deadlock: a
    # cycle of locks that were taken while others were held, by different threads, with no lock
    # around all of them (Havelund's GoodLock). A TracePoint follows the locks, in some runs only,
    # because it sees each call of a method in C.
    #
    # @api private
    class LockOrder
      # The first runs of an exploration are watched, and each one after so many.
      FIRST = 5
      INTERVAL = 100
      # Locks in a cycle at most.
      LENGTH = 4
      # Methods before which the lock is requested, and those after which it is held.
      REQUESTS = %i[lock enter mon_enter synchronize mon_synchronize].freeze
      BLOCKS = %i[synchronize mon_synchronize].freeze
      TAKES = %i[lock enter mon_enter].freeze
      TRIES = %i[try_lock try_enter mon_try_enter try_mon_enter].freeze
      RELEASES = %i[unlock exit mon_exit].freeze
      METHODS = [*REQUESTS, *TRIES, *RELEASES].uniq.to_h { |name| [name, true] }.freeze
      private_constant :FIRST, :INTERVAL, :LENGTH, :REQUESTS, :BLOCKS, :TAKES, :TRIES, :RELEASES,
        :METHODS

      def initialize
        @runs = 0
        @point = ::TracePoint.new(:c_call, :c_return) do |point|
          at(point) if METHODS.key?(point.method_id)
        end
      end

      # Runs the block, a run of the world, and adds what it finds to its warnings.
      def watch(world, &)
        @runs += 1
        return yield unless @runs <= FIRST || (@runs % INTERVAL).zero?

        @world = world
        @held = {}.compare_by_identity # fiber => [[lock, place]]
        @acquisitions = {}
        value = @point.enable(target_thread: ::Thread.current, &)
        world.warnings.concat(cycles.map { |cycle| text(cycle) }.uniq)
        value
      ensure
        @world = @held = @acquisitions = nil
      end

      private

      def at(point)
        lock = point.self
        return unless ::Thread::Mutex === lock || ::Monitor === lock

        name = point.method_id
        if point.event == :c_call
          called(name, lock, point)
        else
          returned(name, lock, point)
        end
      end

      def called(name, lock, point)
        return unless REQUESTS.include?(name)

        place = "#{point.path}:#{point.lineno}"
        request(lock, place)
        held << [lock, place] if BLOCKS.include?(name)
      end

      def returned(name, lock, point)
        if TAKES.include?(name) ? owned?(lock) : TRIES.include?(name) && point.return_value
          held << [lock, "#{point.path}:#{point.lineno}"]
        elsif BLOCKS.include?(name) || RELEASES.include?(name)
          index = held.rindex { |other, _| other.equal?(lock) }
          held.delete_at(index) if index
        end
      end

      def held = @held[::Fiber.current] ||= []

      def owned?(lock) = (::Monitor === lock) ? lock.mon_owned? : lock.owned?

      def request(lock, place)
        locks = held
        return if locks.empty? || locks.any? { |other, _| other.equal?(lock) }

        locks.each do |other, other_place|
          key = [other.object_id, lock.object_id, ::Fiber.current.object_id]
          @acquisitions[key] ||= Acquisition.new(@world, other, lock, place, other_place,
            locks.map(&:first).reject { |guard| guard.equal?(other) })
        end
      end

      def cycles
        all = @acquisitions.values
        return [] if all.size < 2

        after = all.group_by { |one| one.held.object_id }
        all.flat_map { |first| longer([first], after) }
      end

      # All cycles that begin with these.
      def longer(chain, after)
        candidates = after[chain.last.lock.object_id].to_a.select do |one|
          chain.all? { |other| other.concurrent?(one) }
        end
        candidates.flat_map do |one|
          path = [*chain, one]
          next [path] if one.lock.equal?(chain.first.held)

          (path.size < LENGTH) ? longer(path, after) : []
        end
      end

      def text(cycle)
        "lock order: #{cycle.map(&:to_s).uniq.sort.join("; ")}. Threads that do this at one time " \
          "wait for each other for ever"
      end
    end
  end
end
