# frozen_string_literal: true

require_relative "../draft"
require_relative "application_database"
require_relative "step_table"

module Raffia
  module Jobs
    module Durable
      # A step whose record is written in a transaction of the application's database first, and
      # then in the store of jobs. A worker that dies between the two finds the first one.
      # @api private
      class Transaction
        UNDONE = {"outcome" => "[null]", "jobs" => []}.freeze
        private_constant :UNDONE

        # The target is the argument `on` of {Durable#transaction}.
        def initialize(target, cipher)
          @target = target
          @cipher = cipher
        end

        # Yields the connection. Returns the block's outcome, or the recorded one. Raises
        # {NondeterminismError} for that of a step with another label.
        def call(step, label)
          ApplicationDatabase.open(@target) do |database|
            check(database)
            text = StepTable.new(database).once(step.key) do
              record(yield(database.connection), step, label)
            end
            restore(text, step, label)
          end
        end

        private

        def check(database)
          return unless database.open?

          raise Error, "a transaction is open on this connection already, and its end would " \
            "decide about the step: call Raffia::Durable#transaction outside of it"
        end

        def record(outcome, step, label)
          @cipher.seal(JSON.generate({"step" => label, "outcome" => outcome,
            "jobs" => step.drafts.map { |draft| [draft.payload, draft.at] }}), place(step))
        end

        def mismatch(recorded, label)
          raise NondeterminismError, "the application's database has the transaction #{recorded} " \
            "here, and the code now does #{label}: run the code that recorded it once more"
        end

        # Where the record is encrypted.
        def place(step) = "transaction #{step.key}"

        # Nil: the block has rolled back.
        def restore(text, step, label)
          found = text ? JSON.parse(@cipher.unseal(text, place(step))) : UNDONE
          mismatch(found["step"], label) unless found.fetch("step", label) == label
          step.drafts.replace(found["jobs"].map { |payload, at|
            Draft.of({**Payload.load(payload), "at" => at}.compact)
          })
          found["outcome"]
        end
      end
    end
  end
end
