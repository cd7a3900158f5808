# frozen_string_literal: true

gem "bigdecimal"
require "securerandom"
require "raffia/jobs"

module DeadlocksBench
  # Calls of the store, as workers and clients make them.
  class Raffia
    Jobs = ::Raffia::Jobs

    def initialize(url)
      @store = Jobs::Store.open("#{url}?pool=8")
    end

    def setup = @store.counts

    def claim
      claims = @store.claim(lease, ["default"], 10)
      sleep(0.005) if claims.empty?
      @store.ack(claims).count(true)
    end

    # One, 20 in bulk, one for a moment to come, and some with a limit.
    def enqueue
      case rand(4)
      when 0 then @store.enqueue(Array.new(20) { draft })
      when 1 then @store.enqueue([draft(at: Time.now.to_f + 1)])
      when 2
        limit = {"key" => "shop-#{rand(20)}", "max" => 5}
        @store.enqueue([draft(raffia: {"limit" => limit})])
      else @store.enqueue([draft])
      end.size
    end

    def promote
      before = @store.counts(most: 10_000)[:scheduled]
      sleep(0.05) unless @store.promote(500) == 0
      before.clamp(0..500)
    end

    def prune
      @store.recover
      @store.prune
      sleep(0.05)
      0
    end

    private

    def lease
      Thread.current[:lease] ||=
        @store.enroll("bench:#{Process.pid}:#{SecureRandom.hex(4)}", {}, ttl: 600)
    end

    def draft(**fields)
      Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => "NoJob", "args" => [7],
        **fields.transform_keys(&:to_s)}))
    end
  end
end
