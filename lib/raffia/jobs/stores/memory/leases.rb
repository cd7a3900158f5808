# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../store/values"
require_relative "kept"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Workers, and the jobs that they hold.
        #
        # @api private
        class Leases
          # One worker: its jobs are those that it holds, by the number of the claim.
          class Holder
            attr_reader :lease, :orders, :held

            def initialize(lease, info)
              @lease = lease
              @info = info
              @state = {}
              @orders = []
              @held = {}
              renew
            end

            def renew(state = nil)
              @state = state if state
              @beat = Time.now.to_f
              @ends = Clock.now + @lease.ttl
            end

            def over? = @ends <= Clock.now

            # @return [Array<String>] once each
            def take_orders = @orders.slice!(0..)

            def to_h
              {**@info, **@state, "identity" => @lease.identity, "beat" => @beat,
                                  "lease" => @lease.token}
            end
          end

          def initialize
            @token = 0
            @number = 0
            @holders = {}
          end

          # @return [Lease]
          def enroll(identity, info, ttl)
            lease = Lease.new(identity: identity, token: @token += 1, ttl: ttl)
            @holders[lease.token] = Holder.new(lease, info)
            lease
          end

          # @return [Holder, nil] nil when it has run out
          def [](lease)
            holder = @holders[lease.token]
            holder unless holder.nil? || holder.over? || holder.lease.identity != lease.identity
          end

          # @return [Holder, nil] also when it has run out
          def held_by(lease) = @holders[lease.token]

          # @return [Holder, nil]
          def find(identity) = living.find { |holder| holder.lease.identity == identity }

          def living = @holders.each_value.reject(&:over?)

          def over = @holders.each_value.select(&:over?)

          def delete(lease) = @holders.delete(lease.token)

          # @return [Claim]
          def hold(holder, job)
            holder.held[@number += 1] = job
            Claim.new(holder.lease, @number, job.queue, job.payload)
          end

          # @return [Kept, nil] nil when the claim is ours no more
          def drop(claim) = @holders[claim.lease.token]&.held&.delete(claim.ref)

          # @return [Array<Array(String, Integer, Float)>] jid, token, and when it was claimed
          def claims
            @holders.flat_map do |token, holder|
              holder.held.values.map { |job| [job.jid, token, job.at] }
            end
          end

          def size = @holders.sum { |_, holder| holder.held.size }

          def to_a = @holders.values.flat_map { |holder| holder.held.values }.sort_by(&:at)
        end
      end
    end
  end
end
