# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Writes plain jobs as Sidekiq's clients do, in one round trip and without a script.
        class Enqueue < Store::Enqueue
          needs :redis, :format

          def enqueue(drafts, precondition: nil)
            return [] if drafts.empty? && precondition.nil?

            now = Time.now.to_f
            return enqueue_by_script(drafts, precondition, now) if precondition ||
              drafts.any?(&:extras)

            queues, later = commands(drafts, now)
            @redis.with { |connection| write(connection, queues, later) }
            drafts.map(&:jid)
          end

          # Arguments of scripts that add drafts.
          def arguments(drafts, now = Time.now.to_f)
            drafts.flat_map do |draft|
              [draft.jid, draft.queue, payload(draft, now), later?(draft, now) ? draft.at : ""]
            end
          end

          # Raises {NotUnique} or {Error} when such a script has refused them: it has done nothing.
          def check(answer)
            return unless answer.is_a?(String)

            what, key = answer.split(" ", 2)
            raise NotUnique.new(key: key) if what == "unique"

            raise Error, Store::Batches.missing(key)
          end

          private

          def later?(draft, now) = draft.at && draft.at > now

          def payload(draft, now)
            due = draft.at && !later?(draft, now)
            @format.outgoing(due ? Store::Rewrite.queued(draft.payload) : draft.payload)
          end

          # Payloads by queue, and times and payloads of scheduled jobs.
          def commands(drafts, now)
            queues = {}
            later = []
            drafts.each do |draft|
              text = payload(draft, now)
              later?(draft, now) ? later.push(draft.at, text) : (queues[draft.queue] ||= []) << text
            end
            [queues, later]
          end

          # One command for each key; a single one needs no transaction.
          def write(connection, queues, later)
            if queues.size + later.size == 1
              connection.pipelined { |pipeline| push(pipeline, queues) }
            else
              connection.multi { |transaction| push(transaction, queues, later) }
            end
          end

          def push(pipeline, queues, later = [])
            pipeline.call_v(["SADD", "queues", *queues.keys]) unless queues.empty?
            queues.each do |queue, payloads|
              pipeline.call_v(["LPUSH", "queue:#{queue}", *payloads])
            end
            pipeline.call_v(["ZADD", "schedule", *later]) unless later.empty?
          end

          def enqueue_by_script(drafts, precondition, now)
            key, expect, value = precondition ?
              [precondition.key, precondition.expect, precondition.value] : ["", nil, nil]
            condition = [key, *KeyValues.optional(expect), *KeyValues.optional(value)]
            kept = @redis.script(:enqueue, *condition, *arguments(drafts, now))
            return if kept.nil?

            check(kept)
            drafts.zip(kept).map { |draft, yes| draft.jid if yes == 1 }
          end
        end
      end
    end
  end
end
