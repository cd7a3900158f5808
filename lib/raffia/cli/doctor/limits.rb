# frozen_string_literal: true

require_relative "system"

module Raffia
  module CLI
    class Doctor < Command
      # Limits that programs with many fibers, sockets or workers reach first.
      class Limits
        # Descriptors; each socket or pipe needs one.
        FEW_FILES = 4096
        # Memory maps of a live fiber (its stack and the guard page below), and of all the rest.
        MAPS_PER_FIBER = 2
        MAPS_OF_RUBY = 2000
        DEFAULT_MAPS = 65_530
        SHORT_QUEUE = 1024
        LITTLE_MEMORY = 256 << 20
        RING_DISABLED = {
          1 => "allowed for members of kernel.io_uring_group only", 2 => "forbidden to all"
        }.freeze

        def self.call(system = System.new) = new(system).call

        def initialize(system)
          @system = system
        end

        # Limits that this system does not have are left out.
        def call = [open_files, fibers, locked_memory, cpu, memory, rings, listen_queue].compact

        private

        def open_files
          soft, hard = @system.rlimit(:NOFILE)
          return unless soft
          detail = "#{amount(soft)}, can be raised to #{amount(hard)}"
          return Check.ok("open files", detail) if soft >= FEW_FILES
          Check.warn("open files", detail,
            "Each socket needs one. Raise it with `ulimit -n #{hard_number(hard)}` before the " \
              "start.")
        end

        def fibers
          maps = @system.sysctl("vm.max_map_count") or return
          detail = "about #{amount(live_fibers(maps))} alive at once (vm.max_map_count is " \
            "#{amount(maps)})"
          return Check.ok("fibers", detail) if maps >= DEFAULT_MAPS
          Check.warn("fibers", detail, "Less than Linux' default: `sysctl -w " \
            "vm.max_map_count=#{DEFAULT_MAPS}` as root.")
        end

        def live_fibers(maps) = [(maps - MAPS_OF_RUBY) / MAPS_PER_FIBER, 0].max.floor(-2)

        def locked_memory
          soft, = @system.rlimit(:MEMLOCK)
          return unless soft
          Check.ok("locked memory", "#{bytes(soft)} (before Linux 5.12 io_uring's rings count " \
            "against it)")
        end

        def cpu
          quota = @system.cpu_quota
          cores = "#{@system.cores} #{(@system.cores == 1) ? "core" : "cores"}"
          return Check.ok("CPU", "#{cores}, no cgroup quota") unless quota
          detail = "#{cores}, cgroup quota of #{quota.round(2)}"
          return Check.ok("CPU", detail) if quota >= @system.cores
          Check.warn("CPU", detail,
            "CPU-bound workers beyond the quota are throttled, not faster: workers: " \
              "#{quota.ceil}, or RAFFIA_WORKERS=#{quota.ceil} for all pools.")
        end

        def memory
          limit = @system.memory_limit
          return Check.ok("memory", "no cgroup limit") unless limit
          return Check.ok("memory", "cgroup limit of #{bytes(limit)}") if limit >= LITTLE_MEMORY
          Check.warn("memory", "cgroup limit of #{bytes(limit)}",
            "Prefer fibers and threads: each worker process adds its own part of the heap.")
        end

        def rings
          state = @system.sysctl("kernel.io_uring_disabled") or return
          if state.zero?
            return Check.ok("io_uring", "not restricted (kernel.io_uring_disabled is 0)")
          end
          Check.note("io_uring", "#{RING_DISABLED.fetch(state, "restricted")} " \
            "(kernel.io_uring_disabled is #{state})",
            "Raffia uses epoll instead. `sysctl -w kernel.io_uring_disabled=0` as root allows it.")
        end

        def listen_queue
          queue = @system.sysctl("net.core.somaxconn") or return
          if queue >= SHORT_QUEUE
            return Check.ok("listen queue", "#{amount(queue)} connections (net.core.somaxconn)")
          end
          Check.warn("listen queue", "#{amount(queue)} connections (net.core.somaxconn)",
            "Connections beyond it are refused or wait: `sysctl -w net.core.somaxconn=4096` as " \
              "root.")
        end

        def amount(number)
          return "unlimited" if number >= @system.unlimited
          number.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")
        end

        def hard_number(hard) = (hard >= @system.unlimited) ? "1048576" : hard

        def bytes(number)
          return "unlimited" if number >= @system.unlimited
          unit, size = [["GB", 1 << 30], ["MB", 1 << 20],
            ["KB", 1 << 10]].find { |_, factor| number >= factor } || ["bytes", 1]
          "#{(number.to_f / size).round(1).to_s.delete_suffix(".0")} #{unit}"
        end
      end
    end
  end
end
