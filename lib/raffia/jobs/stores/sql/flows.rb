# frozen_string_literal: true

require_relative "flow_rows"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Flows < Store::Flows
          # The claim's job is locked until the commit, so that nobody else can claim it meanwhile.
          CLAIMED = "SELECT jid FROM {jobs} WHERE id = $1 AND place = $2 AND token = $3 {lock}"
          FLOW = "SELECT id, parent, cancelled, steps FROM {flows} WHERE job = $1 {lock}"
          RECORD = "INSERT INTO {flow_steps} (flow, place, number, kind, name, value, at, " \
            "awaits) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) {ignore flow,place}"
          COUNT = "UPDATE {flows} SET steps = steps + 1 WHERE id = $1"
          PUBLISH = "UPDATE {flows} SET state = $2 WHERE id = $1"
          STATUS = "UPDATE {flows} SET status = $2, error = $3 WHERE id = $1"
          RECORDED = "SELECT value, at FROM {flow_steps} WHERE flow = $1 AND place = $2"
          COMPLETE = "UPDATE {flow_steps} SET value = $3 WHERE flow = $1 AND place = $2"
          SIGNAL = "SELECT dedup, payload FROM {flow_signals} WHERE flow = $1 AND name = $2 " \
            "AND taken = 0 ORDER BY number LIMIT 1"
          TAKE = "UPDATE {flow_signals} SET taken = 1 WHERE flow = $1 AND name = $2 AND dedup = $3"
          WAITS = "SELECT min(at), max(CASE WHEN at <= {now} OR awaits IN (SELECT name " \
            "FROM {flow_signals} WHERE flow = $1 AND taken = 0) THEN 1 ELSE 0 END) " \
            "FROM {flow_steps} WHERE flow = $1 AND value IS NULL"
          SCHEDULE = "UPDATE {jobs} SET state = 'scheduled', at = $4, token = NULL " \
            "#{Completion::OURS}".freeze
          RESTART = "UPDATE {jobs} SET state = 'scheduled', at = {now}, payload = $4, " \
            "token = NULL #{Completion::OURS}".freeze
          UNCHARGE = "UPDATE {jobs} SET payload = $2, priority = CASE WHEN " \
            "priority < #{Store::SUSPECTS} THEN priority ELSE priority - #{Store::SUSPECT} END " \
            "WHERE id = $1".freeze
          NEXT_RUN = "UPDATE {flows} SET run = run + 1, steps = 0, status = 'pending' " \
            "WHERE id = $1"
          CANCEL = "UPDATE {flows} SET cancelled = 1 WHERE id = $1"
          CHILDREN = "SELECT id FROM {flows} WHERE parent = $1 AND abandon = 0"
          ClaimedFlow = Struct.new(:id, :parent, :cancelled, :steps)
          private_constant :ClaimedFlow

          needs :database, :cleanup, :enqueue, :flow_table

          def load_flow(claim)
            held(claim) do |db, flow|
              found = FlowRows.find(db, flow.id)
              unless ENDED.include?(found["status"])
                db.run(STATUS, flow.id, found["status"] = "running", nil)
              end
              {**found, "history" => FlowRows.steps(db, flow.id)}
            end
          end

          def record_step(claim, step, drafts: [])
            held(claim) do |db, flow|
              if record(db, flow, step)
                db.run(PUBLISH, flow.id, step.value) if step.kind == "publish"
                @enqueue.insert(db, drafts) unless drafts.empty?
                uncharge(db, claim)
              end
              (flow.cancelled == 1) ? :cancelling : :running
            end
          end

          def await_step(claim, step, seconds, park: true, cancellable: true)
            left(claim) do
              held(claim) do |db, flow|
                value, at = db.rows(RECORDED, flow.id, step.place).first
                next [:done, value] if value
                next [:cancelling] if flow.cancelled == 1 && cancellable

                record(db, flow, step.with(at: at = deadline(db, seconds))) unless at
                value = outcome(db, flow, step, at)
                next uncharge(db, claim) || [:done, value] if value

                park ? [leave(db, claim, flow, at)] : [:pending]
              end
            end
          end

          def park_flow(claim, cancellable: true)
            left(claim) do
              held(claim) do |db, flow|
                at, ready = db.rows(WAITS, flow.id).first
                next :ready if at.nil? || ready == 1 || (flow.cancelled == 1 && cancellable)

                leave(db, claim, flow, at)
              end
            end
          end

          def continue_flow(claim, payload)
            left(claim) do
              held(claim) do |db, flow|
                db.run("DELETE FROM {flow_steps} WHERE flow = $1", flow.id)
                db.run(NEXT_RUN, flow.id)
                move(db, claim, RESTART, payload)
                @flow_table.requeue(db, claim.ref.first)
                true
              end
            end
          end

          def stall_flow(claim, message, seconds)
            left(claim) do
              held(claim) do |db, flow|
                db.run(STATUS, flow.id, "stuck", message)
                move(db, claim, SCHEDULE, deadline(db, seconds))
              end
            end
          end

          def close_flow(claim, status, result: nil, error: nil)
            held(claim) do |db, flow|
              @flow_table.settle(db, flow.id, flow.parent, status, result, error)
              true
            end
          end

          def signal_flow(id, name, payload, key: nil)
            @database.write { |db| @flow_table.signal(db, id, name, payload, key) }
          end

          def cancel_flow(id) = @database.write { |db| cancel(db, id) }

          def flow(id) = @database.read { |db| FlowRows.find(db, id) }

          def flow_steps(id) = @database.read { |db| FlowRows.steps(db, id) }

          def flows(status: nil, offset: 0, limit: 50)
            @database.read { |db| FlowRows.newest(db, status, offset, limit) }
          end

          def flow_counts(most: 1000)
            @database.read { |db| FlowRows.counts(db, most) }
          end

          private

          # Nil when the claim is not valid any more.
          def held(claim)
            @database.write do |db|
              job = claim.ref.first
              jid = db.rows(CLAIMED, *claim.ref, claim.lease.token).dig(0, 0) or next
              row = db.rows(FLOW, job).first or raise Error, Store::Flows.missing(jid)
              yield db, ClaimedFlow.new(*row)
            end
          end

          # For databases that keep a list of claims: the block may end this one.
          def left(_claim) = yield

          # Such a job is no suspect any more.
          def uncharge(db, claim)
            return unless claim.extras&.key?("crashes")

            db.run(UNCHARGE, claim.ref.first, Store::Rewrite.uncharged(claim.payload))
            nil
          end

          # False when the place has a step.
          def record(db, flow, step)
            return false if db.run(RECORD, flow.id, step.place, flow.steps, step.kind, step.name,
              step.value, step.at, step.signal).zero?

            db.run(COUNT, flow.id)
            true
          end

          def deadline(db, seconds)
            seconds ? db.rows("SELECT {now}").dig(0, 0).to_f + seconds : NEVER
          end

          # Nil: the wait goes on.
          def outcome(db, flow, step, at)
            key, payload = db.rows(SIGNAL, flow.id, step.signal).first if step.signal
            return if key.nil? && at > db.rows("SELECT {now}").dig(0, 0).to_f

            db.run(TAKE, flow.id, step.signal, key) if key
            "[#{payload&.dup&.force_encoding(Encoding::UTF_8)}]".tap do |value|
              db.run(COMPLETE, flow.id, step.place, value)
            end
          end

          def leave(db, claim, flow, at)
            db.run(STATUS, flow.id, "waiting", nil)
            move(db, claim, SCHEDULE, at)
            :parked
          end

          def move(db, claim, sql, value)
            row = db.rows(sql, *claim.ref, claim.lease.token, value).first
            @cleanup.stopped(db, row)
            db.wake([""]) # the schedule has changed
            true
          end

          def cancel(db, id)
            return false if db.rows(FlowTable::LOCK, id).empty?

            db.run(CANCEL, id)
            @flow_table.wake(db, id)
            db.rows(CHILDREN, id).each { |child,| cancel(db, child) }
            true
          end
        end
      end
    end
  end
end
