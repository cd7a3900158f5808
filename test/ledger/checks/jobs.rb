# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # Each job that was kept is done, and acknowledged once.
    class Jobs < Check
      EVENTS = %i[kept began ended acked unsealed].freeze

      def initialize
        super
        @counts = EVENTS.to_h { |event| [event, Hash.new(0)] }
        @kinds = Hash.new(0)
      end

      def see(event, id, values, torn: false)
        @kinds[values] += 1 if event == :kept && values
        @counts[event][id] += 1 if EVENTS.include?(event)
      end

      def lost = @counts[:kept].keys.reject { |jid| @counts[:ended].key?(jid) }

      def doubled = again(:acked)

      def broken = @counts[:unsealed].keys.map { |jid| "#{jid}: its arguments differ" }

      def facts
        {"kept" => @counts[:kept].size, **@kinds.except("plain"),
         "done" => @counts[:kept].size - lost.size, "begun again" => again(:began).size,
         "done again" => again(:ended).size}
      end

      private

      def again(event) = @counts[event].select { |_, count| count > 1 }.keys
    end
  end
end
