# frozen_string_literal: true

require_relative "plant"
require_relative "store_ledger"

module Simulations
  module Jobs
    # A process with threads that call a store, in an order that the run chooses.
    class StoreProcess
      QUEUES = %w[a b].freeze
      # Seconds that a lease holds: longer than a run.
      LEASE = 3600
      # Makes a few jobs take a page of a database.
      TEXT = "x" * 1500

      attr_reader :store, :threads

      def initialize(program, store, ledger)
        @program = program
        @store = store
        @ledger = ledger
        @client = Raffia::Jobs::Client.new(store)
        @lease = store.enroll("p#{store.object_id}", {}, ttl: LEASE)
        @threads = []
      end

      # Starts threads that make so many calls each.
      def run(threads:, calls:)
        @threads = Array.new(threads) do
          Thread.new do
            held = []
            calls.times { step(held) }
          end
        end
      end

      # Ends the process as a kill does. The database sees its connections end.
      def crash
        world = Raffia::Simulation::World.active
        @threads.each do |thread|
          world.abandon(thread)
          thread.daemon = true
        end
        @ledger.lose(@lease.token)
        database = @store.instance_variable_get(:@database)
        %i[@reader @connection].each { |name| database.instance_variable_get(name).close }
      end

      # Claims and ends all jobs.
      def drain
        @store.recover
        loop do
          @store.promote
          claims = [false, true].flat_map { |suspects| @store.claim(@lease, QUEUES, 9, suspects:) }
          break if claims.empty?

          claims.each { |claim| @ledger.claim(claim.item["jid"], @lease.token) }
          finish(claims)
        end
      end

      private

      def step(held)
        case @program.choose(8)
        when 0..2 then enqueue
        when 3, 4 then claim(held)
        when 5, 6 then finish(held.shift(1 + @program.choose(2)))
        else put_back(held)
        end
      end

      def enqueue
        drafts = Array.new(1 + @program.choose(3)) do
          @client.draft("class" => "StepJob", "args" => [TEXT], "queue" => @program.one_of(*QUEUES))
        end
        @ledger.attempt(drafts.map(&:jid))
        @ledger.accept(@store.enqueue(drafts))
      rescue Raffia::Jobs::StoreUnavailable => error
        @ledger.doubt(drafts.map(&:jid), error)
      end

      def claim(held)
        claims = @store.claim(@lease, QUEUES, 1 + @program.choose(3))
        claims.each { |claim| @ledger.claim(claim.item["jid"], @lease.token) }
        held.concat(claims)
      rescue Raffia::Jobs::StoreUnavailable
        nil
      end

      def finish(claims)
        jids = claims.map { |claim| claim.item["jid"] }
        jids.each { |jid| @ledger.let_go(jid) }
        jids.zip(@store.ack(claims)) { |jid, own| @ledger.finish(jid, own) }
      rescue Raffia::Jobs::StoreUnavailable
        jids.each { |jid| @ledger.unsure(jid) }
      end

      def put_back(held)
        claim = held.shift or return @store.promote
        @ledger.let_go(claim.item["jid"])
        if @program.choose(2).zero?
          @store.release([claim])
        else
          @store.retry(claim, claim.payload, Time.now.to_f)
        end
      rescue Raffia::Jobs::StoreUnavailable
        nil
      end
    end
  end
end
