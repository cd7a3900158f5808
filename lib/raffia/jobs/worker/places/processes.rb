# frozen_string_literal: true

require_relative "line"
require_relative "outside"
require_relative "pooled"

module Raffia
  module Jobs
    class Worker
      class Places
        # In forked processes, which have the application as this one has loaded it: for Ruby code
        # that computes, and for what may have to be killed.
        #
        # @api private
        class Processes < Pooled
          # Seconds that a job has to end by itself when its time is up, before its process is
          # killed.
          MARGIN = 2

          # @param limit [Integer] jobs that there can be at a time
          def initialize(places, size, limit)
            @lines = Line.several(limit)
            @free = @lines.dup
            @taken = {}.compare_by_identity
            super
          end

          def call(run, job, seconds)
            line = @taken[run] = @free.pop.clear
            super
          ensure
            @free.push(line) if @taken.delete(run)
          end

          # Its process is killed.
          def interrupt(run, why, by_force)
            @taken[run]&.tell(why)
            super
          end

          # @return [void]
          def announce_stop = @taken.each_value { |line| line.tell(:stopping) unless line.told? }

          # @return [Float, nil]
          def progress(run) = @taken[run]&.progress

          private

          def backstop(seconds) = seconds && seconds + MARGIN

          def pool
            Pool.new(on: :processes, workers: @size) do |payload, seconds, index, slot|
              @places.board.begin(slot) if slot
              work(Payload.load(payload), seconds, @lines[index])
            end
          end

          # In the process. What a job returns is nobody's, and may be large.
          def work(item, seconds, line)
            job = Perform.job_class(item["class"])
            run = Run.adopt(Outside.new(item, @places.store, line))
            seconds ? Raffia.timeout(seconds) { perform(run, job) } : perform(run, job)
            nil
          end

          def perform(run, job) = Perform.with(job, run.item, @places.middleware, run)

          def submit(run, _job, seconds)
            @pool.submit(run.claim.payload, seconds, @taken[run].index, run.slot)
          end
        end
      end
    end
  end
end
