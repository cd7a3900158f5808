# frozen_string_literal: true

require_relative "../jobs"
require_relative "stores/memory"
require_relative "testing/drain"
require_relative "testing/inline_store"
require_relative "testing/job_class_methods"

module Raffia
  module Jobs
    # For the tests of programs that enqueue jobs: no store is needed, and no worker.
    #
    #     require "raffia/jobs/testing"
    #
    #     Raffia::Jobs::Testing.fake do
    #       Signup.call("ann@example.org")     # enqueues a MailJob
    #       assert_equal 1, MailJob.jobs.size
    #       MailJob.drain                      # does it, here
    #     end
    #
    # Requiring this changes nothing but that job classes have {JobClassMethods}'s methods. What is
    # said counts for the running fiber, and for the fibers and threads that it starts from then on:
    # tests that run side by side do not see each other's jobs.
    module Testing
      class << self
        # Jobs are kept, and not done until they are drained. All that a store does is done: unique
        # jobs, limits, batches.
        # @yield without a block it is so from now on, until {real}: for a `setup` and a `teardown`
        # @return [Object] the block's value
        def fake(&) = with(Client.new(Stores::Memory.new, Setup.current.client_middleware), &)

        # Jobs are done as they are enqueued, scheduled ones too; what they raise comes out of the
        # enqueuing.
        # @yield what is done so, see {fake}
        # @return [Object] the block's value
        def inline(&) = with(Client.new(InlineStore.new, Setup.current.client_middleware), &)

        # Jobs go to the store of the process, as without this.
        # @yield what is done so, see {fake}
        # @return [Object] the block's value
        def real(&) = with(nil, &)

        # @return [Array<Hash>] the payloads of all jobs that wait, in the order in which they will
        #   be done; "at" is when, if that is later
        def jobs = Drain.new(store).jobs

        # Does jobs until there are none, also those that jobs enqueue meanwhile, and scheduled ones
        # without waiting for their time. One that raises is dead then, and what it raised comes out
        # here.
        # @param due_by [Time, Numeric, nil] only what is due then, as if that time had come
        # @return [Integer] how many were done
        def drain_all(due_by: nil) = Drain.new(store, due_by: due_by).call

        # Forgets all jobs.
        # @return [void]
        def clear_all
          (Store::SETS - %i[running]).each { |set| store.clear(set) }
          nil
        end

        # @return [Stores::Memory] where jobs go
        # @raise [ConfigError] when that is a real store
        def store
          store = Setup.current.store
          return store if store.is_a?(Stores::Memory)

          raise ConfigError, "jobs go to #{store.url} here: wrap the test in " \
            "Raffia::Jobs::Testing.fake { ... }, or set Raffia::Jobs.store = \"memory:\""
        end

        private

        def with(client, &)
          return Setup.current.with_client(client, &) if block_given?

          Setup.current.here = client
          nil
        end
      end
    end

    Job::Enqueue.include(Testing::JobClassMethods)
  end
end
