# frozen_string_literal: true

require_relative "flow_reader"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # A flow that waits is its job in Sidekiq's `schedule`, without the time of its enqueue: a
        # script that wakes it appends the time.
        class Flows < Store::Flows
          # Answer for a job without a flow.
          NONE = 0
          STATUSES = ["pending", "running", "waiting", "stuck", *ENDED].freeze

          needs :redis, :enqueue

          def load_flow(claim)
            fields, steps, signals, claim.read = ask(:load_flow, claim, unread: true) || return
            {**FlowReader.to_h(claim.item["jid"], fields.each_slice(2).to_h, signals),
              "history" => FlowReader.steps(steps.each_slice(2))}
          end

          def record_step(claim, step, drafts: [])
            payload = uncharged(claim)
            answer = ask(:record_step, claim, step.place, (step.kind == "publish") ? 1 : 0,
              FlowReader.about(step), step.value, payload, *@enqueue.arguments(drafts))
            @enqueue.check(answer)
            cancelled, claim.read = answer || return
            claim.payload = payload unless payload.empty?
            (cancelled == 1) ? :cancelling : :running
          end

          def await_step(claim, step, seconds, park: true, cancellable: true)
            payload = uncharged(claim)
            status, claim.read, value = ask(:await_step, claim, step.place,
              FlowReader.about(step), seconds.to_s, park ? 1 : 0, cancellable ? 1 : 0,
              scheduled(claim), payload) || return
            claim.payload = payload unless value.nil? || payload.empty?
            [status.to_sym, *value]
          end

          def park_flow(claim, cancellable: true)
            ask(:park_flow, claim, cancellable ? 1 : 0, scheduled(claim))&.to_sym
          end

          def continue_flow(claim, payload) = true?(ask(:continue_flow, claim, payload))

          def stall_flow(claim, message, seconds)
            true?(ask(:stall_flow, claim, message, seconds, scheduled(claim)))
          end

          def close_flow(claim, status, result: nil, error: nil)
            true?(ask(:close_flow, claim, status, result.to_s, *KeyValues.optional(error)))
          end

          def signal_flow(id, name, payload, key: nil)
            true?(@redis.script(:signal_flow, id, name, payload, *KeyValues.optional(key)))
          end

          def cancel_flow(id) = @redis.script(:cancel_flow, id, safe: true) == 1

          def flow(id) = read_all([id]).first

          def flow_steps(id) = FlowReader.steps(@redis.call("HGETALL", "raffia:flow_steps:#{id}"))

          def flows(status: nil, offset: 0, limit: 50)
            read_all(status ? newest(status, offset, limit).map(&:first) : among_all(offset, limit))
          end

          def flow_counts(**)
            numbers = @redis.with(safe: true) do |connection|
              connection.pipelined do |all|
                STATUSES.each { |status| all.call("ZCARD", "raffia:flows:#{status}") }
              end
            end
            STATUSES.zip(numbers).to_h.select { |_, number| number.positive? }
          end

          private

          # Nil when the claim is not valid any more. A script that is repeated after a lost answer
          # finds what it has recorded.
          def ask(name, claim, *arguments, unread: false)
            id = claim.item["jid"]
            answer = @redis.script(name, claim.lease.token, claim.field, id,
              (claim.read unless unread).to_s, *arguments, safe: true)
            raise Error, Store::Flows.missing(id) if answer == NONE

            answer
          end

          def true?(answer) = answer && answer == 1

          # Without the time of the enqueue.
          def scheduled(claim) = Payload.dump(claim.item.except("enqueued_at"))

          # Without deaths of workers; '' when there were none.
          def uncharged(claim)
            claim.extras&.key?("crashes") ? Store::Rewrite.uncharged(claim.payload) : ""
          end

          def read_all(ids)
            answers = @redis.with(safe: true) do |connection|
              connection.pipelined { |all| ids.each { |id| FlowReader.read(all, id) } }
            end
            ids.zip(answers.each_slice(2)).filter_map do |id, (fields, signals)|
              FlowReader.to_h(id, fields, signals) unless fields.empty?
            end
          end

          # Ids and numbers.
          def newest(status, offset, limit)
            return [] if limit < 1

            @redis.call("ZRANGE", "raffia:flows:#{status}", offset, offset + limit - 1, "REV",
              "WITHSCORES")
          end

          def among_all(offset, limit)
            found = STATUSES.flat_map { |status| newest(status, 0, offset + limit) }
            found.sort_by { |_, number| -number.to_f }.map(&:first)[offset, limit] || []
          end
        end
      end
    end
  end
end
