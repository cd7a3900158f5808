# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Calls that wait for a commit. One of them leads at a time, and serves those that wait
        # then.
        # @api private
        class CommitQueue
          # Most calls of one transaction.
          GROUP = 1000

          def initialize
            @guard = Thread::Mutex.new
            @waiting = []
            @leader = false
          end

          # @param call [GroupCommit::Call]
          # @yieldparam group [Array<GroupCommit::Call>] to serve, when this one leads
          # @return [void] when it has been served
          def enter(call, &serve)
            lead(&serve) if join(call) || call.signal.pop == :lead
          ensure
            leave(call)
          end

          private

          # @return [Boolean] whether this one leads
          def join(call)
            @guard.synchronize do
              @waiting << call
              @leader ? false : (@leader = call)
            end
          end

          # An interrupted leader leaves the rest to the next one.
          def lead(group = nil)
            # Callers of the last group may come back at once: without this, each of them would get
            # a flush, and the rest another one.
            sleep(0) if @company
            @guard.synchronize { group = @waiting.shift(GROUP) }
            @company = group.size > 1
            yield group
            served = group
          ensure
            hand_over(group || [], served || [])
          end

          def hand_over(group, served)
            @guard.synchronize do
              @waiting.unshift(*(group - served))
              served.each { |call| call.signal << :done unless call.equal?(@leader) }
              appoint
            end
          end

          # Removes a call that was interrupted while it waited and is not being served.
          def leave(call)
            @guard.synchronize do
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
