# frozen_string_literal: true

require_relative "batches"
require_relative "entrance"
require_relative "leases"
require_relative "locks"
require_relative "queues"
require_relative "timeline"
require_relative "totals"
require_relative "values"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # All that is kept, and the moves between the places. One caller at a time.
        class Contents
          include Entrance

          attr_reader :queues, :uniques, :limits, :leases, :batches, :values, :totals

          def initialize
            @queues = Queues.new
            @limits = Limits.new
            @leases = Leases.new
            @timelines = {scheduled: Timeline.new, retry: Timeline.new, dead: Timeline.new}
            @places = {queue: @queues, blocked: @limits, running: @leases, **@timelines}
            @uniques = Uniques.new
            @batches = Batches.new { |draft| let_in(draft) }
            @values = Values.new
            @totals = Totals.new
          end

          # @param set [Symbol]
          # @return [#add, #remove, #size, #to_a]
          def place(set) = @places.fetch(set)

          # Puts a job that is nowhere to the end of a place.
          # @param at [Float, nil]
          def put(job, set, at: nil)
            job.at = at
            job.set = set
            place(set).add(job)
          end

          # To the front of its queue.
          def put_back(job)
            job.at = nil
            job.set = :queue
            @queues.put_back(job)
          end

          # Out of where it is.
          def take(job)
            place(job.set).remove(job)
            from = job.set
            job.set = :gone
            vacate(job) if from == :queue
          end

          # A claim has ended: what it held is free. The job is nowhere now.
          # @return [Kept, nil]
          def drop(claim)
            job = @leases.drop(claim) or return
            job.set = :gone
            @limits.ended(job)
            vacate(job)
            job
          end

          # The job, which is nowhere, was done, or is given up.
          # @param how [Symbol] :done or :dead
          def finished(job, how)
            @uniques.ended(job)
            @batches.ended(job.batch, how)
          end

          # To `dead`.
          def bury(job)
            put(job, :dead, at: Time.now.to_f)
            finished(job, :dead)
          end

          # Whatever could take the place of a job that has left its queue, or runs no more, may
          # try.
          def vacate(job)
            blocked = @limits.next(job) or return
            @limits.remove(blocked)
            put_back(blocked)
          end

          # @return [Float, nil] when the next one is due
          def next_due = [@timelines[:scheduled].next_at, @timelines[:retry].next_at].compact.min

          # @return [Array<String>] what is wrong
          def check
            wrong = Store::SETS.flat_map do |set|
              place(set).to_a.reject { |job| job.set == set }
                .map { |job| "job #{job.jid} is in #{set} and says #{job.set}" }
            end
            running = @leases.to_a.filter_map(&:limit).map { |limit| limit["key"] }.tally
            wrong.concat(Store::Ghosts.find(@leases.living.map(&:to_h), @leases.claims))
            unless running == @limits.running
              wrong << "limits count #{@limits.running} running jobs, and there are #{running}"
            end
            wrong
          end
        end
      end
    end
  end
end
