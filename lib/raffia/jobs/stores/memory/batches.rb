# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Batches < Store::Batches
          Batch = Struct.new(:id, :total, :pending, :dead, :sealed, :completed_at, :about, :parent,
            :callbacks, :dead_in_parent) do
            def to_h = super.except(:callbacks, :dead_in_parent).transform_keys(&:to_s)
          end

          needs :lock, :callback

          def initialize(...)
            super
            @batches = {}
          end

          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            add(parent) if parent && fetch(parent)
            @batches[id] = Batch.new(id, 0, 0, 0, false, nil, about, parent, callbacks.dup, false)
            nil
          end

          def seal_batch(id)
            return unless (batch = @batches[id])

            batch.sealed = true
            settle(batch)
            @lock.broadcast
            nil
          end

          def batch(id) = @batches[id]&.to_h

          def batches(offset: 0, limit: 50)
            (@batches.values.reverse[offset, limit] || []).map(&:to_h)
          end

          # Raises {Error} for an unknown batch.
          def fetch(id) = @batches[id] || raise(Error, Store::Batches.missing(id))

          # Counts a new job.
          def add(id)
            return unless (batch = @batches[id])

            batch.total += 1
            batch.pending += 1
          end

          # Counts the end of a job: `how` is :done or :dead.
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
          def call(batch, event) = batch.callbacks.delete(event)&.then(&@callback)

          # Comes after the callbacks: the parent counts those that belong to it first, so it does
          # not end without them.
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
