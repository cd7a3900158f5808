# frozen_string_literal: true

module Ledger
  # Notes what the store gave to a worker, and what it took.
  module Recorder
    def claim(...)
      from = monotonic
      super.tap { |claims| note_claims(claims, from, monotonic) }
    end

    def ack(claims)
      super.tap do |ours|
        taken = claims.zip(ours).filter_map { |claim, mine| claim if mine }
        HISTORY.note(:acked, taken.map { |claim| claim.item["jid"] })
        note_acks(taken)
      end
    end

    # Before it: a kill in between makes the check of rates milder, and not wrong.
    def release(claims, begun: true)
      unless begun
        HISTORY.note(:refunded_rate, claims.filter_map { |claim|
          key = claim.extras&.dig("rate", "key") and "#{key} #{monotonic} #{monotonic}"
        })
      end
      super
    end

    private

    def monotonic = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC).round(4)

    # A job that was claimed ahead begins after its delay.
    def note_claims(claims, from, to)
      rated = claims.filter_map do |claim|
        key = claim.extras&.dig("rate", "key") or next
        times = [from, to].map { |time| (time + claim.delay.to_f).round(4) }
        "#{key} #{times.join(" ")}"
      end
      fair = claims.filter_map do |claim|
        tenant = claim.extras&.dig("fair", "key") and "#{claim.item["jid"]} #{tenant}"
      end
      HISTORY.note(:claimed_rate, rated)
      HISTORY.note(:claimed_fair, fair)
    end

    def note_acks(claims)
      nodes = claims.filter_map do |claim|
        node = claim.extras&.fetch("workflow", nil)
        "#{node["id"]}/#{node["node"].tr(" ", "_")}" if node
      end
      calls = claims.filter_map do |claim|
        call = claim.extras&.fetch("callback", nil) and "#{call["batch"]}/#{call["event"]}"
      end
      HISTORY.note(:acked_node, nodes)
      HISTORY.note(:called_back, calls)
    end
  end
end
