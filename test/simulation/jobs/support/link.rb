# frozen_string_literal: true

module Simulations
  module Jobs
    # A store as one process reaches it over a network: calls take time, and may fail before or
    # after their effect. Tells the ledger of what the store itself has done.
    class Link
      Store = Raffia::Jobs::Store

      attr_reader :store

      # Token of the lease.
      attr_reader :token

      # Whether no call reaches the store.
      attr_accessor :cut

      # Seconds that a call takes until it reaches the store.
      attr_accessor :hang

      # +delays+: number of delays, of a millisecond each, that a call may have. +loss+: chance of a
      # failed call.
      def initialize(store, ledger, sim, delays: 0, loss: 0)
        @store = store
        @ledger = ledger
        @sim = sim
        @delays = delays
        @loss = loss
        @cut = false
        @hang = 0
        @renewed = {}
      end

      attr_writer :loss

      (Store::OPERATIONS.values.flatten -
        %i[wait interrupt ack bury discard recover enroll beat expired])
        .each do |name|
        define_method(name) do |*arguments, **options|
          call { @store.public_send(name, *arguments, **options) }
        end
      end

      def wait(...)
        refuse if @cut
        @store.wait(...)
      end

      def interrupt = @store.interrupt

      def shared? = @store.shared?

      def wait_reads_queues? = @store.wait_reads_queues?

      # Counted in this process.
      def expired = @store.expired

      def within(...) = @store.within(...)

      def url = @store.url

      def close = @store.close

      def enroll(...) = call { @store.enroll(...).tap { |lease| renewed(lease) } }

      def beat(lease, ...)
        call { @store.beat(lease, ...).tap { |orders| renewed(lease) if orders } }
      end

      def ack(claims)
        call do
          @store.ack(claims).tap do |ours|
            claims.zip(ours) { |claim, own| @ledger.acknowledge(claim.item["jid"]) if own }
          end
        end
      end

      def bury(claim, payload)
        call { @store.bury(claim, payload).tap { |own| @ledger.bury(claim.item["jid"]) if own } }
      end

      def discard(claim)
        call { @store.discard(claim).tap { |own| @ledger.bury(claim.item["jid"]) if own } }
      end

      # Leases that have run out lose their jobs.
      def recover
        call do
          Link.expired.each { |token| @ledger.excuse(token) }
          @store.recover.each { |job| @ledger.bury(job.jid) if job.dead }
        end
      end

      # By token, of all links of a run: time of the last renewal, and seconds that it holds.
      LEASES = {} # rubocop:disable Style/MutableConstant

      def self.expired
        now = Raffia::Clock.now
        LEASES.select { |_, (at, ttl)| at + ttl <= now }.keys
      end

      private

      def renewed(lease)
        @token = lease.token
        LEASES[lease.token] = [Raffia::Clock.now, lease.ttl]
      end

      def call
        refuse if @cut || lost?
        sleep(@hang) if @hang.positive?
        delay
        value = yield
        delay
        refuse if @cut || lost?
        value
      end

      def lost? = @loss.positive? && @sim.choose((1 / @loss).round) == 1

      def delay
        return if @delays.zero?

        steps = @sim.choose(@delays + 1)
        sleep(steps / 1000.0) if steps.positive?
      end

      def refuse = raise(Raffia::Jobs::StoreUnavailable, "the link is down")
    end
  end
end
