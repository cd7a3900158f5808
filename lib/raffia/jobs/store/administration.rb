# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Changes jobs and queues by hand. An entry whose job has moved since it was read is left
      # alone. Operations on jobs return their number.
      class Administration < Group
        # Removes jobs, as {Completion#discard} does.
        # @param entries [Array<Entry>] of any set but :running
        def delete(entries) = raise(NotImplementedError)

        # Moves jobs to the back of their queues, see {Rewrite.queued}; dead ones by {Rewrite.anew}.
        # @param entries [Array<Entry>] of scheduled, retry, blocked, dead
        def requeue(entries) = raise(NotImplementedError)

        # Moves jobs to `dead`.
        # @param entries [Array<Entry>] of queue, scheduled, retry
        def kill(entries) = raise(NotImplementedError)

        # Gives jobs another queue; each stays in its set. Waiting ones go to the back.
        # @param entries [Array<Entry>] of queue, scheduled, retry, dead
        # @param queue [String]
        def move(entries, queue) = raise(NotImplementedError)

        # Writes other payloads of the same jobs, which stay where they are. A job whose bytes are
        # not the entry's any more is left alone.
        # @param payloads [Hash{Entry => String}] of any set but :running
        def replace(payloads) = raise(NotImplementedError)

        # Removes all jobs of a set. Forgets a queue that it clears until the queue's next job.
        # @param set [Symbol] not :running
        # @param queue [String, nil] for :queue, its name; nil: all
        def clear(set, queue: nil) = raise(NotImplementedError)

        # Stops claims from a queue until {#resume}. It goes on accepting jobs.
        # @param tenant [String, nil] stops only jobs with this key of a fair queue: claims that
        #   meet them move them to `blocked`, so that they hold up no others
        def pause(queue, tenant: nil) = raise(NotImplementedError)

        # Lets workers claim from a queue again, or the jobs of one key: those come back to their
        # queue, with turns of now.
        def resume(queue, tenant: nil) = raise(NotImplementedError)
      end
    end
  end
end
