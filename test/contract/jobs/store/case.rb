# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

module JobsStoreContract
  # Shared by all groups of tests: a store's test defines `open_store`, which returns an empty
  # store, and one more handle on the same jobs when it is called again in a test. For a store of
  # one process it returns another store then, and its test leaves the group Shared out.
  module Case
    Jobs = Raffia::Jobs

    # Seconds in which a notification must end a wait.
    LONG = 120

    # Opens the store before the test's threads could race for it, and makes the first call, which
    # has to prepare things.
    def setup
      super
      store.counts
    end

    def store = @store ||= opened

    # Opens one more handle, which is closed after the test.
    def opened = open_store.tap { |one| (@opened ||= []) << one }

    def teardown
      @opened&.each(&:close)
      super
    end

    # @param args [Array] of the job
    # @param own [Hash] what goes under "raffia"
    # @return [Jobs::Draft]
    def draft(*args, queue: "default", at: nil, klass: "NoJob", own: nil, **fields)
      item = {"class" => klass, "args" => args, "queue" => queue, **fields.transform_keys(&:to_s)}
      item["at"] = at if at
      item["raffia"] = JSON.parse(JSON.generate(own)) if own
      Jobs::Draft.of(Jobs::Client::PayloadBuilder.build(item))
    end

    # @return [Array<String, nil>] ids of jobs with these arguments
    def enqueue(*args, **how) = store.enqueue(args.map { |arg| draft(arg, **how) })

    # A worker that lives as long as the test.
    def lease
      @lease ||= store.enroll("test:#{::Process.pid}:#{object_id.to_s(16)}", {"hostname" => "test"},
        ttl: 600)
    end

    # @return [Array<Jobs::Claim>]
    def claim(limit = 10, queues: %w[default], by: lease, **how)
      store.claim(by, queues, limit, **how)
    end

    # Claims the only job.
    def claim_one(**how) = claim(2, **how).tap { |claims| assert_equal(1, claims.size) }.first

    # @param list [Array<Jobs::Claim, Jobs::Entry>]
    # @return [Array] the first argument of each
    def args(list) = list.map { |one| one.item.fetch("args").first }

    def args_in(set, **how) = args(store.entries(set, **how))

    # @return [Hash{Symbol => Integer}] of the places with something in them
    def places = store.counts.slice(*Jobs::Store::SETS).reject { |_, count| count.zero? }

    def assert_places(**expected) = assert_equal(expected, places)

    # A worker claims jobs (suspects when there is nothing else) and dies; its jobs are recovered.
    # @return [Array(Array<Jobs::Claim>, Array<Jobs::RecoveredJob>)]
    def lose(limit = 10, queues: %w[default])
      short = claims = nil
      # On a busy machine the lease may expire before the claim.
      wait_until do
        short = store.enroll("test:0:#{rand(1 << 64).to_s(16)}", {}, ttl: 0.2)
        [false, true].any? do |suspects|
          (claims = store.claim(short, queues, limit, suspects: suspects)).any?
        end
      end
      recovered = []
      wait_until { recovered.concat(store.recover).size >= claims.size }
      assert_nil(store.beat(short), "a lease whose jobs were recovered goes on")
      [claims, recovered]
    end

    # {Raffia.run} with a limit.
    def in_fibers(&block) = Raffia.run { |scope| Raffia.timeout(60) { block.call(scope) } }

    def now = Time.now.to_f

    # Like a worker: a wait may end for nothing, or for a job that another worker gets.
    def wait_for_job(queues = %w[default], by: lease)
      wait_until(LONG) do
        claims = store.claim(by, queues, 1)
        next claims if claims.any?

        store.wait(queues, timeout: LONG)
        nil
      end
    end
  end
end
