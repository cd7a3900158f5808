# frozen_string_literal: true

require "etc"

module Raffia
  class Scheduler
    class FiberLimit
      # Names the limit of the system that keeps a process from having more fibers, and what to do.
      #
      # @api private
      class Shortage
        MAP_COUNT = "/proc/sys/vm/max_map_count"
        DEFAULT_MAP_COUNT = 65_530
        # The first number is the pages of address space of the process.
        STATM = "/proc/self/statm"
        # Stacks of fibers are allocated many at a time.
        NEARLY = 0.8
        private_constant :MAP_COUNT, :DEFAULT_MAP_COUNT, :STATM, :NEARLY

        def initialize(fibers)
          @fibers = fibers
          @address_space = address_space_exhausted?
        end

        def to_s
          limit = if @address_space
            "the limit of the address space (ulimit -v) is #{address_limit / 1024} KB"
          elsif map_count then "vm.max_map_count is #{map_count}"
          end
          "#{@fibers} fibers are alive#{" and #{limit}" if limit}"
        end

        def warning
          "raffia: #{self}, and #{@address_space ? address_shortage : map_shortage}, " \
            "or start fewer at once (Raffia.map(..., limit: 1000), Raffia::Semaphore)."
        end

        private

        def map_shortage
          "the kernel has no memory map left for one more fiber. #{waiting} " \
            "`sysctl -w vm.max_map_count=#{(map_count || DEFAULT_MAP_COUNT) * 4}`"
        end

        def address_shortage
          "the process may not have the address space for one more fiber's stack. #{waiting} " \
            "`ulimit -v unlimited`"
        end

        def waiting
          "Starting fibers waits from now on until others have ended. Allow more with"
        end

        def address_space_exhausted?
          limit = address_limit or return false
          pages = Fiber.blocking { Integer(File.read(STATM)[/\d+/]) }
          pages * Etc.sysconf(Etc::SC_PAGESIZE) > limit * NEARLY
        rescue SystemCallError, ArgumentError, TypeError
          false
        end

        # Bytes.
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
end
