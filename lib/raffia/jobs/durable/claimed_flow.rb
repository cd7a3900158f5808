# frozen_string_literal: true

require_relative "error"
require_relative "value_cipher"

module Raffia
  module Jobs
    module Durable
      # The record of a durable function in the store, while its job is claimed by this run. Its
      # operations are repeated until the store answers, and raise {Interrupted} when the claim is
      # lost.
      # @api private
      class ClaimedFlow
        # Seconds until a stuck function is tried again.
        STUCK = 60

        # Encrypts its values.
        attr_reader :cipher

        def initialize(function, run)
          @function = function
          @run = run
          @claim = run.claim
          @store = run.store
          @cipher = ValueCipher.new(id, @claim.item["class"],
            encrypted: Encryption.sealed_in?(@claim.item))
          @cancelled = false
        end

        def id = @claim.item["jid"]

        # Whether it is to end.
        def cancelled? = @cancelled

        # Whether its worker stops.
        def stopping? = @run.stopping?

        # Begins the run. Returns the recorded steps; nil when only the job's end was lost.
        def load
          flow = ask { @store.load_flow(@claim) }
          return end_again(flow) if Store::Flows::ENDED.include?(flow["status"])

          @number = flow["run"]
          @cancelled = flow["cancelled"]
          flow["history"]
        end

        # The same in each attempt of a step.
        def key(place) = Digest::SHA256.hexdigest("#{id}/#{@number}/#{place}")[0, 32]

        # Where the value of a step is encrypted. A published one is read from outside.
        def address(step) = (step.kind == "publish") ? "state" : "step #{@number}/#{step.place}"

        # The JSON of a recorded step.
        def value(step) = @cipher.unseal(step.value, address(step))

        def record(step, drafts)
          sealed = step
          sealed = step.with(value: @cipher.seal(step.value, address(step))) unless open?(step)
          answer = ask { @store.record_step(@claim, sealed, drafts: drafts) }
          @cancelled ||= answer == :cancelling
          @run.progress_recorded
          sealed
        end

        # Returns what {Store::Flows#await_step} does.
        def await(step, seconds, **how)
          answer = ask { @store.await_step(@claim, step, seconds, **how) }
          @cancelled = true if answer == [:cancelling]
          @run.progress_recorded if answer.first == :done
          answer
        end

        # Whether the job has left its worker.
        def park(cancellable:)
          parked = ask { @store.park_flow(@claim, cancellable: cancellable) } == :parked
          @cancelled ||= @store.flow(id)&.fetch("cancelled") unless parked
          parked
        end

        # Begins the function anew.
        def continue(args)
          item = Payload.load(Store::Rewrite.anew(@claim.payload))
          payload = Payload.dump(Encryption.seal(item.merge("args" => args)))
          ask { @store.continue_flow(@claim, payload) }
        end

        # Ends the function. The result is JSON.
        def close(status, result: nil, error: nil)
          for_step = step_result(result) if result
          result &&= @cipher.seal(result, "result")
          error &&= @cipher.seal_error(error)
          ask { @store.close_flow(@claim, status, result: result, error: error) }
          end_step(status, for_step)
        end

        # The code does not fit.
        def stall(error)
          @run.log&.error({event: "stuck", jid: id, error: error.message, again_in: STUCK})
          ask { @store.stall_flow(@claim, error.message, STUCK) }
        end

        # The store has the job already.
        def conclude = @run.conclude

        def warn_of(history)
          @run.log&.warn({event: "large history", jid: id, steps: history.steps,
            bytes: history.bytes, hint: "continue_as_new begins a new one"})
        end

        def client = Client.new(@store, Setup.current.client_middleware)

        private

        # Ids of children are no secrets.
        def open?(step) = step.kind == "start"

        def end_again(flow)
          result = flow["result"]
          end_step(flow["status"], result && step_result(@cipher.unseal(result, "result")))
          nil
        end

        # Whether it is a step of a workflow.
        def step? = @claim.item.dig(Payload::OWN, "workflow")

        # The JSON that the workflow gets. Raises {Jobs::BadResult}.
        def step_result(json)
          return unless step?

          Workflow::Result.dump(JSON.parse("[#{json}]").first, @function, @claim.item)
        end

        # The step of a function that was cancelled is not done.
        def end_step(status, json)
          return unless step?
          return @run.result = json unless status == "cancelled"

          ask { @store.discard(@claim) }
          @run.conclude
          raise Suspended, "cancelled"
        end

        # Nil means that the claim is lost.
        def ask(&)
          answer = @run.attempt(&)
          return answer unless answer.nil?

          @run.lose
          raise Interrupted, "the claim was lost"
        end
      end
    end
  end
end
