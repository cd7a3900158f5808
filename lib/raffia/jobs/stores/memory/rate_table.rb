# frozen_string_literal: true

require_relative "rate_key"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Rates by their keys, with the jobs that they block.
        # @api private
        class RateTable
          def initialize
            @rules = {}
            @keys = {}
            @next_at = nil
          end

          # When the next key with blocked jobs opens.
          attr_reader :next_at

          # Takes the job's cost from its rate. Returns when it may start, nil if there is too
          # little.
          def start(job, now, ahead) = job.rate ? fetch(job).start(job, now, ahead) : now

          def refund(job, now) = (fetch(job).refund(job, now) if job.rate)

          # Adds a blocked job.
          def add(job)
            key = fetch(job)
            key.block(job, job.at)
            @next_at = [@next_at, key.opens_at].compact.min
          end

          def remove(job) = @keys[job.rate["key"]].remove(job)

          def [](key) = @keys[key]

          def close(key, ends_at)
            (@keys[key] ||= RateKey.new(key, @rules)).close(ends_at)
            find_next
          end

          # Replaces the rule of jobs; nil does not.
          def change(name, rule, now)
            rule ? @rules[name] = rule : @rules.delete(name)
            @keys.each_value { |key| key.reopen(now) }
            find_next
          end

          # Jobs that may start now, out of their keys.
          def due(now, ahead)
            latest = now + (ahead ? Store::RateLimiter::LEAD : 0)
            return [] unless @next_at&.<=(latest)

            @keys.each_value.flat_map { |key| key.due(now, ahead) }.tap { find_next }
          end

          def size = @keys.sum { |_, key| key.blocked.size }

          def to_a = @keys.values.flat_map(&:blocked).sort_by(&:at)

          # Keys that are as if they had never been used are forgotten.
          def prune(now) = @keys.delete_if { |_, key| key.idle?(now) }

          def keys = @keys.values.sort_by { |key| [-key.blocked.size, key.name] }

          private

          def find_next = @next_at = @keys.each_value.filter_map(&:opens_at).min

          def fetch(job)
            name = job.rate["key"]
            (@keys[name] ||= RateKey.new(name, @rules)).use(job)
          end
        end
      end
    end
  end
end
