# frozen_string_literal: true

require_relative "../jobs"
require_relative "stores/memory"
require_relative "testing/drain"
require_relative "testing/inline_store"

module Raffia
  module Jobs
    # Tests programs that enqueue jobs, without a store and a worker.
    #
    #     require "raffia/jobs/testing"
    #
    #     Raffia::Jobs::Testing.fake do
    #       Signup.call("ann@example.org")     # enqueues a MailJob
    #       assert_equal 1, MailJob.jobs.size
    #       MailJob.drain                      # does it, here
    #     end
    #
    # Requiring it only adds {JobClassMethods} to job classes. A mode applies to the running fiber,
    # and to fibers and threads that it starts later: parallel tests do not see each other's jobs.
    module Testing
      # Methods of job classes for tests, see {Testing}. Subclasses have their own jobs.
      module JobClassMethods
        # @return [Array<Hash>] payloads of its waiting jobs; "at" is set for later ones
        # @raise [ConfigError] when jobs go to a real store, as in all methods here
        def jobs = drain_of_class.jobs

        # Runs its jobs until there are none, see {Testing.drain_all}.
        # @param due_by [Time, Numeric, nil] only jobs due by then
        # @return [Integer] how many
        def drain(due_by: nil) = drain_of_class(due_by: due_by).call

        # Runs the next one.
        # @return [Boolean] whether there was one
        def perform_one = drain_of_class.one

        # Deletes its jobs.
        def clear = drain_of_class.clear

        private

        def drain_of_class(**) = Drain.new(Testing.store, name, **)
      end

      class << self
        # Stores jobs in memory until they are drained, with unique jobs, limits and batches.
        # @yield with this mode; without a block it is set until {real}, for a `setup` and a
        #   `teardown`
        def fake(&) = with(Client.new(Stores::Memory.new, Setup.current.client_middleware), &)

        # Runs jobs as they are enqueued, scheduled ones too. Their errors are raised by the
        # enqueueing call.
        # @yield (see fake)
        def inline(&) = with(Client.new(InlineStore.new, Setup.current.client_middleware), &)

        # Stores jobs in the store of the process.
        # @yield (see fake)
        def real(&) = with(nil, &)

        # Like {fake}; without a block for all threads of the process, until {disable!}: for a whole
        # suite. Call {clear_all} between tests then.
        # @yield (see fake)
        def fake!(&) = block_given? ? fake(&) : for_all(Stores::Memory.new)

        # Like {inline}; without a block for all threads of the process, until {disable!}.
        # @yield (see fake)
        def inline!(&) = block_given? ? inline(&) : for_all(InlineStore.new)

        # Like {real}; without a block it ends {fake!} and {inline!}: jobs go to the store that the
        # process had before.
        # @yield (see fake)
        def disable!(&)
          return real(&) if block_given?

          setup = Setup.current
          return unless setup.before_testing

          setup.given = setup.before_testing.first
          setup.before_testing = nil
        end

        # Runs a worker for so many seconds of the clock, which is virtual in {Raffia::Simulation}.
        # Unlike {drain_all} it does all that a worker does: scheduled jobs and retries run at their
        # times, and rates and limits hold. Jobs that raise are retried.
        # @param seconds [Numeric]
        # @param settings [Hash] of the {Worker}
        # @return [Integer] runs that have ended
        # @raise [ConfigError] when jobs go to a real store
        def work_for(seconds, **settings)
          require_relative "worker"
          queues = settings.delete(:queues) || [*store.queues.map { |one| one["name"] }, "default"]
          handle = Worker.new(store, queues: queues.uniq, monitored: false, lease: 600,
            **settings).start
          sleep(seconds)
          handle.stop
          handle.worker.figures[:processed]
        end

        # @return [Array<Hash>] payloads of all waiting jobs, in order of execution; "at" is set for
        #   later ones
        def jobs = Drain.new(store).jobs

        # Runs jobs until there are none, including those that they enqueue, and scheduled ones
        # without a wait. A job that raises is dead, and its error is raised here.
        # @param due_by [Time, Numeric, nil] only jobs due by then
        # @return [Integer] how many
        def drain_all(due_by: nil) = Drain.new(store, due_by: due_by).call

        # Deletes all jobs.
        def clear_all
          (Store::SETS - %i[running]).each { |set| store.clear(set) }
          nil
        end

        # @return [Stores::Memory]
        # @raise [ConfigError] when jobs go to a real store
        def store
          store = Setup.current.store
          return store if store.is_a?(Stores::Memory)

          raise ConfigError, "jobs go to #{store.url} here: wrap the test in " \
            "Raffia::Jobs::Testing.fake { ... }, or set Raffia::Jobs.store = \"memory:\""
        end

        private

        def for_all(store)
          setup = Setup.current
          setup.before_testing ||= [setup.given]
          setup.given = store
          nil
        end

        def with(client, &)
          return Setup.current.with_client(client, &) if block_given?

          Setup.current.fiber_client = client
          nil
        end
      end
    end

    Job::Enqueue.include(Testing::JobClassMethods)
  end
end
