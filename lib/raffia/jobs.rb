# frozen_string_literal: true

require_relative "../raffia"
require_relative "jobs/errors"
require_relative "jobs/payload"
require_relative "jobs/store"
require_relative "jobs/setup"
require_relative "jobs/batch"
require_relative "jobs/client"
require_relative "jobs/iteration"
require_relative "jobs/job"
require_relative "jobs/mapping"
require_relative "jobs/recurring"

module Raffia
  # Durable jobs: work that is written down, and is done by some worker even if this process ends
  # now.
  #
  #     class MailJob
  #       include Raffia::Job
  #       options queue: "mail", retry: 5
  #
  #       def perform(id) = Mailer.deliver(id)
  #     end
  #
  #     MailJob.perform_async(1)      # returns when it is on disk
  #
  # and `raffia work -r ./jobs.rb` does it. Jobs are run at least once: one that was interrupted by
  # the death of its worker is run again.
  module Jobs
    class << self
      # @return [Store] the one that jobs go to: what {store=} was told, else RAFFIA_STORE, else
      #   `sqlite:raffia.db`
      # @raise [ConfigError]
      def store = Setup.current.store

      # @param store [Store, String] a store, or where it is: "sqlite:jobs.db",
      #   "redis://host:port/0", "postgres://host/db", "memory:"
      # @return [void]
      # @raise [ConfigError]
      def store=(store)
        Setup.current.store = store
      end

      # Enqueues several jobs at once: all or none of a slice is kept.
      # @param items [Array<Hash>] each with "class" and "args", and whatever else of {Payload}
      # @return [Array<String, nil>] their ids; nil where a middleware or a unique job refused it
      def enqueue(items) = Setup.current.client.enqueue(items)

      # What the block enqueues belongs to a transaction of the application's: it is kept when that
      # is committed, and is gone when it is rolled back. Where no transaction has begun on the
      # connection, one is, around the block. It holds for this fiber, not for those that it starts.
      #
      #     Raffia::Jobs.transaction(ActiveRecord::Base.connection) { MailJob.perform_async(user.id) if user.save }
      #
      # @param connection [PG::Connection, Object] or Active Record's connection, to the database
      #   that has the jobs
      # @return [Object] what the block returns
      # @raise [ConfigError] by stores other than PostgreSQL's; the memory's takes part in no
      #   transaction, and does not mind
      def transaction(connection, &) = Setup.current.store.within(connection, &)

      # Has each worker begin something that lives beside its jobs, in its loop: a tree of actors
      # that jobs find by name. It is stopped after the last job; when it ends by itself, so does
      # the worker.
      #
      #     Raffia::Jobs.actors { App.spawn(name: :app) }
      #
      # @yieldreturn [Actor::Ref, Array<Actor::Ref>]
      # @return [void]
      # @raise [ConfigError]
      def actors(&block)
        raise ConfigError, "actors needs a block, which spawns them" unless block

        Setup.current.actors << block
        nil
      end

      # @return [Client]
      def client = Setup.current.client

      # Does jobs in this process, and keeps them in its memory: for work that need not outlive the
      # program, with nothing to install. From now on `perform_async` of any job goes there.
      #
      # @param store [String] another one than the memory
      # @param options [Hash] as {Worker#initialize} takes them
      # @yieldparam handle [Worker::Handle]
      # @return [Worker::Handle] its `stop` lets the jobs that have begun end; with a block its
      #   value, and the worker is stopped then
      # @raise [ConfigError, StoreUnavailable]
      def run_in_process(store: "memory:", **options)
        require_relative "jobs/worker"
        self.store = store
        handle = Worker.new(self.store, **options).start
        return handle unless block_given?

        begin
          yield handle
        ensure
          handle.stop
        end
      end
    end
  end
end
