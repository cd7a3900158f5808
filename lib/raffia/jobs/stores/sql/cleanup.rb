# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Frees what an ended job held: its unique key, and its places in a batch, a workflow
        # and a limit.
        # @api private
        class Cleanup
          Job = Struct.new(:id, :special, :limit_key, :unique_key, :batch, :jid, :workflow, :node)
          # Columns that statements return when they end jobs.
          COLUMNS = "id, special, limit_key, unique_key, batch, jid, workflow, node"
          BLOCKED = "SELECT id, place FROM {jobs} WHERE limit_key = $1 AND state = 'blocked' " \
            "AND rated = 0 AND place > $2 ORDER BY place LIMIT 1"
          # Before the places of all jobs; those that came back to the front have negative ones.
          LOWEST_PLACE = -(2**62)
          # The job keeps its place, before all that came since it was blocked.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', at = {now} WHERE id = $1 " \
            "AND state = 'blocked' AND rated = 0 " \
            "{returning} queue, id, priority, fair_key, fair_weight"
          TURN = "UPDATE {jobs} SET pass = $2 WHERE id = $1"
          DROP = "DELETE FROM {jobs} WHERE id = $1 {returning} #{COLUMNS}".freeze
          FREE_KEY = "DELETE FROM {uniques} WHERE key = $1 AND job = $2"

          # Value of `special` of jobs with a flow.
          FLOW = 2

          def initialize(counter, flow_table, workflows)
            @counter = counter
            @flow_table = flow_table
            @workflows = workflows
          end

          # `how` is :done or :dead. `unblock` is false for jobs that had not come to their turn.
          # `results` has results by the ids of jobs.
          def ended(db, rows, how, unblock: true, results: {})
            jobs = rows.filter_map { |row| Job.new(*row) unless row[1].zero? }
            return if jobs.empty?

            # In an order: others that end jobs with the same keys wait, instead of a deadlock.
            jobs.select(&:unique_key).sort_by(&:unique_key)
              .each { |job| free_key(db, job.unique_key, job.id) }
            flows = jobs.select { |job| job.special == FLOW }
            @flow_table.jobs_ended(db, flows.map(&:id), how) unless flows.empty?
            @counter.ended(db, jobs.filter_map(&:batch).sort.tally, how)
            @workflows.ended(db, jobs.select(&:workflow), how, results)
            unblock(db, jobs.map(&:limit_key)) if unblock
          end

          # For jobs that wait again. Those of workflows that were cancelled end, but for durable
          # functions.
          def stopped(db, *rows) = recovered(db, [], rows)

          # Both in one transaction, which locks limits after all else. The first have died.
          def recovered(db, dead, rows)
            ended(db, dead, :dead, unblock: false)
            jobs = rows.map { |row| Job.new(*row.first(Job.members.size)) }
              .select { |job| job.workflow && job.special != FLOW }
            jobs.group_by(&:workflow).sort.reverse_each do |id, some|
              drop(db, some) if @workflows.cancelling?(db, id)
            end
            unblock(db, (dead + rows).map { |row| row[2] })
          end

          # Only its owner frees a key.
          def free_key(db, key, id) = db.run(FREE_KEY, key, id)

          # Returns the oldest job that each key blocks, once for each time that it is named.
          def unblock(db, limit_keys)
            limit_keys = limit_keys.compact.sort # claims lock them in this order, too
            db.lock_in_order(limit_keys.map { |key| "limit:#{key}" }) if limit_keys.size > 1
            limit_keys.each { |key| unblock_next(db, key) }
          end

          def drop(db, jobs)
            ended(db, jobs.flat_map { |job| db.rows(DROP, job.id) }, :dead, unblock: false)
          end

          # Returns the oldest job that the key blocks to its queue.
          def unblock_next(db, limit_key)
            return unless limit_key

            db.lock("limit:#{limit_key}")
            queue, id, priority, key, weight = unblock_first(db, limit_key)
            return unless queue

            pass = FairTurns.new(db).next_of_key(queue, priority, key, weight) if key
            db.run(TURN, id, pass) if pass
            db.wake([queue])
          end

          private

          # The first may leave while this waits for its row: then the next one comes.
          def unblock_first(db, limit_key)
            place = LOWEST_PLACE
            loop do
              id, place = db.rows(BLOCKED, limit_key, place).first
              return unless id

              row = db.rows(UNBLOCK, id).first
              return row if row
            end
          end
        end
      end
    end
  end
end
