# frozen_string_literal: true

require_relative "writer/line"
require_relative "writer/transaction"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Group commit. Who comes first leads: its transaction takes along the calls that others
        # made meanwhile, and one flush of the log serves them all. While it waits for the disk
        # others line up, and the first of them leads next.
        # @api private
        class Writer
          # Most calls of one transaction.
          GROUP = 1000

          # @param transaction [Transaction]
          # @param log [Log]
          # @param flushes [Boolean] whether commits are to be on disk before calls return
          # @yield when there are jobs for who waits
          def initialize(transaction, log, flushes:, &ring)
            @transaction = transaction
            @log = log
            @flushes = flushes
            @ring = ring
            @line = Line.new
          end

          # @param durable [Boolean]
          # @yieldparam db [Connection]
          # @return [Object] the block's value
          # @raise [Exception] what the block raised; then it has done nothing
          # @raise [StoreUnavailable]
          def call(durable, &block)
            call = Call.new(block, durable)
            @line.enter(call) { |group| serve(group) }
            call.error ? raise(call.error) : call.value
          end

          private

          # @param group [Array<Call>] some of which may have been committed by a leader who had to
          #   go
          def serve(group)
            fresh = group.reject(&:committed)
            @transaction.run(fresh) unless fresh.empty?
            @transaction.ring(&@ring)
            if @flushes && @transaction.unflushed? &&
                group.any? { |call| call.durable && !call.error }
              flush
            end
          rescue StoreUnavailable => error
            group.each { |call| call.error ||= error.dup } # each is raised to another caller
          end

          # After a failed flush nobody knows what the disk has, and another flush would not say it.
          def flush
            @transaction.flushing { Driver.guard(@log.path) { @log.flush } }
          end
        end
      end
    end
  end
end
