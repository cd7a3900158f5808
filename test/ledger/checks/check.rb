# frozen_string_literal: true

module Ledger
  module Checks
    # One reading of the history.
    class Check
      # `torn`: the store may have forgotten it, and does it again.
      def see(event, id, values, torn: false) = nil

      # Work that was acknowledged, and not done.
      def lost = []

      # Work that the store took more than once.
      def doubled = []

      # Other rules that do not hold.
      def broken = []

      # Numbers by name.
      def facts = {}
    end
  end
end
