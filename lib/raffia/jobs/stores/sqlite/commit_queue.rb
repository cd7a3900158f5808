# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Calls that wait for a commit. One of them leads at a time, and serves all that wait then.
        # @api private
        class CommitQueue
          GROUP = 1000

          def initialize
            @lock = Thread::Mutex.new
            @waiting = []
            @leader = false
          end

          # Returns when the call has been served. The leader's block serves a group.
          def enter(call, &serve)
            lead(&serve) if join(call) || call.signal.pop == :lead
          ensure
            leave(call)
          end

          private

          # Whether this one leads.
          def join(call)
            @lock.synchronize do
              @waiting << call
              @leader ? false : (@leader = call)
            end
          end

          # An interrupted leader leaves the rest to the next one.
          def lead(group = nil)
            # Callers of the last group may come back at once, and would otherwise get a flush each.
            sleep(0) if @grouped
            @lock.synchronize { group = @waiting.shift(GROUP) }
            @grouped = group.size > 1
            yield group
            served = group
          ensure
            release(group || [], served || [])
          end

          def release(group, served)
            @lock.synchronize do
              @waiting.unshift(*(group - served))
              served.each { |call| call.signal << :done unless call.equal?(@leader) }
              appoint
            end
          end

          # A call may be interrupted while it waits.
          def leave(call)
            @lock.synchronize do
              appoint if @waiting.delete(call) && call.equal?(@leader)
            end
          end

          def appoint
            @leader = @waiting.first
            @leader&.signal&.push(:lead)
          end
        end
      end
    end
  end
end
