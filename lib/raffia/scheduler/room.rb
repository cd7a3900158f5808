# frozen_string_literal: true

require "etc"

module Raffia
  class Scheduler
    # How many fibers there can be is a matter of memory maps: each takes two, of the 65,530 that
    # Linux allows a process by default, so there is an end at some 31,700. Who wants one more then
    # waits until one has ended.
    #
    # @api private
    module Room
      # Seconds. Those that are there may be waiting for the very one that wants another.
      PATIENCE = 10
      # Seconds. When one has ended, others may be about to, and a collection serves them all.
      TOGETHER = 0.05
      NO_STACK = /stack|guard page/
      MAP_COUNT = "/proc/sys/vm/max_map_count"
      # Of the process: pages of address space, and others.
      STATM = "/proc/self/statm"
      # Fibers' stacks are allocated many at a time.
      NEARLY = 0.8
      private_constant :PATIENCE, :TOGETHER, :NO_STACK, :MAP_COUNT, :STATM, :NEARLY

      private

      # Called when a fiber could not be had; returns when it is worth another try. A fiber that has
      # ended leaves its stack to the system, or waits for another block: both are room.
      #
      # @param error [FiberError]
      # @raise [FiberError] when no fiber ended
      def await_fiber_slot(error)
        raise error unless error.message.match?(NO_STACK)

        warn_of_crowd
        return if collect_ended || wait_for_room || collect_ended

        raise FiberError, "#{error.message} (#{crowd}; none ended within #{PATIENCE} s)"
      end

      # A fiber that was left by a transfer keeps its stack until the garbage collector finds it, so
      # that is asked to look.
      # @return [Boolean] whether any had ended since the last time
      def collect_ended
        ended = counts[:fresh] - counts[:live]
        return false unless ended > @collected.to_i

        @collected = ended
        GC.start
        true
      end

      # @return [Boolean] whether a fiber has ended meanwhile
      def wait_for_room
        timer = mine = nil
        park do |wait|
          (@crowd ||= []) << (mine = wait)
          self.fiber_limit_reached = true
          timer = engine.after(PATIENCE, wait)
          false
        end
        kernel_sleep(TOGETHER)
        !@crowd&.include?(mine)
      ensure
        engine.disarm(timer) if timer && !closed?
      end

      # Called when a fiber has ended while others wait for that.
      def fiber_ended
        waits = @crowd
        @crowd = nil
        self.fiber_limit_reached = false
        waits&.each { |wait| deliver(wait, 0) }
      end

      def warn_of_crowd
        return if @warned_of_crowd

        @warned_of_crowd = true
        shortage, remedy = out_of_addresses? ? address_shortage : map_shortage
        Kernel.warn "raffia: #{crowd}, and #{shortage}. Starting fibers waits from now on until " \
        "others " \
          "have ended. Allow more with `#{remedy}`, or start fewer at once " \
          "(Raffia.map(..., limit: 1000), Raffia::Semaphore)."
      end

      def map_shortage
        ["the kernel has no memory map left for one more fiber",
          "sysctl -w vm.max_map_count=#{(map_count || 65_530) * 4}"]
      end

      def address_shortage
        ["the process may not have the address space for one more fiber's stack",
          "ulimit -v unlimited"]
      end

      def crowd
        limit = if out_of_addresses? then "the limit of the address space (ulimit -v) is " \
          "#{address_limit / 1024} KB"
        elsif map_count then "vm.max_map_count is #{map_count}"
        end
        "#{counts[:live]} fibers are alive#{" and #{limit}" if limit}"
      end

      # @return [Boolean] whether the limit of the address space (ulimit -v) is what is nearly
      #   reached
      def out_of_addresses?
        limit = address_limit or return false
        Fiber.blocking { Integer(File.read(STATM)[/\d+/]) } * Etc.sysconf(Etc::SC_PAGESIZE) >
          limit * NEARLY
      rescue SystemCallError, ArgumentError, TypeError
        false
      end

      # @return [Integer, nil] bytes
      def address_limit
        limit = ::Process.getrlimit(:AS).first
        limit unless limit == ::Process::RLIM_INFINITY
      rescue NotImplementedError
        nil
      end

      def map_count
        Fiber.blocking { Integer(File.read(MAP_COUNT)) }
      rescue SystemCallError, ArgumentError
        nil
      end
    end
  end
end
