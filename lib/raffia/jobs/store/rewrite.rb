# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Changes a job's payload when the job moves to another set. The same on all stores. An
      # unreadable payload stays as it is; the worker that gets it reports it.
      # @api private
      module Rewrite
        # Fields about the attempts of a dead job.
        FAILURE = %w[
          retry_count failed_at retried_at discarded_at error_class error_message error_backtrace
        ].freeze

        module_function

        # From `scheduled`, `retry` or `blocked` to a queue.
        def queued(payload)
          change(payload) { |item| item["enqueued_at"] = Payload.now }
        end

        # To another queue.
        def moved(payload, queue)
          change(payload) { |item| item["queue"] = queue }
        end

        # From `dead` to a queue.
        def anew(payload)
          change(payload) do |item|
            FAILURE.each { |field| item.delete(field) }
            if item[Payload::OWN]
              item[Payload::OWN] = item[Payload::OWN].except("crashes", Encryption::ERROR)
            end
            item["enqueued_at"] = Payload.now
          end
        end

        # After a step of a durable function: deaths before it do not count any more.
        def uncharged(payload)
          change(payload) do |item|
            item[Payload::OWN] = item[Payload::OWN].except("crashes") if item[Payload::OWN]
          end
        end

        # After the death of its worker. Returns the payload and its crashes by now. Unless it was
        # the job `alone` that had begun there, it is charged once at most.
        def crashed(payload, alone: true)
          crashes = 1
          payload = change(payload) do |item|
            before = Integer(item.dig(Payload::OWN, "crashes"), exception: false).to_i
            crashes = alone ? before + 1 : [before, 1].max
            item[Payload::OWN] = {**item[Payload::OWN].to_h, "crashes" => crashes}
            fail_for_good(item, crashes) if crashes >= CRASHES
          end
          [payload, crashes]
        end

        class << self
          private

          def change(payload)
            item = Payload.load(payload)
            yield item
            JSON.generate(item)
          rescue BadPayload
            payload
          end

          def fail_for_good(item, crashes)
            now = Payload.now
            item.update(
              "error_class" => "Raffia::WorkerDied", "failed_at" => item["failed_at"] || now,
              "discarded_at" => now,
              "error_message" => "its worker died #{crashes} times while it ran: " \
                "it counts as the cause, and is not run again"
            )
          end
        end
      end
    end
  end
end
