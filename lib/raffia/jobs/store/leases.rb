# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Registers workers. A worker holds its claims as long as its lease.
      class Leases < Group
        # Begins a worker's lease.
        # @param identity [String] HOST:PID:NONCE
        # @param info [Hash] for people: hostname, pid, tag, labels, queues, concurrency, version,
        #   started_at
        # @param ttl [Numeric] seconds
        # @return [Lease] with a token that is higher than all before
        def enroll(identity, info, ttl: LEASE) = raise(NotImplementedError)

        # Heartbeat: the lease holds for its ttl from now on. A lease that has run out may count as
        # lost at once, and is lost when {Recovery#recover} has taken its jobs.
        # @param state [Hash] {"busy" => Integer, "quiet" => Boolean, "rss" => KiB, "work" =>
        #   [{"jid", "queue", "payload", "run_at", "tid"}, ...]}
        # @param tally [Tally, nil] what has been done since the last heartbeat
        # @return [Array<String>, nil] orders for this worker: "quiet", "stop", "dump", "cancel
        #   JID", "trace JID"; nil: the lease is lost, and others have its jobs
        def beat(lease, state = {}, tally: nil) = raise(NotImplementedError)

        # Extends the lease of a living worker that cannot send a heartbeat itself.
        # @return [Boolean] false: it is lost
        def renew(lease) = raise(NotImplementedError)

        # Lists the claims of a lease as the store has them. A worker compares them with its own,
        # because a store may come back with older data.
        # @return [Array<Array(Integer, Integer)>] {Claim#key} of each claim
        def claim_keys(lease) = raise(NotImplementedError)

        # Releases claims that the worker does not know, as {Completion#release} does. Returns the
        # number of jobs.
        # @param keys [Array<Array(Integer, Integer)>] of {#claim_keys}
        def release_keys(lease, keys) = raise(NotImplementedError)

        # Ends the lease, and releases its claims.
        def resign(lease, tally: nil) = raise(NotImplementedError)

        # @return [Array<Hash>] workers with a valid lease: their info and state, "identity", "beat"
        #   (time of the heartbeat), "lease" (its token)
        def processes = raise(NotImplementedError)

        # Sends an order (see {#beat}) to a worker, which gets it with its next heartbeat.
        # @return [Boolean] whether there is such a worker
        def order(identity, order) = raise(NotImplementedError)
      end
    end
  end
end
