# frozen_string_literal: true

module Raffia
  class Scheduler
    # The open schedulers of the running Ractor, in all of its threads. Single C calls change it,
    # which the GVL makes atomic.
    #
    # @api private
    module Registry
      KEY = :raffia_schedulers
      private_constant :KEY

      module_function

      # @return [Array<Scheduler>]
      def all = table.keys

      # @return [void]
      def add(scheduler) = table[scheduler] = true

      # @return [void]
      def remove(scheduler) = table.delete(scheduler)

      def table = RactorLocal.fetch(KEY) { {}.compare_by_identity }

      table # in the main Ractor now, before threads could race for it
    end
  end
end
