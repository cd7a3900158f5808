# frozen_string_literal: true

require_relative "commit_queue"
require_relative "driver"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Group commit: the first caller becomes the leader. Its transaction includes the calls that
        # others made meanwhile, and one flush of the log serves them all. While it waits for the
        # disk others line up, and the first of them leads next.
        # @api private
        class GroupCommit
          # A caller's transaction.
          class Call
            # @return [Proc]
            attr_reader :block
            attr_reader :durable
            # @return [Thread::Queue] gets :lead or :done
            attr_reader :signal
            # @return [Object] of the block
            attr_accessor :value
            # @return [Exception, nil]
            attr_accessor :error
            # @return [Boolean] whether it is in the log, though perhaps not on disk
            attr_accessor :committed

            def initialize(block, durable)
              @block = block
              @durable = durable
              @signal = Thread::Queue.new
            end
          end

          # @param transaction [SharedTransaction]
          # @param log [WriteAheadLog]
          # @param flushes [Boolean] whether commits must be on disk before calls return
          # @yield after commits with jobs
          def initialize(transaction, log, flushes:, &notify)
            @transaction = transaction
            @log = log
            @flushes = flushes
            @notify = notify
            @queue = CommitQueue.new
          end

          # @param durable [Boolean]
          # @yieldparam db [Connection]
          # @return [Object] the block's value
          # @raise [Exception] of the block; then it has done nothing
          # @raise [StoreUnavailable]
          def call(durable, &block)
            call = Call.new(block, durable)
            @queue.enter(call) { |group| serve(group) }
            call.error ? raise(call.error) : call.value
          end

          private

          # @param group [Array<Call>] a leader that was interrupted may have committed some of them
          def serve(group)
            fresh = group.reject(&:committed)
            @transaction.run(fresh) unless fresh.empty?
            @transaction.notify(&@notify)
            flush if @flushes && @transaction.unflushed? && flush_wanted?(group)
          rescue StoreUnavailable => error
            group.each { |call| call.error ||= error.dup } # each is raised to another caller
          end

          def flush_wanted?(group) = group.any? { |call| call.durable && !call.error }

          # After a failed flush the disk's state is unknown, and another flush would not tell it.
          def flush
            @transaction.flushing { Driver.guard(@log.path) { @log.flush } }
          end
        end
      end
    end
  end
end
