# frozen_string_literal: true

require_relative "../encryption"
require_relative "../flow_step"

module Raffia
  module Jobs
    class Store
      # Keeps what durable functions have done: a flow for each, with its recorded steps and the
      # signals that it was sent. Its id is its job's. {Enqueue#enqueue} makes the flow of a draft
      # whose extras have "flow": {"class", "parent", "abandon", "encrypted"}.
      #
      # A flow is `pending` (has not begun), `running`, `waiting` (for a time or a signal), `stuck`
      # (its code does not fit its steps), `done`, `cancelled`, or `failed` (its job is dead or was
      # removed). The end of a flow with a parent is a signal to the parent: "child:ID" with
      # {"status", "result", "error"}.
      #
      # Operations with a claim change nothing, and return nil, when the claim is not valid.
      class Flows < Group
        # Statuses of flows that have ended.
        ENDED = %w[done cancelled failed].freeze
        # Time of a wait without an end.
        NEVER = 253_402_214_400.0

        # @api private
        def self.missing(jid)
          "job #{jid} has no flow: a durable function is enqueued by its class's start"
        end

        # The error of a job that has failed, nil when it has none. An encrypted message stays so.
        # @api private
        def self.failure(payload)
          item = Payload.fields(payload)
          return unless item["error_class"]

          sealed = Encryption.envelopes(item)[Encryption::ERROR]
          message = sealed ? JSON.generate({Encryption::FIELD => sealed}) : item["error_message"]
          "#{item["error_class"]}: #{message}"
        end

        # @api private
        def self.child_signal(id, status, result, error)
          ["child:#{id}", "{\"status\":#{JSON.generate(status)},\"result\":#{result || "null"}," \
            "\"error\":#{JSON.generate(error)}}"]
        end

        # Begins a run.
        # @return [Hash, nil] {#flow} with "history" => Array of {FlowStep}, in the order in which
        #   they were recorded
        # @raise [Error] for a job without a flow
        def load_flow(claim) = raise(NotImplementedError)

        # Records a step, unless its place has one. Enqueues drafts with it. A step of the kind
        # "publish" sets the flow's state, too. Deaths of workers before it are not charged to the
        # job any more.
        # @return [Symbol, nil] :running, or :cancelling when the flow is to end
        def record_step(claim, step, drafts: []) = raise(NotImplementedError)

        # Waits for the step's signal, or for a time. Takes the oldest signal of this name, or ends
        # the wait when its time has come; else records where the flow waits. The time of a wait
        # that was recorded before stays.
        # @param seconds [Numeric, nil] nil: until the signal
        # @param park [Boolean] whether the job leaves its worker for this wait
        # @param cancellable [Boolean] whether a cancel ends the wait
        # @return [Array, nil] [:done, value] with a JSON array of the signal's payload, empty when
        #   the time has come; [:parked]; [:pending] without park; [:cancelling]
        def await_step(claim, step, seconds, park: true, cancellable: true)
          raise NotImplementedError
        end

        # Moves the job to `scheduled` until the first of its waits ends.
        # @return [Symbol, nil] :parked, or :ready when one has ended
        def park_flow(claim, cancellable: true) = raise(NotImplementedError)

        # Begins the function anew with other arguments and without steps; signals stay. The job
        # goes to the back of its queue.
        # @return [Boolean, nil]
        def continue_flow(claim, payload) = raise(NotImplementedError)

        # Moves a job whose code does not fit to `scheduled`.
        # @return [Boolean, nil]
        def stall_flow(claim, message, seconds) = raise(NotImplementedError)

        # Ends a flow, before its job ends.
        # @param status [String] "done" or "cancelled"
        # @param result [String, nil] JSON
        # @return [Boolean, nil]
        def close_flow(claim, status, result: nil, error: nil) = raise(NotImplementedError)

        # Sends a signal, and wakes a flow that waits for it.
        # @param payload [String] JSON
        # @param key [String, nil] a second signal of the same name and key is ignored
        # @return [Boolean, nil] whether it is new; nil when there is no such flow, or it has ended
        def signal_flow(id, name, payload, key: nil) = raise(NotImplementedError)

        # Tells a flow and its children to end, and wakes them. Children that were started with
        # "abandon" go on.
        # @return [Boolean] false when there is no such flow, or it has ended
        def cancel_flow(id) = raise(NotImplementedError)

        # @return [Hash, nil] {"id", "class", "run", "status", "cancelled", "encrypted", "parent",
        #   "state" (JSON or nil), "result" (JSON or nil), "error", "started_at", "ended_at",
        #   "steps" (number), "signals" (names of those that were not taken)}
        def flow(id) = raise(NotImplementedError)

        # @return [Array<FlowStep>] in the order in which they were recorded
        def flow_steps(id) = raise(NotImplementedError)

        # @return [Array<Hash>] of {#flow}, newest first
        def flows(status: nil, offset: 0, limit: 50) = raise(NotImplementedError)

        # @param most [Integer] only so many of the newest ones count, where counting reads them
        # @return [Hash{String => Integer}] numbers of functions by status
        def flow_counts(most: 1000) = flows(limit: most).map { |flow| flow["status"] }.tally
      end
    end
  end
end
