# frozen_string_literal: true

require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Batches)
        class Batches < Store::Batches
          Batch = Struct.new(:id, :total, :pending, :dead, :sealed, :completed_at, :about, :parent,
            :callbacks, :dead_in_parent) do
            def to_h = super.except(:callbacks, :dead_in_parent).transform_keys(&:to_s)
          end

          # @yieldparam draft [Draft] a callback, to be enqueued
          def initialize(lock, &enqueue)
            @lock = lock
            @enqueue = enqueue
            @batches = {}
          end

          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            @lock.synchronize do
              add(parent) if parent && fetch(parent)
              @batches[id] = Batch.new(id, 0, 0, 0, false, nil, about, parent, callbacks.dup, false)
              nil
            end
          end

          def seal_batch(id)
            @lock.synchronize do
              next unless (batch = @batches[id])

              batch.sealed = true
              settle(batch)
              @lock.broadcast
              nil
            end
          end

          def batch(id) = @lock.synchronize { @batches[id]&.to_h }

          def batches(offset: 0, limit: 50)
            @lock.synchronize { (@batches.values.reverse[offset, limit] || []).map(&:to_h) }
          end

          # @raise [Error]
          def fetch(id)
            @batches[id] || raise(Error, "there is no batch #{id}: it was not opened here, or " \
              "has been thrown away since it ended")
          end

          # Counts a new job.
          def add(id)
            return unless (batch = @batches[id])

            batch.total += 1
            batch.pending += 1
          end

          # Counts the end of a job.
          # @param how [Symbol] :done or :dead
          def ended(id, how)
            return unless (batch = @batches[id])

            batch.pending -= 1
            batch.dead += 1 if how == :dead
            settle(batch)
          end

          # Counts a dead job that is tried again.
          def revived(id)
            return unless (batch = @batches[id])

            batch.pending += 1
            batch.dead -= 1
          end

          def prune(before)
            @batches.delete_if do |_, batch|
              batch.completed_at && batch.completed_at < before && batch.pending.zero?
            end
          end

          private

          def settle(batch)
            call(batch, "death") if batch.dead > 0
            return unless batch.sealed && batch.pending.zero?

            call(batch, "complete")
            call(batch, "success") if batch.dead.zero?
            first = batch.completed_at.nil?
            batch.completed_at ||= Time.now.to_f
            update_parent(batch, first) if @batches.key?(batch.parent)
          end

          # Enqueues a callback at the first time only.
          def call(batch, event)
            draft = batch.callbacks.delete(event)
            @enqueue.call(draft) if draft
          end

          # Comes after the callbacks: those that belong to the parent count there already, so it
          # does not end without them.
          def update_parent(batch, first)
            if first
              batch.dead_in_parent = batch.dead > 0
              ended(batch.parent, batch.dead_in_parent ? :dead : :done)
            elsif batch.dead_in_parent && batch.dead.zero?
              batch.dead_in_parent = false
              @batches[batch.parent].dead -= 1
              settle(@batches[batch.parent])
            end
          end
        end
      end
    end
  end
end
