# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Flows and their signals, and the ends of their jobs.
        # @api private
        class FlowTable
          ADD = "INSERT INTO {flows} (id, job, class, parent, abandon, encrypted, " \
            "started_at) VALUES ($1, $2, $3, $4, $5, $6, {now})"
          OPEN = "status NOT IN ('done', 'cancelled', 'failed')"
          ENDED = "SELECT id, parent FROM {flows} WHERE job = $1 AND #{OPEN} {lock}".freeze
          END_FLOW = "UPDATE {flows} SET status = $2, result = $3, error = $4, ended_at = {now} " \
            "WHERE id = $1"
          REVIVE = "UPDATE {flows} SET status = 'pending', ended_at = NULL WHERE job = $1"
          LOCK = "SELECT id FROM {flows} WHERE id = $1 AND #{OPEN} {lock}".freeze
          SIGNAL = "INSERT INTO {flow_signals} (flow, name, dedup, number, payload, taken) " \
            "VALUES ($1, $2, $3, $4, $5, 0) {ignore flow,name,dedup}"
          WAITING = "SELECT j.id, j.queue, j.payload, j.priority, j.fair_key, j.fair_weight " \
            "FROM {jobs} AS j, {flows} AS f WHERE f.id = $1 AND f.status = 'waiting' " \
            "AND j.id = f.job AND j.state = 'scheduled' {lock}"
          AWAITED = "SELECT 1 FROM {flow_steps} WHERE flow = $1 AND value IS NULL AND awaits = $2"
          JOB = "SELECT id, queue, payload, priority, fair_key, fair_weight FROM {jobs} " \
            "WHERE id = $1"
          OLD = "SELECT id FROM {flows} WHERE ended_at < {now} - $1 ORDER BY ended_at LIMIT 1000"
          DELETIONS = ["DELETE FROM {flow_steps} WHERE flow = $1",
            "DELETE FROM {flow_signals} WHERE flow = $1",
            "DELETE FROM {flows} WHERE id = $1"].freeze

          # The block moves a row of WAITING to its queue.
          def initialize(&promote)
            @promote = promote
          end

          def add(db, number, jid, about)
            db.run(ADD, jid, number, about["class"], about["parent"], about["abandon"] ? 1 : 0,
              about["encrypted"] ? 1 : 0)
          end

          # The ends of jobs; `how` is :done or :dead.
          def jobs_ended(db, ids, how)
            ids.each do |job|
              id, parent = db.rows(ENDED, job).first
              next unless id
              next settle(db, id, parent, "done") if how == :done

              settle(db, id, parent, "failed", nil, failure(db, job))
            end
          end

          def settle(db, id, parent, status, result = nil, error = nil)
            db.run(END_FLOW, id, status, result, error)
            return unless parent && db.rows(LOCK, parent).any?

            name, payload = Store::Flows.child_signal(id, status, result, error)
            send_signal(db, parent, name, payload, nil)
          end

          # Returns nil when the flow has ended or does not exist, false when the signal is not new.
          def signal(db, id, name, payload, key)
            return if db.rows(LOCK, id).empty?

            send_signal(db, id, name, payload, key)
          end

          # Moves the job of a flow that waits to its queue.
          def wake(db, id)
            row = db.rows(WAITING, id).first or return
            db.run("UPDATE {flows} SET status = 'running' WHERE id = $1", id)
            promote(db, row)
          end

          # Moves a scheduled job to the back of its queue.
          def requeue(db, job) = promote(db, db.rows(JOB, job).first)

          # A dead job is tried again.
          def revived(db, job) = db.run(REVIVE, job)

          def prune(db, seconds)
            db.rows(OLD, seconds.to_f).each { |id,| DELETIONS.each { |sql| db.run(sql, id) } }
          end

          private

          # A job that is not kept has none.
          def failure(db, job)
            _, _, payload = db.rows(JOB, job).first
            Store::Flows.failure(payload) if payload
          end

          def promote(db, row)
            @promote.call(db, row)
            db.wake([row[1]])
          end

          def send_signal(db, id, name, payload, key)
            number = db.numbers(1).first
            dedup = key ? "=#{key}" : "##{number}"
            return false if db.run(SIGNAL, id, name, dedup, number, payload).zero?

            wake(db, id) if db.rows(AWAITED, id, name).any?
            true
          end
        end
      end
    end
  end
end
