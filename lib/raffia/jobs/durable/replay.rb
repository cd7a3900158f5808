# frozen_string_literal: true

require_relative "../encryption"
require_relative "../flow_step"
require_relative "branch"
require_relative "history"

module Raffia
  module Jobs
    module Durable
      # One run of a durable function from its top: recorded steps return what they returned, others
      # are executed and recorded.
      # @api private
      class Replay
        SHIELD = :raffia_durable_shield
        # Seconds until a stuck function is tried again.
        STUCK = 60

        attr_reader :history

        def initialize(function, run)
          @function = function
          @run = run
          @claim = run.claim
          @store = run.store
          @cancelled = false
          @stuck = nil
        end

        def call(args)
          flow = ask { @store.load_flow(@claim) }
          # Only the job's end was lost.
          return end_step(flow["status"], flow["result"]) if
            Store::Flows::ENDED.include?(flow["status"])

          @number = flow["run"]
          @cancelled = flow["cancelled"]
          @history = History.new(flow["history"]) { |history| warn_of(history) }
          finish(args)
        end

        # Yields the recorded step of the branch's next place, and its place; nil: there is none.
        def visit(kind, name)
          branch = Branch.current
          raise Error, "a step cannot be within a step: #{kind} #{name}" unless branch

          branch.check
          place = branch.place
          recorded = @history[place]
          fits = recorded.nil? || [recorded.kind, recorded.name] == [kind, name]
          mismatch(place, kind, name, recorded) unless fits
          branch.advance
          @history.visit(place)
          [place, recorded]
        end

        # Returns the recorded value, or that of the block, after it has been recorded.
        def perform(kind, name, drafts: [])
          place, recorded = visit(kind, name)
          return Outcome.load(plain(recorded.value, place), name) if recorded

          check
          value = yield place
          record(FlowStep.new(place:, kind:, name:, value: sealed(value, place)), drafts)
          Outcome.load(value, name)
        end

        # Returns the signal's payload in an Array; [] when the time has come.
        def await(kind, name, seconds, signal: nil)
          place, recorded = visit(kind, name)
          return JSON.parse(recorded.value) if recorded&.value

          check
          step = FlowStep.new(place: place, kind: kind, name: name, signal: signal)
          status, value = ask do
            @store.await_step(@claim, step, seconds, park: Branch.current.root?,
              cancellable: cancellable?)
          end
          waited(status, step.with(value: value))
        end

        # Whether the mark of a changed place is there, or can be made.
        def patch?(name, make:)
          recorded = @history[Branch.current.place]
          return !!(make && perform("patch", name) { "[true]" }) unless recorded
          return false unless recorded.kind == "patch" && recorded.name == name

          visit("patch", name)
          true
        end

        # Waits until one of the branches that wait may go on. Returns when it may.
        def park
          Branch.current.leave("pending") unless Branch.current.root?
          answer = ask { @store.park_flow(@claim, cancellable: cancellable?) }
          leave("waiting") if answer == :parked
          @cancelled ||= flow_cancelled?
        end

        def continue(args)
          raise Error, "continue_as_new cannot be within parallel" unless Branch.current&.root?

          Client::PayloadBuilder.check_arguments("continue_as_new", args)
          item = Payload.load(Store::Rewrite.anew(@claim.payload))
          payload = Payload.dump(Encryption.seal(item.merge("args" => args)))
          ask { @store.continue_flow(@claim, payload) }
          leave("continued")
        end

        # The same in each attempt of a step.
        def key(place)
          Digest::SHA256.hexdigest("#{@claim.item["jid"]}/#{@number}/#{place}")[0, 32]
        end

        def client = Client.new(@store, Setup.current.client_middleware)

        def id = @claim.item["jid"]

        private

        def finish(args)
          Branch.current = Branch.new
          result = @function.call(*args)
          raise @stuck if @stuck

          @history.check_end
          json = Outcome.dump(result, "call")[1...-1]
          json = Workflow::Result.dump(result, @function, @claim.item) if step?
          close("done", result: json)
          end_step("done", json)
          result
        rescue Cancelled => error
          close("cancelled", error: error.message)
          end_step("cancelled")
        rescue NondeterminismError => error
          stall(@stuck || error)
        ensure
          Branch.current = nil
        end

        # Whether it is a step of a workflow.
        def step? = @claim.item.dig(Payload::OWN, "workflow")

        # A step gets the function's result. The step of one that was cancelled is not done.
        def end_step(status, json = nil)
          return unless step?
          return @run.result = json unless status == "cancelled"

          ask { @store.discard(@claim) }
          @run.conclude
          raise Suspended, "cancelled"
        end

        def close(status, **how) = ask { @store.close_flow(@claim, status, **how) }

        def stall(error)
          @run.log&.error({event: "stuck", jid: id, error: error.message, again_in: STUCK})
          ask { @store.stall_flow(@claim, error.message, STUCK) }
          leave("stuck")
        end

        # The result of a step of an encrypted job is encrypted, too.
        def sealed(value, place)
          return value unless Encryption.sealed_in?(@claim.item)

          Encryption.seal_text(value, @claim.item, "step #{@number}/#{place}")
        end

        def plain(value, place)
          return value unless value.include?(Encryption::FIELD)

          Encryption.unseal_text(value, @claim.item, "step #{@number}/#{place}")
        end

        def record(step, drafts)
          answer = ask { @store.record_step(@claim, step, drafts: drafts) }
          @cancelled ||= answer == :cancelling
          @run.progress_recorded
          @history.add(step)
        end

        def waited(status, step)
          case status
          when :done
            @run.progress_recorded
            @history.add(step)
            JSON.parse(step.value)
          when :parked then leave("waiting")
          when :pending then Branch.current.leave("pending")
          when :cancelling
            @cancelled = true
            check
          end
        end

        # The store has the job already.
        def leave(event)
          @run.conclude
          Branch.current.leave(event)
        end

        # Before something that is not recorded yet.
        def check
          raise @stuck if @stuck

          @history.check_size
          raise Cancelled, "the durable function #{id} was cancelled" if @cancelled && cancellable?
          raise Interrupted, "it goes on elsewhere" if @run.stopping?
        end

        def cancellable? = !Fiber[SHIELD]

        def flow_cancelled? = @store.flow(id)&.fetch("cancelled")

        # Nil means that the claim is lost.
        def ask(&)
          answer = @run.attempt(&)
          return answer unless answer.nil?

          @run.lose
          raise Interrupted, "the claim was lost"
        end

        def mismatch(place, kind, name, recorded)
          @stuck = NondeterminismError.new("step #{place} was recorded as #{recorded.kind} " \
            "#{recorded.name}, and the code now does #{kind} #{name}: run the code that recorded " \
            "it, or mark the change with patch")
          raise @stuck
        end

        def warn_of(history)
          @run.log&.warn({event: "large history", jid: id, steps: history.steps,
            bytes: history.bytes, hint: "continue_as_new begins a new one"})
        end
      end
    end
  end
end
