# frozen_string_literal: true

require_relative "../../base/clock"

module Raffia
  module Integrations
    module ActiveJob
      # Keeps the progress of one Active Job with steps (ActiveJob::Continuable, since Rails 8.1) in
      # the store while it runs. Rails writes it only when it enqueues the job again, so a kill
      # would lose it.
      #
      # The adapter's `stopping?` is Rails' checkpoint: between two steps, and after each change of
      # a cursor. Ended steps are saved at once, cursors every {SAVE_INTERVAL} seconds, both when
      # the job stops or fails. A job whose worker stops is not enqueued anew: it goes back to its
      # queue.
      # @api private
      class Continuation
        # Seconds between two saves of a cursor, as of {Jobs::Iteration}.
        SAVE_INTERVAL = 5
        # Seconds that progress is kept.
        TTL = 30 * 86_400
        FIELD = "continuation"
        private_constant :FIELD

        # Nil for a job without steps, and where the store cannot be reached.
        def self.of(data, run)
          new(data["job_id"], run) if data.key?(FIELD) && run&.store
        end

        # Remembers the jobs that Rails interrupts.
        def self.subscribe
          ::ActiveSupport::Notifications.subscribe("interrupt.active_job") do |event|
            Wrapper.current&.continuation&.interrupt(event.payload[:job])
          end
        end

        def initialize(id, run)
          @id = id
          @run = run
          @key = "continuation:#{run.jid}"
          @saved_at = Clock.now
          @steps = 0
          @job = nil
          @interrupted = @postponed = false
        end

        # The serialized job with the progress of the runs before.
        def resume(data)
          saved = @run.store.read(@key) or return data
          @present = true
          data.merge(JSON.parse(saved))
        end

        # The job that is about to perform.
        def follow(job)
          return unless job.job_id == @id && job.respond_to?(:continuation)

          @job = job
          @steps = completed
        end

        def checkpoint
          save if @job && (Clock.now >= @saved_at + SAVE_INTERVAL || completed != @steps)
        end

        def save
          return if @job.nil? || lost?

          @saved_at = Clock.now
          @steps = completed
          @present = true
          @run.store.write(@key, JSON.generate({FIELD => @job.continuation.to_h,
            "resumptions" => @job.resumptions}), ttl: TTL)
        end

        def interrupt(job)
          @interrupted ||= job.equal?(@job)
        end

        # Whether this enqueue is Rails' resumption of the interrupted job, which goes back to its
        # queue instead, or ends because it was cancelled. Options such as another queue need an
        # enqueue.
        def postpone?(job)
          return false unless @interrupted && job.equal?(@job)
          return @postponed = true if cancelled?
          return false unless (job.class.resume_options.keys - [:wait]).empty?

          save
          @postponed = true
        end

        # Raises {Jobs::Interrupted} after {postpone?}.
        def check
          return unless @postponed

          clear if cancelled?
          raise Jobs::Interrupted, "it goes on later"
        end

        # Nothing is saved afterwards.
        def clear
          @run.store.write(@key, nil) if @present && !lost?
          @job = nil
        end

        private

        # The number of steps that have ended.
        def completed = @job.continuation.to_h["completed"].size

        def cancelled? = @run.respond_to?(:cancelled?) && @run.cancelled?

        # Another worker may have written since.
        def lost? = @run.respond_to?(:lost?) && @run.lost?
      end
    end
  end
end
