# frozen_string_literal: true

module Ledger
  # Jobs of tenants that share a queue.
  class FairJob < Job
    # Those with many jobs, and their turns in a round.
    WEIGHTS = {"large-1" => 1, "large-3" => 3}.freeze

    options queue: "fair", fair_by: ->(_, _, tenant) { tenant },
      fair_weight: ->(_, _, tenant) { WEIGHTS.fetch(tenant, 1) }
  end

  module Loads
    # Many jobs of two tenants, and single ones of others.
    module Fair
      SHARE = 12
      SMALL = 50

      module_function

      def supported?(_) = true

      def produce(random, mark)
        return single(random, mark) if random.rand < 0.5

        FairJob::WEIGHTS.keys.shuffle(random: random).sum do |tenant|
          enqueue(tenant, Array.new(random.rand(20..60)) { |n|
            [%w[quick sleep].sample(random: random), mark - n, tenant]
          })
        end
      end

      def single(random, mark)
        tenant = "small-#{random.rand(SMALL)}"
        enqueue(tenant, [["quick", mark, tenant]])
      end

      def enqueue(tenant, list)
        jids = Loads.insist { FairJob.perform_bulk(list) }
        HISTORY.note(:kept_fair, jids.map { |jid| "#{jid} #{tenant}" })
        Loads.kept("fair", jids)
        jids.size
      end
    end
  end
end
