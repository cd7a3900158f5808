# frozen_string_literal: true

require_relative "../flow_step"
require_relative "branch"
require_relative "claimed_flow"
require_relative "history"

module Raffia
  module Jobs
    module Durable
      # One run of a durable function from its top: recorded steps return what they returned, others
      # are executed and recorded.
      # @api private
      class Replay
        SHIELD = :raffia_durable_shield

        attr_reader :history, :flow

        def initialize(function, run)
          @function = function
          @flow = ClaimedFlow.new(function, run)
          @stuck = nil
        end

        def call(args)
          recorded = @flow.load or return
          @history = History.new(recorded) { |history| @flow.warn_of(history) }
          finish(args)
        end

        # Returns the recorded value, or that of the block, after it has been recorded. Drafts are
        # enqueued with the record.
        def perform(kind, name, drafts: [])
          place, recorded = visit(kind, name)
          return Outcome.load(@flow.value(recorded), name) if recorded

          check
          value = attempt { yield place }
          @history.add(@flow.record(FlowStep.new(place:, kind:, name:, value:), drafts))
          Outcome.load(value, name)
        end

        # Returns the signal's payload in an Array; [] when the time has come.
        def await(kind, name, seconds, signal: nil)
          place, recorded = visit(kind, name)
          return payloads(recorded) if recorded&.value

          check
          step = FlowStep.new(place: place, kind: kind, name: name, signal: signal)
          status, value = @flow.await(step, seconds, park: Branch.current.root?,
            cancellable: cancellable?)
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
          leave("waiting") if @flow.park(cancellable: cancellable?)
        end

        def continue(args)
          raise Error, "continue_as_new cannot be within parallel" unless Branch.current&.root?

          Client::PayloadBuilder.check_arguments("continue_as_new", args)
          @flow.continue(args)
          leave("continued")
        end

        private

        def finish(args)
          Branch.current = Branch.new
          result = @function.call(*args)
          raise @stuck if @stuck

          @history.check_end
          @flow.close("done", result: Outcome.dump(result, "call")[1...-1])
          result
        rescue Cancelled => error
          @flow.close("cancelled", error: error.message)
        rescue NondeterminismError => error
          @flow.stall(@stuck || error)
          leave("stuck")
        ensure
          Branch.current = nil
        end

        # A rescue in the function must not hide that the code does not fit.
        def attempt
          yield
        rescue NondeterminismError => error
          @stuck ||= error
          raise
        end

        # Returns the place of the branch's next step, and its record; nil: there is none.
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

        def waited(status, step)
          case status
          when :done
            @history.add(step)
            payloads(step)
          when :parked then leave("waiting")
          when :pending then Branch.current.leave("pending")
          when :cancelling then check
          end
        end

        def payloads(step)
          JSON.parse(step.value).map { |one| @flow.cipher.reveal(one, "signal #{step.signal}") }
        end

        # The store has the job already.
        def leave(event)
          @flow.conclude
          Branch.current.leave(event)
        end

        # Before something that is not recorded yet.
        def check
          raise @stuck if @stuck

          @history.check_size
          if @flow.cancelled? && cancellable?
            raise Cancelled, "the durable function #{@flow.id} was cancelled"
          end
          raise Interrupted, "it goes on elsewhere" if @flow.stopping?
        end

        def cancellable? = !Fiber[SHIELD]

        def mismatch(place, kind, name, recorded)
          @stuck = NondeterminismError.new("step #{place} was recorded as #{recorded.kind} " \
            "#{recorded.name}, and the code now does #{kind} #{name}: run the code that recorded " \
            "it, or mark the change with patch")
          raise @stuck
        end
      end
    end
  end
end
