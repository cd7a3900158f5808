# frozen_string_literal: true

module Raffia
  class Actor
    # The actors of this process as data, each under the one that looks after it.
    #
    # @api private
    class Tree
      # @param limit [Integer, nil] how many without a parent there may be in it
      def initialize(limit = nil)
        @cells = Household.all.reject(&:closed?).flat_map(&:cells).sort_by(&:id)
        @limit = limit
        @children = @cells.group_by { |cell| above(cell)&.id }
        @children.default = [].freeze
      end

      # @return [Integer] how many actors there are
      def size = @cells.size

      # @return [Integer] how many are not shown
      def left_out = [@children[nil].size - shown.size, 0].max

      # @return [Array<Hash>]
      def to_a = shown.map { |cell| node(cell) }

      private

      # Whoever looks after others comes first.
      def shown
        @shown ||= @children[nil].partition { |cell| @children.key?(cell.id) }.flatten
          .then { |cells| @limit ? cells.first(@limit) : cells }
      end

      # @return [Cell, nil]
      def above(cell)
        parent = cell.parent
        parent.respond_to?(:supervisor) ? parent.supervisor : parent
      end

      def node(cell)
        stats = cell.stats
        {id: cell.id, name: cell.name, class: cell.actor_class.name, kind: kind(cell),
         status: stats[:status], on: stats[:on], mailbox: stats[:mailbox],
         handled: stats[:handled], restarts: stats[:restarts], doing: doing(cell),
         error: error(cell), children: @children[cell.id].map { |child| node(child) }}
      end

      def kind(cell)
        return :supervisor if cell.actor_class <= Supervisor

        cell.is_a?(PoolCell) ? :pool : :actor
      end

      def doing(cell) = cell.current&.then { |message| message.name if message.underway? }

      def error(cell)
        failure = cell.parent.failure if cell.parent.respond_to?(:failure)
        if failure
          text(failure.is_a?(Exception) ? "#{failure.class}: #{failure.message}" : failure.to_s)
        end
      end

      # An error may say anything, also what is no text.
      def text(string) = string.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
    end

    class << self
      # The actors of this process, those of {Supervisor}s and pools under these. It is a look from
      # outside: nobody is asked, so it works when an actor hangs, and its numbers are of slightly
      # different moments.
      #
      # @return [Array<Hash>] each with :id, :name, :class, :kind (:supervisor, :pool, :actor),
      #   :status, :on, :mailbox (messages that wait),
      #   :handled, :restarts, :doing (the method that runs, or nil), :error (what its last object
      #   failed by, or nil) and :children
      def tree = Tree.new.to_a

      # Lets the user who runs this process look at its actors from outside: `raffia top`. The same
      # comes with RAFFIA_TOP=on.
      # @return [Window]
      # @raise [ConfigError] when the folder for its socket belongs to somebody else
      def observe = Window.open
    end
  end
end
