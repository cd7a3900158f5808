# frozen_string_literal: true

require_relative "errors"
require_relative "store/values"
require_relative "store/opening"
require_relative "store/rewrite"
require_relative "store/death"
require_relative "store/ghosts"

module Raffia
  module Jobs
    # What keeps jobs. This is the contract of all stores: a store is a subclass that has each of
    # these methods, and test/contract/jobs/store_contract.rb says of each what it must do.
    #
    # Where a job is: `queue` (waiting, by queue), `scheduled`, `retry`, `blocked` (its limit is
    # used up), `running` (claimed), `dead`. Each call moves jobs between these at once or not at
    # all, so a kill at any point leaves each job in one of them. When a call returns, what it did
    # is as durable as the store can make it.
    #
    # All may be called by any fiber or thread, and wait as fibers do. After a fork the child opens
    # what it needs anew (a store in memory refuses it). Times are seconds since 1970 by the store's
    # clock; leases are measured by a clock that nobody can set (the database server's, or the
    # machine's uptime).
    #
    # Any call raises {StoreUnavailable} when the store cannot be reached.
    class Store
      # Seconds that a lease holds without a sign of life.
      LEASE = 15
      # How often a worker may die under a job before the job is taken for the reason.
      CRASHES = 3
      # The sets that {#entries} reads.
      SETS = %i[queue scheduled retry blocked running dead].freeze

      # @!group Enqueue

      # Keeps jobs. At once or not at all, also with the guard. A draft with `at` later than now
      # goes to `scheduled`, all others to their queue; who waits in {#wait} is woken. Batches that
      # drafts name must exist, and count them. A unique job that `replace`s takes the place of the
      # one that waits, which is gone as if it were done; one that runs is not replaced, and keeps
      # the new one out.
      # @param drafts [Array<Draft>]
      # @param guard [Guard, nil] nothing happens unless the key has the expected value, which is
      #   then replaced
      # @return [Array<String, nil>, nil] ids; nil for one that a unique job of the same key keeps
      #   out; nil for all when the guard did
      # @raise [NotUnique] by a draft whose conflict is "raise"; nothing is kept then
      # @raise [Error] for a batch that there is not; nothing is kept then
      def enqueue(drafts, guard: nil) = raise(NotImplementedError)

      # What this fiber enqueues in the block is written by somebody else's connection, and belongs
      # to its transaction; where none has begun, one is, around the block.
      # @param connection [Object] of the application's to the same database
      # @return [Object] what the block returns
      # @raise [ConfigError] where that cannot be
      def within(connection)
        raise ConfigError, "jobs in #{url} cannot be a part of a transaction of " \
          "#{connection.class}: use the postgres store, in the same database"
      end

      # @!group Leases and claims

      # A worker begins.
      # @param identity [String] HOST:PID:NONCE
      # @param info [Hash] for people: hostname, pid, tag, labels, queues, concurrency, version,
      #   started_at
      # @param ttl [Numeric] seconds
      # @return [Lease] with a token that is higher than all before
      def enroll(identity, info, ttl: LEASE) = raise(NotImplementedError)

      # A sign of life: the lease holds for its ttl from now on.
      # @param state [Hash] {"busy" => Integer, "quiet" => Boolean, "rss" => KiB, "work" => [{"jid",
      #   "queue", "payload", "run_at", "tid"}, ...]}
      # @param tally [Tally, nil] what has been done since the last one
      # A lease that has run out may count as lost at once, and is lost when {#recover} has taken
      # its jobs.
      # @return [Array<String>, nil] orders for this worker: "quiet", "stop", "dump", "cancel JID",
      #   "trace JID"; nil: the lease is lost, and its jobs are others'
      def beat(lease, state = {}, tally: nil) = raise(NotImplementedError)

      # Holds the lease for its ttl from now on, on behalf of a worker that lives and cannot show a
      # sign of life itself.
      # @return [Boolean] false: it is lost
      def renew(lease) = raise(NotImplementedError)

      # Claims of a lease as the store has them. A worker compares them with what it works on,
      # because a store may come back with older data.
      # @return [Array<Array(Integer, Integer)>] {Claim#key} of each claim
      def held(lease) = raise(NotImplementedError)

      # To the front of their queues, as by {#release}: claims that the worker knows nothing of.
      # @param keys [Array<Array(Integer, Integer)>] of {#held}
      # @return [Integer] of how many
      def give_back(lease, keys) = raise(NotImplementedError)

      # The worker ends. What it still holds goes back, as by {#release}.
      # @return [void]
      def resign(lease, tally: nil) = raise(NotImplementedError)

      # Takes jobs, without waiting. Expired ones are discarded, those over their limit become
      # `blocked`, paused queues are left alone; unique jobs until start are not in the way any
      # more.
      # @param queues [Array<String>] in this order; within one by priority, then by age
      # @param limit [Integer] most of them
      # @param suspects [Boolean] only jobs that are to run alone, see {#report_death}; otherwise
      #   none of them
      # @return [Array<Claim>] empty when there is none, or when the lease is lost
      def claim(lease, queues, limit, suspects: false) = raise(NotImplementedError)

      # @return [Boolean] whether there is something to {#claim} with `suspects: true`
      def suspects?(queues) = raise(NotImplementedError)

      # Waits until there may be something to {#claim} or {#promote} (also when that came after the
      # last {#claim}, or is due earlier than the last {#promote} said), or something to look at
      # ({#interrupt}). Jobs in paused queues are nothing to claim, and suspects are not.
      # @param timeout [Numeric, nil] seconds
      # @return [void]
      def wait(queues, timeout: nil) = raise(NotImplementedError)

      # Ends each {#wait} of this process, from any thread; where none waits, the next one ends at
      # once.
      # @return [void]
      def interrupt = raise(NotImplementedError)

      # What follows ends claims. Each tells whether the claim was still ours: where the lease has
      # been lost it does nothing.

      # (Who ends a claim of a job with a limit lets the oldest one that its key blocks back to the
      # front of its queue; so does a job with that key that leaves its queue by hand, or because it
      # has expired.)

      # Done: the job is gone, its batch is told, what it locked is free.
      # @param claims [Array<Claim>]
      # @return [Array<Boolean>]
      def ack(claims) = raise(NotImplementedError)

      # Failed: to be tried again.
      # @param payload [String] with the failure in it
      # @param at [Float]
      # @return [Boolean]
      def retry(claim, payload, at) = raise(NotImplementedError)

      # Failed for good: to `dead`. The batch is told.
      # @return [Boolean]
      def bury(claim, payload) = raise(NotImplementedError)

      # Failed for good, or not wanted, and nobody is to see it: gone. The batch is told that it
      # failed.
      # @return [Boolean]
      def discard(claim) = raise(NotImplementedError)

      # Not begun, or interrupted by us: back to the front of the queue, with no harm done.
      # @param claims [Array<Claim>]
      # @return [Integer] of how many
      def release(claims) = raise(NotImplementedError)

      # @!group Upkeep, by any worker at any time

      # Moves what is due from `scheduled` and `retry` to the back of queues, see {Rewrite.queued}.
      # @param limit [Integer] most of them
      # @return [Numeric, nil] seconds until the next one is due (0: there are more); nil: there is
      #   none
      def promote(limit = 1000) = raise(NotImplementedError)

      # Takes the jobs of leases that have run out, as {#report_death} does when nobody knows what
      # had begun.
      # @return [Array<Recovered>] in the order in which they are in front of their queues
      def recover = raise(NotImplementedError)

      # Ends the lease of a worker whose process has died. Its jobs go to the front of their queues.
      # Those that had not begun are not charged. The only one that had begun gets one crash more,
      # and at the third it goes to `dead`. Several that had begun get one crash if they have none,
      # and are suspects from then on: they are claimed, one at a time, by workers that do nothing
      # else.
      # @param begun [Array<Array(Integer, Integer)>, nil] {Claim#key} of those that had begun; nil:
      #   nobody knows, any of them may have
      # @return [Array<Recovered>] as {#recover}; with no crashes where a job was not charged
      def report_death(lease, begun) = raise(NotImplementedError)

      # Throws away what is too old to be kept: dead jobs, ended batches, values, statistics.
      # @param dead_for [Numeric] seconds
      # @param dead_max [Integer] the newest ones stay
      # @param batches_for [Numeric] seconds after they were completed
      # @return [void]
      def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
        raise(NotImplementedError)
      end

      # @return [Float] seconds since 1970, by the store's clock
      def now = raise(NotImplementedError)

      # @!group Values: small facts, such as cursors and when a recurring job was last enqueued

      # @return [String, nil]
      def read(key) = raise(NotImplementedError)

      # @param value [String, nil] nil deletes it
      # @param expect [String, nil, :any] it is only written when this is its value
      # @param ttl [Numeric, nil] seconds
      # @return [Boolean]
      def write(key, value, expect: :any, ttl: nil) = raise(NotImplementedError)

      # @return [Array<String>] in order
      def keys(prefix) = raise(NotImplementedError)

      # @!group Batches

      # @param id [String]
      # @param callbacks [Hash{String => Draft}] on "success" (all done), "complete" (all done or
      #   dead), "death" (the first dead): each is enqueued once, in the same step as what completes
      #   the batch. What fails for good, is discarded, expires, or is deleted, cleared or killed by
      #   hand counts as dead; a dead one that is requeued is pending again
      # @param about [Hash] description, created_at
      # @param parent [String, nil] a batch that counts this one as it counts a job: done when it is
      #   complete, dead when any of its jobs is dead then, and done after all when it has its
      #   success later. Callbacks that name the parent as their batch count there in the same step
      # @return [void]
      # @raise [Error] for a parent that there is not
      def open_batch(id, callbacks: {}, about: {}, parent: nil) = raise(NotImplementedError)

      # No more jobs come from outside: from now on it is complete when nothing is pending. (Jobs of
      # a batch may add to it at any time.)
      # @return [void]
      def seal_batch(id) = raise(NotImplementedError)

      # @return [Hash, nil] {"id", "total", "pending", "dead", "sealed", "completed_at" (nil: not
      #   yet), "about", "parent"}
      def batch(id) = raise(NotImplementedError)

      # @return [Array<Hash>] newest first
      def batches(offset: 0, limit: 50) = raise(NotImplementedError)

      # @!group Looking, and operating by hand

      # @return [Integer, nil] how many jobs of a set are counted within milliseconds, for `most`
      #   below; nil: any number
      def countable = nil

      # @param most [Integer, nil] a store that has to count one by one stops there
      # @return [Array<Hash>] {"name", "size", "latency" (seconds, of the oldest), "paused"}, by
      #   name
      def queues(most: nil) = raise(NotImplementedError)

      # @param most [Integer, nil] as for {#queues}
      # @return [Hash{Symbol => Integer}] of each of {SETS}, and :processed, :failed since ever
      def counts(most: nil) = raise(NotImplementedError)

      # @param set [Symbol] of {SETS}
      # @param queue [String, nil] which one, for :queue
      # @param match [String, nil] only those whose payload contains it
      # @return [Array<Entry>] queues: next one first; by time the others, `dead` with the newest
      #   first
      def entries(set, queue: nil, offset: 0, limit: 50, match: nil) = raise(NotImplementedError)

      # There is no index for this.
      # @param most [Integer, nil] of how many jobs in the queues (in a database: of all) it is
      #   looked for; nil: of all
      # @return [Entry, nil]
      def find(jid, most: nil) = raise(NotImplementedError)

      # Gone, as by {#discard}.
      # @param entries [Array<Entry>] not :running, these are left alone
      # @return [Integer] how many were still there
      def delete(entries) = raise(NotImplementedError)

      # To the back of their queue, now, see {Rewrite.queued}; `dead` ones start to count anew, see
      # {Rewrite.anew}.
      # @param entries [Array<Entry>] of scheduled, retry, blocked, dead
      # @return [Integer] how many were still there
      def requeue(entries) = raise(NotImplementedError)

      # @param entries [Array<Entry>] of queue, scheduled, retry
      # @return [Integer] to `dead`
      def kill(entries) = raise(NotImplementedError)

      # @param set [Symbol] not :running
      # @param queue [String, nil] which one, for :queue; nil: all.
      # A queue that is cleared is forgotten: {#queues} has it again with its next job.
      # @return [Integer] how many there were
      def clear(set, queue: nil) = raise(NotImplementedError)

      # Nothing is claimed from it until it is resumed; jobs go on coming in.
      # @return [void]
      def pause(queue) = raise(NotImplementedError)
      # @return [void]
      def resume(queue) = raise(NotImplementedError)

      # @return [Array<Hash>] workers: info and state as they were given, "identity", "beat" (when,
      #   seconds since 1970), "lease" (its token); only those whose lease holds
      def processes = raise(NotImplementedError)

      # @param order [String] see {#beat}; a worker gets it soon
      # @return [Boolean] whether there is such a worker
      def order(identity, order) = raise(NotImplementedError)

      # @param days [Integer]
      # @return [Hash{String => Hash}] "2026-11-21" => {"processed", "failed"}, newest first
      def history(days = 30) = raise(NotImplementedError)

      # @param minutes [Integer]
      # @return [Hash{String => Array<Hash>}] class => of each minute with something in it, oldest
      #   first {"at" (of its begin), "processed", "failed", "ms", "histogram" => 26 counts}
      def metrics(minutes = 60) = raise(NotImplementedError)

      # Looks whether everything that is kept hangs together.
      # @return [Array<String>] what is wrong, in words
      def check = raise(NotImplementedError)

      # @return [Boolean] whether other processes see the same jobs
      def shared? = true

      # @return [Boolean] false: nothing was ever kept there, and the next call would make it
      def there? = true

      # @return [String] where it is, without a password
      def url = raise(NotImplementedError)

      # @return [void]
      def close = raise(NotImplementedError)
    end
  end
end
