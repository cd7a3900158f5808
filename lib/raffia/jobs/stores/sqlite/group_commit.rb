# frozen_string_literal: true

require_relative "commit_queue"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The first caller leads: its transaction includes calls that others made meanwhile, and one
        # flush of the log serves them all.
        # @api private
        class GroupCommit
          # A call of {#call}.
          class Call
            attr_reader :block
            attr_reader :durable
            # Gets :lead or :done.
            attr_reader :signal
            attr_accessor :value
            attr_accessor :error
            # Whether it is in the log, though perhaps not on disk.
            attr_accessor :committed

            def initialize(block, durable)
              @block = block
              @durable = durable
              @signal = Thread::Queue.new
            end
          end

          # `flushes`: commits must be on disk before calls return. The block runs after commits
          # with jobs.
          def initialize(transaction, log, flushes:, &notify)
            @transaction = transaction
            @log = log
            @flushes = flushes
            @notify = notify
            @queue = CommitQueue.new
          end

          # A block that raises has done nothing.
          def call(durable, &block)
            call = Call.new(block, durable)
            @queue.enter(call) { |group| serve(group) }
            call.error ? raise(call.error) : call.value
          end

          private

          # An interrupted leader may have committed some calls of the group.
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
            @transaction.flushing { Driver.translate_errors(@log.path) { @log.flush } }
          end
        end
      end
    end
  end
end
