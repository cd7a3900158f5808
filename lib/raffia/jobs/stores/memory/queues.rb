# frozen_string_literal: true

require_relative "kept"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Jobs that wait, by the names of their queues.
        #
        # @api private
        class Queues
          # One queue: a list for each priority, highest first.
          class Line
            def initialize
              @lists = {}
            end

            def push(job) = list(job).push(job)

            def unshift(job) = list(job).unshift(job)

            # @return [Kept, nil] the next one of these priorities
            def shift(priorities)
              @lists.each do |priority, jobs|
                return jobs.shift if jobs.any? && priorities.cover?(priority)
              end
              nil
            end

            # @return [Boolean] whether there is one of these priorities
            def any?(priorities)
              @lists.any? { |priority, jobs| jobs.any? && priorities.cover?(priority) }
            end

            # From the front, where it mostly is, this costs nothing; from elsewhere it is a search.
            def delete(job)
              jobs = list(job)
              if jobs.first.equal?(job)
                jobs.shift
              else
                jobs.delete_at(jobs.index { |one| one.equal?(job) })
              end
            end

            def size = @lists.sum { |_, jobs| jobs.size }

            def empty? = @lists.none? { |_, jobs| jobs.any? }

            def to_a = [].concat(*@lists.values)

            # @return [Array<Kept>] of each priority
            def oldest = @lists.filter_map { |_, jobs| jobs.first }

            private

            def list(job)
              @lists[job.priority] || begin
                @lists[job.priority] = []
                @lists = @lists.sort_by { |priority, _| -priority }.to_h
                @lists[job.priority]
              end
            end
          end

          ORDINARY = (...Store::SUSPECTS)
          SUSPECTS = (Store::SUSPECTS..)

          def initialize
            @lines = {}
            @paused = Set[]
          end

          # To the back.
          def add(job) = line(job).push(job)

          # To the front.
          def put_back(job) = line(job).unshift(job)

          def remove(job) = line(job).delete(job)

          # @param names [Array<String>] in this order
          # @param priorities [Range]
          # @return [Kept, nil] the next one
          def shift(names, priorities = ORDINARY)
            names.each do |name|
              next if @paused.include?(name)

              job = @lines[name]&.shift(priorities)
              return job if job
            end
            nil
          end

          # @return [Boolean] whether {#shift} would give one
          def any?(names, priorities = ORDINARY)
            names.any? { |name| !@paused.include?(name) && @lines[name]&.any?(priorities) }
          end

          def pause(name) = @paused.add(name)

          def resume(name) = @paused.delete(name)

          def paused?(name) = @paused.include?(name)

          # @param name [String, nil] nil: all of them; those with jobs in them stay
          def forget(name)
            @lines.delete_if { |one, line| line.empty? && (name.nil? || one == name) }
          end

          def names = (@lines.keys | @paused.to_a).sort

          # @return [Line, nil]
          def [](name) = @lines[name]

          # @param name [String, nil] nil: all of them
          # @return [Array<Kept>]
          def to_a(name = nil) = (name ? [name] : names).flat_map { |one| @lines[one].to_a }

          def size = @lines.sum { |_, line| line.size }

          private

          def line(job) = @lines[job.queue] ||= Line.new
        end
      end
    end
  end
end
