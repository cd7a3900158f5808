# frozen_string_literal: true

require_relative "kept"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Which unique jobs there are.
        #
        # @api private
        class Uniques
          Lock = Data.define(:job, :ends_at)

          def initialize
            @locks = {}
          end

          # @return [Kept, nil] the job that keeps others with this key out
          def owner(key, now)
            lock = @locks[key] or return
            return lock.job unless lock.ends_at && lock.ends_at <= now

            @locks.delete(key)
            nil
          end

          def take(job, now)
            return unless (unique = job.unique)

            @locks[unique["key"]] = Lock.new(job, unique["for"] && now + unique["for"])
          end

          # It begins to run.
          def started(job) = (free(job) if job.unique && job.unique["until"] == "start")

          # It has come to its end. A window stays shut until its time is over.
          def ended(job) = (free(job) if job.unique && job.unique["until"] != "window")

          # @return [void] another one takes its place
          def free(job)
            key = job.unique["key"]
            @locks.delete(key) if @locks[key]&.job.equal?(job)
          end

          def prune(now) = @locks.delete_if { |_, lock| lock.ends_at && lock.ends_at <= now }
        end

        # How many jobs run by the keys of their limits, and which ones have to wait for that.
        #
        # @api private
        class Limits
          def initialize
            @running = Hash.new(0)
            @blocked = {}
          end

          def full?(job) = !job.limit.nil? && @running[job.limit["key"]] >= job.limit["max"]

          def started(job) = (@running[job.limit["key"]] += 1 if job.limit)

          def ended(job)
            return unless (limit = job.limit)

            @running.delete(limit["key"]) if (@running[limit["key"]] -= 1) < 1
          end

          # @return [Kept, nil] the oldest one that is blocked by this one's key
          def next(job) = job.limit && @blocked[job.limit["key"]]&.first

          def add(job) = (@blocked[job.limit["key"]] ||= []).push(job)

          def remove(job)
            jobs = @blocked[job.limit["key"]]
            jobs.delete_at(jobs.index { |one| one.equal?(job) })
            @blocked.delete(job.limit["key"]) if jobs.empty?
          end

          def size = @blocked.sum { |_, jobs| jobs.size }

          def to_a = @blocked.values.flatten(1).sort_by(&:at)

          # @return [Hash{String => Integer}]
          def running = @running.dup
        end
      end
    end
  end
end
