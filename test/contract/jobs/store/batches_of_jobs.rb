# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # {Raffia::Jobs::Batch}, as programs use it, on this store.
  module BatchesOfJobs
    include Case

    # Adds itself again to its batch, and fails for good at 0.
    class DownJob
      include Raffia::Job

      def perform(left)
        raise "over" if left.zero?

        batch.jobs { DownJob.perform_async(left - 1) }
      end
    end

    class ReportJob
      include Raffia::Job

      options queue: "reports"
      def perform(*) = calling_batch.status.done
    end

    Run = Struct.new(:item, :store)

    def with_store(&) = Jobs::Setup.current.with_client(Jobs::Client.new(store), &)

    # A short worker.
    # @return [Array] what the jobs returned, or their errors
    def work(*queues)
      results = []
      while (one = claim(1, queues: queues).first)
        begin
          results << Jobs::Execution.call(one.item, Jobs::Middleware.new, Run.new(one.item, store))
          store.ack([one])
        rescue RuntimeError => error
          results << error.message
          store.bury(one, one.payload)
        end
      end
      results
    end

    def test_a_batch_from_its_first_job_to_its_callbacks
      with_store do
        batch = Jobs::Batch.new(description: "down").on(:complete, ReportJob, "complete")
          .on(:success, ReportJob, "success").on(:death, ReportJob, "death")
        batch.jobs { DownJob.perform_async(2) }
        assert_equal(["down", 1, 1, false],
          [batch.status.description, batch.status.total, batch.status.pending,
            batch.status.complete?])
        assert_equal("over", work("default").last)
        status = Jobs::Batch.find(batch.id).status
        assert_equal([3, 2, 1, true, false, 1.0],
          [status.total, status.done, status.dead, status.complete?, status.success?,
            status.progress])
        assert_in_delta(now, status.completed_at, 60)
        assert_in_delta(now, status.created_at, 60)
        assert_equal([["complete"], ["death"]],
          store.entries(:queue, queue: "reports").map { |entry| entry.item["args"] }.sort)
        assert_equal([2, 2], work("reports"))
        assert_equal([status], Jobs::Batch.list)
      end
    end

    def test_an_empty_batch_in_another_one
      with_store do
        inner = Jobs::Batch.new.on(:success, ReportJob, "inner")
        outer = Jobs::Batch.new.on(:success, ReportJob, "outer")
        outer.jobs { inner.jobs {} }
        assert_equal([outer.id, true, false],
          [inner.status.parent, inner.status.success?, outer.status.complete?])
        assert_equal([0, 2], work("reports"),
          "the outer one counts the inner one, and its callback")
        assert_equal([true, 2], [outer.status.success?, outer.status.done])
      end
    end
  end
end
