# frozen_string_literal: true

require_relative "queue"

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
