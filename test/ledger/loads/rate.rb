# frozen_string_literal: true

module Ledger
  # At most so many starts of a key in any second.
  class WindowJob < Job
    ALLOW = 25
    PER = 1

    options rate: ALLOW, per: PER, rate_key: ->(_, _, key) { key }
  end

  # So many in a second, evenly.
  class BucketJob < Job
    ALLOW = 25
    PER = 1
    BURST = 5

    options rate: ALLOW, per: PER, rate_style: :bucket, rate_burst: BURST,
      rate_key: ->(_, _, key) { key }
  end

  module Loads
    # More jobs at once than may start.
    module Rate
      SHARE = 8
      KEYS = 8
      CLASSES = [WindowJob, BucketJob].freeze

      module_function

      def supported?(store) = Loads.supported? { store.rates(limit: 1) }

      def produce(random, mark)
        size = random.rand(1..100)
        job = CLASSES.sample(random: random)
        key = "#{job.name[/\w+\z/]}-#{random.rand(KEYS)}"
        list = Array.new(size) { |n| [Plain.kind(random), mark - n, key] }
        Loads.kept("rate", Loads.insist { job.perform_bulk(list) })
        size
      end
    end
  end
end
