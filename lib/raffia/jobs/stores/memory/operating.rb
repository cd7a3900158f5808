# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # What people do by hand, and what is done now and then.
        module Operating
          # (see Store#promote)
          def promote(limit = 1000)
            sync do |all|
              now = Time.now.to_f
              limit.times do
                job = all.place(:scheduled).shift(now) || all.place(:retry).shift(now) || break
                enqueue_anew(all, job, Store::Rewrite.queued(job.payload))
              end
              all.next_due&.then { |at| (at - now).clamp(0..) }
            end
          end

          # (see Store#prune)
          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            sync do |all|
              now = Time.now.to_f
              dead = all.place(:dead)
              nil while dead.shift(now - dead_for)
              nil while dead.size > dead_max && dead.shift(now)
              all.batches.prune(now - batches_for)
              all.values.prune
              all.uniques.prune(now)
              nil
            end
          end

          # (see Store#delete)
          def delete(entries)
            operate(entries, Store::SETS - %i[running]) do |all, job, from|
              all.finished(job, :dead) unless from == :dead
            end
          end

          # (see Store#requeue)
          def requeue(entries)
            operate(entries, %i[scheduled retry blocked dead]) do |all, job, from|
              if from == :dead
                all.batches.revived(job.batch)
                job.suspect = false
              end
              enqueue_anew(all, job, (from == :dead) ? Store::Rewrite.anew(job.payload) :
                Store::Rewrite.queued(job.payload))
            end
          end

          # (see Store#kill)
          def kill(entries)
            operate(entries, %i[queue scheduled retry]) { |all, job, _| all.bury(job) }
          end

          # (see Store#clear)
          def clear(set, queue: nil)
            delete(entries(set, queue: queue, limit: nil))
              .tap { sync { |all| all.queues.forget(queue) } if set == :queue }
          end

          # (see Store#pause)
          def pause(queue)
            sync do |all|
              all.queues.pause(queue)
              nil
            end
          end

          # (see Store#resume)
          def resume(queue)
            sync do |all|
              all.queues.resume(queue)
              wake
              nil
            end
          end

          # (see Store#order)
          def order(identity, order)
            sync { |all| !all.leases.find(identity)&.orders&.push(order).nil? }
          end

          private

          def operate(entries, sets)
            sync do |all|
              there = entries.select do |entry|
                sets.include?(entry.set) && entry.ref.entry == entry
              end
              there.each do |entry|
                all.take(entry.ref)
                yield all, entry.ref, entry.set
              end
              wake
              there.size
            end
          end

          def enqueue_anew(all, job, payload)
            job.payload = payload
            all.put(job, :queue)
            wake
          end
        end
      end
    end
  end
end
