# frozen_string_literal: true

require_relative "base"
require_relative "task"
require_relative "pool"
require_relative "run"
require_relative "jobs/error"
require_relative "jobs/payload"
require_relative "jobs/store"
require_relative "jobs/setup"
require_relative "jobs/redaction"
require_relative "jobs/batch"
require_relative "jobs/client"
require_relative "jobs/durable"
require_relative "jobs/iteration"
require_relative "jobs/job"
require_relative "jobs/mapping"
require_relative "jobs/recurring"
require_relative "jobs/workflow"

module Raffia
  # Durable jobs: work that is stored, and processed by a worker even if this process dies.
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
  # `raffia work -r ./jobs.rb` processes it. Jobs run at least once: a job whose worker died runs
  # again.
  module Jobs
    class << self
      # @return [Store] the one of {store=}, else of RAFFIA_STORE, else `sqlite:raffia.db`
      def store = Setup.current.store

      # @param store [Store, String] or its address: "sqlite:jobs.db", "redis://host:port/0",
      #   "postgres://host/db", "mysql://host/db", "memory:"
      def store=(store)
        Setup.current.store = store
      end

      # Sets the keys of jobs with the option `encrypt`, by id. New jobs use the active one; the
      # others decrypt older jobs. Give a new key to all workers before it becomes active.
      #
      #     Raffia::Jobs.keys = {active: "2026-10", "2026-10" => ENV.fetch("JOBS_KEY")}
      #
      # @param keys [Hash, nil] keys of at least 32 random bytes by id; `active:` is the id of the
      #   one for new jobs; `digest:` that of the one for keys of unique jobs, limits, rates and
      #   turns, by default the active one
      # @raise [ConfigError]
      def keys=(keys)
        Setup.current.keys = keys
      end

      # @return [Keyring, nil]
      def keys = Setup.current.keyring

      # Decrypts arguments of a payload, for code that gets one: `on_exhausted`, middleware, tools.
      # @param item [Hash] a payload
      # @return [Array] the arguments for `perform`
      # @raise [UnknownKey, DecryptionFailed]
      def arguments(item) = Encryption.arguments(item)

      # Digests a value as keys of encrypted jobs are. With `encrypt`, the part of a {RateLimit} is
      # the digest of what `rate_key` returns: `CRM.status(Raffia::Jobs.digest(7))`.
      # @param value [#to_s]
      # @return [String] 32 hexadecimal digits
      # @raise [ConfigError] without keys
      def digest(value) = Encryption.digest(value)

      # Enqueues several jobs, in atomic slices.
      # @param items [Array<Hash>] each with "class" and "args", and other fields of {Payload}
      # @return [Array<String, nil>] their ids; nil where a middleware or a unique job rejected it
      def enqueue(items) = Setup.current.client.enqueue(items)

      # Counts the jobs that this process has enqueued, for monitoring of programs that are no
      # workers. Counts begin at 0 with the process, and only grow.
      #
      #     Raffia::Jobs.enqueued #=> {"mail" => {"MailJob" => 3}}
      #
      # @return [Hash{String => Hash{String => Integer}}] numbers by queue and class
      def enqueued = Setup.current.enqueue_counts.to_h

      # Enqueues the block's jobs in a transaction of the application, in this fiber only: they are
      # stored by its commit, and vanish with its rollback. Begins one if the connection has none.
      #
      #     Raffia::Jobs.transaction(ActiveRecord::Base.connection) do
      #       MailJob.perform_async(user.id) if user.save
      #     end
      #
      # @param connection [PG::Connection, Trilogy, Object] or Active Record's, to the store's
      #   database
      # @return [Object] the block's value
      # @raise [ConfigError] by stores other than PostgreSQL's and MySQL's; the memory store
      #   ignores it
      def transaction(connection, &) = Setup.current.store.within(connection, &)

      # Starts a tree of actors in the event loop of each worker, which jobs find by name. It is
      # stopped after the last job; when it ends by itself, so does the worker.
      #
      #     Raffia::Jobs.actors { App.spawn(name: :app) }
      #
      # @yieldreturn [Actor::Ref, Array<Actor::Ref>]
      def actors(&block)
        raise ConfigError, "actors needs a block, which spawns them" unless block

        Setup.current.actors << block
        nil
      end

      # Calls the block once for each failure of a job, in its worker, when the store knows the
      # outcome. A job that is interrupted, cancelled or over its rate has not failed. A block that
      # raises is logged, and changes nothing.
      #
      #     Raffia::Jobs.on_error do |error, job, verdict|
      #       Tracker.notify(error, job: job["class"], jid: job["jid"], final: verdict != :retry)
      #     end
      #
      # @yieldparam error [Exception]
      # @yieldparam job [Hash] of its payload, without arguments: "jid", "class", "queue",
      #   "retry_count" ...
      # @yieldparam verdict [Symbol] :retry, :dead or :discard
      # @raise [ConfigError]
      def on_error(&block)
        raise ConfigError, "on_error needs a block, which gets errors of jobs" unless block

        Setup.current.error_handlers << block
        nil
      end

      # @return [Client]
      def client = Setup.current.client

      # Processes jobs in this process, and stores them in its memory: for work that may end with
      # the program. It becomes the store of all jobs.
      # @param options [Hash] see {Worker#initialize}
      # @return [Worker::Handle, Object] its `stop` drains; with a block, which gets it, the block's
      #   value after the worker has stopped
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
