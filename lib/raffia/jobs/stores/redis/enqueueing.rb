# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Jobs come in. Those that Sidekiq knows all about are written as its clients do it, in one
        # round trip and without a script.
        module Enqueueing
          # @see Store#enqueue
          def enqueue(drafts, guard: nil)
            return [] if drafts.empty? && guard.nil?

            now = Time.now.to_f
            rows = drafts.map { |draft| row(draft, now) }
            return enqueue_by_script(drafts, rows, guard) if guard || drafts.any?(&:extras)

            redis { |connection| keep(connection, rows) }
            drafts.map(&:jid)
          end

          private

          # @return [Array] queue, payload, time or ""
          def row(draft, now)
            if draft.at && draft.at > now
              return [draft.queue, @dialect.outgoing(draft.payload), draft.at]
            end
            return [draft.queue, @dialect.outgoing(draft.payload), ""] unless draft.at

            [draft.queue, @dialect.outgoing(Store::Rewrite.queued(draft.payload)), ""]
          end

          # What goes to one key is one command, and needs no transaction.
          def keep(connection, rows)
            queues = {}
            later = []
            rows.each do |queue, payload, at|
              (at == "") ? (queues[queue] ||= []) << payload : later.push(at, payload)
            end
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

          def enqueue_by_script(drafts, rows, guard)
            check = if guard
              [guard.key, *optional(guard.expect), *optional(guard.value)]
            else
              ["", *optional(nil), *optional(nil)]
            end
            kept = script(:enqueue, *check,
              *drafts.zip(rows).flat_map { |draft, row| [draft.jid, *row] })
            return if kept.nil?
            refuse(*kept.split(" ", 2)) if kept.is_a?(String)

            drafts.zip(kept).map { |draft, yes| draft.jid if yes == 1 }
          end

          # Redis knows no nil.
          def optional(value) = value.nil? ? [0, ""] : [1, value]

          def refuse(what, key)
            raise NotUnique.new(key: key) if what == "unique"

            raise Error, "there is no batch #{key}: open it before its jobs are enqueued"
          end
        end
      end
    end
  end
end
