# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # No window has more claims than its rate allows. A claim counts from the call's begin to its
    # end, so only what is certainly too much is found. A window in which a fault has reset the
    # store's clock or its latest rows does not count.
    class Rates < Check
      # Seconds by which the notes are inexact.
      TOLERANCE = 0.01
      # The rates of the load, see {Loads::Rate}.
      ALLOW = 25
      PER = 1.0
      BURST = 5

      def initialize(forgets)
        super()
        @forgets = forgets.map(&:to_s)
        @claims = Hash.new { |all, key| all[key] = [] }
        @refunds = Hash.new { |all, key| all[key] = [] }
        @faults = []
      end

      def see(event, id, values, torn: false)
        case event
        when :claimed_rate then @claims[id] << span(values)
        when :refunded_rate then @refunds[id] << span(values)
        when :fault then @faults << span(values) if @forgets.include?(id)
        end
      end

      def broken = @broken ||= @claims.flat_map { |key, claims| excesses(key, claims.sort) }

      def facts = {"rate starts" => @claims.values.sum(&:size), "over a rate" => broken.size}

      private

      def span(values) = values.split.map(&:to_f)

      def excesses(key, claims)
        most = key.include?("Bucket") ? BURST : ALLOW
        claims.each_index.filter_map do |index|
          from = claims[index][0]
          # Any number of starts of a bucket, and one more than a window allows.
          found = spans(key, claims, index, most).find { |count, to| over?(key, count, from, to) }
          "#{key}: #{found[0]} starts in #{(found[1] - from).round(3)} s" if found
        end
      end

      def spans(key, claims, index, most)
        to = 0
        some = claims[index, key.include?("Bucket") ? most + 2 * ALLOW : most + 1]
        some.each_with_index.map { |claim, count| [count + 1, to = [to, claim[1]].max] }
      end

      def over?(key, count, from, to)
        allowed = if key.include?("Bucket")
          BURST + 1 + (to - from + TOLERANCE) * ALLOW / PER
        elsif to - from < PER - TOLERANCE
          ALLOW
        else
          Float::INFINITY
        end
        count > allowed && count > allowed + refunds(key, from, to) && !reset?(from, to)
      end

      def refunds(key, from, to)
        @refunds[key].count { |at, _| at.between?(from - PER, to) }
      end

      def reset?(from, to) = @faults.any? { |start, stop| start <= to && stop >= from - PER }
    end
  end
end
