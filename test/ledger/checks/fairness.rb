# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # A single job of a small tenant is claimed within a round, whatever the large ones have; and
    # these have claims by their weights while both wait. Claims that nobody could note, because of
    # a kill, are why a part of them is left out.
    class Fairness < Check
      # A round, the claims that are under way in all workers, and those of one more fetch.
      MOST = 60 + 3 * 20 * 2
      # Part of the single jobs that must keep it.
      PART = 0.9
      # Fewer tell nothing.
      ENOUGH = 100
      RATIO = (1.8..5.0)

      def initialize
        super
        @claims = 0
        @since = {}
        @passed = []
        @waiting = Hash.new(0)
        @shares = Hash.new(0)
        @seen = {}
      end

      def see(event, id, values, torn: false)
        case event
        when :kept_fair then keep(id, values)
        when :claimed_fair then claim(id, values)
        end
      end

      def broken = [*late, *unequal]

      def facts
        {"passed by, 90 %" => percentile(PART), "passed by, at most" => @passed.max,
         "shares of weights 1 and 3" => @shares.values_at("large-1", "large-3").join(" and ")}
      end

      private

      def keep(jid, tenant)
        return if @seen[jid]

        @waiting[tenant] += 1
        @since[jid] = @claims if tenant.start_with?("small")
      end

      # The first time only.
      def claim(jid, tenant)
        return if @seen[jid]

        @seen[jid] = true
        @claims += 1
        @shares[tenant] += 1 if %w[large-1 large-3].all? { |one| @waiting[one] > ENOUGH }
        @waiting[tenant] -= 1
        since = @since.delete(jid) and @passed << @claims - since
      end

      def percentile(part) = @passed.sort[(@passed.size * part).to_i]

      def late
        return [] if @passed.size < ENOUGH || percentile(PART) <= MOST

        ["#{percentile(PART)} jobs passed by a small tenant's, of #{@passed.size}: #{MOST} may"]
      end

      def unequal
        one, three = @shares.values_at("large-1", "large-3")
        return [] if one.to_i < ENOUGH || RATIO.cover?(three / one.to_f)

        ["large tenants with weights 1 and 3 had #{one} and #{three} claims"]
      end
    end
  end
end
