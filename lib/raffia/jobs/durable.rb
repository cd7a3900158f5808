# frozen_string_literal: true

require_relative "job"
require_relative "durable/branches"
require_relative "durable/children"
require_relative "durable/control"
require_relative "durable/error"
require_relative "durable/outcome"
require_relative "durable/recorded_values"
require_relative "durable/replay"
require_relative "durable/start"
require_relative "durable/step_context"
require_relative "durable/transaction"

module Raffia
  module Jobs
    # Makes a class with a method `call` a durable function: a job that goes on after its last
    # recorded step when its worker dies, on any worker.
    #
    #     class Onboarding
    #       include Raffia::Durable
    #       options queue: "users", retry: 5
    #
    #       def call(email)
    #         user = step(:create) { |s| Billing.create(email, idempotency_key: s.key) }
    #         sleep_for 3 * 86_400
    #         answer = wait_for(:confirmed, timeout: 7 * 86_400)
    #         step(:remind) { Mailer.remind(user) } unless answer
    #       end
    #     end
    #
    #     id = Onboarding.start("a@example.com")
    #     Raffia::Durable.signal(id, :confirmed, true)
    #
    # Each run executes `call` from its top. Steps that are recorded return what they returned, and
    # are not executed again; so code outside of steps must take the same way each time. A step is
    # executed at least once: again only when its worker dies between its effect and its record.
    # Functions that sleep or wait are a row in the store, and no fiber.
    module Durable
      extend Control

      def self.included(job)
        job.include(Job, Children, RecordedValues)
        job.extend(Start)
        job.options(on: :fibers)
      end

      # @api private
      def perform(*args)
        unless run&.claim
          raise ConfigError, "#{self.class} is a durable function: it runs in workers only, on " \
            "fibers or threads. Start it by #{self.class}.start"
        end

        @raffia_replay = Replay.new(self, run)
        @raffia_replay.call(args)
      end

      # The function itself.
      def call(*) = raise(NotImplementedError, "#{self.class} needs a method call")

      # Executes the block once, and records what it returns.
      # @param name [Symbol, String]
      # @param parts [Array] tell steps of the same name apart, such as an id: JSON values
      # @param final [Array<Class>] errors that are recorded, and not tried again
      # @yieldparam step [StepContext]
      # @return [Object] the block's value, a JSON value
      # @raise [BadResult] for a value that JSON would change
      # @raise [StepFailed] for a recorded error, each time
      # @raise [NondeterminismError] when another step was recorded here
      def step(name, *parts, final: [])
        execute("step", name, parts, final) { |step| Outcome.dump(yield(step), name) }
      end

      # Executes the block once, in a transaction of the application's database that also has the
      # step's record: its effect there and its record are one. A worker that dies leaves both or
      # none. The record is in the table `raffia_steps`, see {StepTable}.
      #
      #     transaction(:pay) do |connection, step|
      #       account.update!(balance: account.balance - 5)
      #       step.enqueue(MailJob, account.id)
      #     end
      # @param name [Symbol, String]
      # @param parts [Array] as for {#step}
      # @param on [Object, nil] a connection or a class of Active Record, a PG::Connection, Trilogy
      #   or SQLite3::Database; nil: ActiveRecord::Base
      # @param final [Array<Class>] errors that are recorded, after the transaction is rolled back
      # @yieldparam connection [Object]
      # @yieldparam step [StepContext]
      # @return [Object] the block's value, a JSON value; nil after ActiveRecord::Rollback
      # @raise [Error] when a transaction is open there already, or the block is left by `return`,
      #   `break` or `throw`
      # @raise [ConfigError] for another object
      # @raise [BadResult, StepFailed, NondeterminismError] as {#step}
      def transaction(name, *parts, on: nil, final: [])
        execute("transaction", name, parts, final) do |step, label|
          Transaction.new(on, @raffia_replay.flow.cipher).call(step, label) do |connection|
            Outcome.dump(yield(connection, step), name)
          end
        end
      end

      # Leaves the worker for so many seconds.
      # @param seconds [Numeric]
      # @return [nil]
      def sleep_for(seconds)
        @raffia_replay.await("sleep", "sleep", seconds)
        nil
      end

      # Leaves the worker until {Control#signal} sends this signal, also when it came before.
      # @param name [Symbol, String]
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Object, nil] the signal's payload; nil, or the block's value, after the timeout
      def wait_for(name, timeout: nil)
        found = @raffia_replay.await("wait", name.to_s, timeout, signal: name.to_s)
        return found.first unless found.empty?

        yield if block_given?
      end

      # Calls the block with each item, in fibers side by side. Steps in it belong to its branch.
      # Without a block, items are callable themselves.
      # @param items [Array]
      # @return [Array] what the blocks returned, in the order of the items
      # @raise [Exception] the error of the first branch that failed, when all have ended
      def parallel(items, &block)
        block ||= :call.to_proc
        raise Error, "parallel cannot be within a step" unless Branch.current

        Branches.new(@raffia_replay, items.to_a, &block).call
      end

      # Ends this run, and begins the function anew with these arguments and no recorded steps.
      # Signals that were not taken stay. Does not return.
      def continue_as_new(*args) = @raffia_replay.continue(args)

      # Marks a change of the code: true where the changed code may run, false where the steps were
      # recorded by the code before it.
      #
      #     patch(:mail) ? step(:mail) { mail(user) } : step(:letter) { print(user) }
      # @return [Boolean]
      def patch(name) = @raffia_replay.patch?(name.to_s, make: true)

      # Takes the place of {#patch} when no function without the mark is left.
      # @return [nil]
      def deprecate_patch(name)
        @raffia_replay.patch?(name.to_s, make: false)
        nil
      end

      # Steps of the block are executed although the function was cancelled: to clean up.
      def shield
        before = Fiber[Replay::SHIELD]
        Fiber[Replay::SHIELD] = true
        yield
      ensure
        Fiber[Replay::SHIELD] = before
      end

      # @return [History] of this run
      def history = @raffia_replay.history

      private

      # Yields a step's context and label unless the step is recorded. The block returns its
      # outcome.
      def execute(kind, name, parts, final)
        label = parts.empty? ? name.to_s : "#{name} #{JSON.generate(parts)}"
        drafts = []
        @raffia_replay.perform(kind, label, drafts: drafts) do |place|
          flow = @raffia_replay.flow
          outside_of_steps { yield StepContext.new(flow.key(place), flow.client, drafts), label }
        rescue *final => error
          drafts.clear
          Outcome.dump_error(error)
        end
      end

      # A step of a step would not be found again.
      def outside_of_steps
        branch = Branch.current
        Branch.current = nil
        yield
      ensure
        Branch.current = branch
      end
    end
  end

  # The public name of {Jobs::Durable}.
  Durable = Jobs::Durable
end
