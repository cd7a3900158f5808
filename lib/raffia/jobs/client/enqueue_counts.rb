# frozen_string_literal: true

module Raffia
  module Jobs
    class Client
      # Counts the jobs that this process has enqueued, by queue and class. It costs no call of the
      # store.
      # @api private
      class EnqueueCounts
        # Pairs of a queue and a class that are told apart: class names may come from anywhere.
        MOST = 1000
        OTHER = "(other)"
        private_constant :MOST, :OTHER

        def initialize
          @lock = ::Thread::Mutex.new
          clear
        end

        # `job`: a class, or its name.
        def add(queue, job, by = 1)
          @lock.synchronize { increase(queue, job, by) }
        end

        # Hash of queue => name of a class => number.
        def to_h
          counts = @lock.synchronize { own.transform_values(&:dup) }
          counts.transform_values do |jobs|
            jobs.each_with_object(Hash.new(0)) { |(job, number), names| names[job.to_s] += number }
          end
        end

        private

        # A forked process has counts of its own, or the parent's jobs would count twice.
        def own
          clear unless @pid == ::Process.pid
          @counts
        end

        def clear
          @pid = ::Process.pid
          @size = 0
          @counts = {}
        end

        def increase(queue, job, by)
          jobs = own[queue]
          return jobs[job] += by if jobs&.key?(job)
          return increase(OTHER, OTHER, by) if @size >= MOST && queue != OTHER

          @size += 1
          (@counts[queue] ||= {})[job] = by
        end
      end
    end
  end
end
