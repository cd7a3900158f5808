# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Leases, and the jobs that they hold: the set `running`.
        # @api private
        class LeaseTable
          # One worker's lease; `held` has its jobs by the number of the claim.
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

            def expired? = @ends <= Clock.now

            def take_orders = @orders.slice!(0..)

            def to_h
              @info.merge(@state, "identity" => @lease.identity, "beat" => @beat,
                "lease" => @lease.token)
            end
          end

          def initialize
            @token = 0
            @number = 0
            @holders = {}
          end

          def add_lease(identity, info, ttl)
            lease = Lease.new(identity: identity, token: @token += 1, ttl: ttl)
            @holders[lease.token] = Holder.new(lease, info)
            lease
          end

          # The lease's holder, nil when it has expired.
          def [](lease)
            holder = @holders[lease.token]
            holder unless holder.nil? || holder.expired? || holder.lease.identity != lease.identity
          end

          def find(identity) = valid.find { |holder| holder.lease.identity == identity }

          def valid = @holders.each_value.reject(&:expired?)

          def expired = @holders.each_value.select(&:expired?)

          def delete(lease) = @holders.delete(lease.token)

          def hold(holder, job)
            holder.held[@number += 1] = job
            Claim.new(holder.lease, @number, job.queue, job.payload)
          end

          # Nil when the claim is not valid any more.
          def drop(claim) = @holders[claim.lease.token]&.held&.delete(claim.ref)

          # The job of a claim, nil when the claim is not valid any more.
          def job(claim) = @holders[claim.lease.token]&.held&.[](claim.ref)

          # Claims of one lease, oldest first.
          def claims(lease)
            @holders[lease.token]&.held.to_h
              .map { |ref, job| Claim.new(lease, ref, job.queue, job.payload) }
          end

          # The id, the lease's token and the time of each claim.
          def claim_times
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
