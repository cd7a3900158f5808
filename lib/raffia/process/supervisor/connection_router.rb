# frozen_string_literal: true

require_relative "reuseport_filter"

module Raffia
  module Process
    class Supervisor
      # Sends new connections only to slots whose worker serves, where each slot has a socket of its
      # own (SO_REUSEPORT), and while others are there, not to one that is behind. A worker that
      # serves accepts what waits at other slots.
      #
      # @api private
      class ConnectionRouter
        INTERVAL = 0.1

        # `share`: a queue that stands at a worker that serves is shared with another one. `behind`:
        # see {Settings}, or nil.
        def initialize(slots, share: false, behind: nil)
          @slots = slots
          @share = share
          @behind = behind
          @standing = {}.compare_by_identity
          @known = []
          @groups = []
          @asked = {}.compare_by_identity
          @turn = 0
        end

        # While workers are held, another supervisor chooses.
        def step(now, held = false)
          return @serving = nil if held

          regroup unless @known == @slots
          return if @groups.empty?

          serving = @slots.select { |slot| slot.serving?(now) }
          return if serving.empty?

          targets = available(serving)
          select(targets) unless targets == @targets
          (@slots - serving).each do |slot|
            redirect(slot, targets, now) unless slot.accepting?(now)
          end
          share(serving, now) if @share
        end

        private

        def regroup
          @known = @slots.dup
          @groups = ReuseportFilter.groups(@slots.map(&:ios)).reject(&:one?)
          @asked.clear
          @targets = nil
        end

        # All when all are behind.
        def available(serving)
          return serving unless @behind

          ready = serving.reject { |slot| @behind.call(slot.index, slot.current.row) }
          ready.empty? ? serving : ready
        end

        def select(targets)
          @targets = targets
          sockets = targets.flat_map(&:ios)
          @groups.each do |group|
            live = group.each_index.select { |number| sockets.include?(group[number]) }
            ReuseportFilter.apply(group.first, (live.size == group.size) ? [] : live)
          end
        end

        # The kernel may still add connections whose handshake began before, so this repeats.
        def redirect(slot, targets, now)
          return if now < @asked.fetch(slot, 0) || !queued?(slot)

          @asked[slot] = now + INTERVAL
          targets[(@turn += 1) % targets.size].current.accept_from(slot.ios)
        end

        # New sockets get new connections alone: a worker that was started because of a queue would
        # never see it. Only a queue that is there twice stands.
        def share(serving, now)
          return if now < @asked.fetch(:share, 0)

          @asked[:share] = now + INTERVAL
          queued, idle = serving.partition { |slot| queued?(slot) }
          standing = queued.select { |slot| @standing.key?(slot) }
          @standing = queued.to_h { |slot| [slot, true] }.compare_by_identity
          standing.first(idle.size).each do |slot|
            idle[(@turn += 1) % idle.size].current.accept_from(slot.ios)
          end
        end

        def queued?(slot)
          @groups.any? do |group|
            (group & slot.ios).any? { |io| ReuseportFilter.queued(io).positive? }
          end
        end
      end
    end
  end
end
