# frozen_string_literal: true

module Ledger
  # The callback of a batch.
  class CallbackJob
    include Raffia::Job

    options retry: 10

    def perform(batch, event) = HISTORY.note(:effect, ["#{batch}/#{event} -"])
  end

  module Loads
    # Batches with callbacks.
    module Batch
      SHARE = 4

      module_function

      def supported?(store) = Loads.supported? { store.batches(limit: 1) }

      # A batch whose opening failed is made anew, with another id; jobs of it count for nothing.
      def produce(random, mark)
        size = random.rand(1..30)
        list = Array.new(size) { |n| [Plain.kind(random), mark - n] }
        jids, batch = Loads.insist { enqueue(list) }
        Loads.kept("batch", jids)
        HISTORY.note(:kept_batch, [batch.id])
        size
      end

      def enqueue(list)
        batch = Raffia::Jobs::Batch.new
        %i[success complete].each { |event| batch.on(event, CallbackJob, batch.id, event.to_s) }
        [batch.jobs { Job.perform_bulk(list) }, batch]
      end
    end
  end
end
