# frozen_string_literal: true

require_relative "waiting_list"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Queues by name, and which of them are paused: the set `queue`.
        # @api private
        class Queues
          # Priorities.
          ORDINARY = (...Store::SUSPECTS)
          SUSPECTS = (Store::SUSPECTS..)

          # Waiting jobs of one name: a list for each priority, highest first.
          class Queue
            def initialize
              @lists = {}
            end

            def push(job) = list(job).push(job)

            def unshift(job) = list(job).unshift(job)

            # The next job of these priorities.
            def shift(priorities)
              @lists.each do |priority, jobs|
                return jobs.shift if jobs.any? && priorities.cover?(priority)
              end
              nil
            end

            def any?(priorities)
              @lists.any? { |priority, jobs| jobs.any? && priorities.cover?(priority) }
            end

            def delete(job) = list(job).delete(job)

            def size = @lists.sum { |_, jobs| jobs.size }

            def empty? = size.zero?

            def to_a = [].concat(*@lists.values.map(&:to_a))

            # The oldest job of each priority.
            def oldest = @lists.filter_map { |_, jobs| jobs.first }

            private

            def list(job) = @lists[job.priority] || add_list(job.priority)

            def add_list(priority)
              list = WaitingList.new
              @lists = @lists.merge(priority => list).sort_by { |one, _| -one }.to_h
              list
            end
          end
          private_constant :Queue

          def initialize
            @queues = {}
            @paused = Set[]
          end

          # To the back.
          def add(job) = queue(job).push(job)

          # To the front.
          def put_back(job) = queue(job).unshift(job)

          def remove(job) = queue(job).delete(job)

          # The next job of the first queue that has one.
          def shift(names, priorities)
            names.each do |name|
              next if paused?(name)

              job = @queues[name]&.shift(priorities)
              return job if job
            end
            nil
          end

          def any?(names, priorities = ORDINARY)
            names.any? { |name| !paused?(name) && @queues[name]&.any?(priorities) }
          end

          def pause(name) = @paused.add(name)

          def resume(name) = @paused.delete(name)

          def paused?(name) = @paused.include?(name)

          # Nil forgets all of them; queues with jobs stay.
          def forget(name)
            @queues.delete_if { |one, queue| queue.empty? && (name.nil? || one == name) }
          end

          def names = (@queues.keys | @paused.to_a).sort

          def [](name) = @queues[name]

          def to_a(name = nil) = (name ? [name] : names).flat_map { |one| @queues[one].to_a }

          def size = @queues.sum { |_, queue| queue.size }

          private

          def queue(job) = @queues[job.queue] ||= Queue.new
        end
      end
    end
  end
end
