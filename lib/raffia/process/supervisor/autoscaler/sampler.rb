# frozen_string_literal: true

require "etc"

module Raffia
  module Process
    class Supervisor
      class Autoscaler
        # How much a worker had to do since the last sample. `cpu`: share of a CPU. `wait`: seconds
        # that requests wait there. `occupancy`: 0..1, see {Settings}.
        #
        # @api private
        Sample = Data.define(:cpu, :wait, :occupancy) do
          # The scarcer of the two: CPU, or places.
          def use = [cpu, occupancy].max
        end

        # Takes samples of workers: CPU time by the kernel, the rest by what they have written.
        #
        # @api private
        class Sampler
          TICKS = Etc.sysconf(Etc::SC_CLK_TCK).to_f
          # utime and stime in /proc/PID/stat, after the command's name, which may have blanks.
          TIMES = 11..12
          private_constant :TICKS, :TIMES

          def initialize(load)
            @load = load
            @seen = {}.compare_by_identity
          end

          # Samples of the slots' workers that serve.
          def take(slots, now)
            seen = {}.compare_by_identity
            samples = slots.filter_map do |slot|
              worker = slot.current
              next unless worker&.ready?

              seen[worker] = [now, cpu_seconds(worker.pid)]
              sample(slot, worker, @seen.fetch(worker, seen[worker]), seen[worker])
            end
            @seen = seen
            samples
          end

          private

          # A loop that does not turn does not tell how late it is, but its heartbeat is missing.
          def sample(slot, worker, (before, used), (now, total))
            load = @load.call(slot.index, worker.row, worker.pid)
            cpu = (now > before) ? (total - used) / (now - before) : 0.0
            Sample.new(cpu: cpu.clamp(0.0..),
              wait: [load.fetch(:wait, 0.0), worker.silence(now)].max,
              occupancy: load.fetch(:occupancy, 0.0))
          end

          # 0.0 where the system does not tell.
          def cpu_seconds(pid)
            stat = File.read("/proc/#{pid}/stat")
            stat[(stat.rindex(")") + 2)..].split[TIMES].sum(&:to_i) / TICKS
          rescue SystemCallError
            0.0
          end
        end
      end
    end
  end
end
