# frozen_string_literal: true

module Raffia
  class Actor
    # The actors of this process as data, each under the one that looks after it.
    #
    # @api private
    class Tree
      # @param limit [Integer, nil] how many without a parent there may be in it
      def initialize(limit = nil)
        @cores = Household.all.reject(&:closed?).flat_map(&:cores).sort_by(&:id)
        @limit = limit
        @children = @cores.group_by { |core| above(core)&.id }
        @children.default = [].freeze
      end

      # @return [Integer] how many actors there are
      def size = @cores.size

      # @return [Integer] how many are not shown
      def left_out = [@children[nil].size - shown.size, 0].max

      # @return [Array<Hash>]
      def to_a = shown.map { |core| node(core) }

      private

      # Whoever looks after others comes first.
      def shown
        @shown ||= @children[nil].partition { |core| @children.key?(core.id) }.flatten
          .then { |cores| @limit ? cores.first(@limit) : cores }
      end

      # @return [ActorCore, nil]
      def above(core)
        parent = core.parent
        parent.respond_to?(:supervisor) ? parent.supervisor : parent
      end

      def node(core)
        stats = core.stats
        {id: core.id, name: core.name, class: core.actor_class.name, kind: kind(core),
         status: stats[:status], on: stats[:on], mailbox: stats[:mailbox],
         handled: stats[:handled], restarts: stats[:restarts], doing: doing(core),
         error: error(core), children: @children[core.id].map { |child| node(child) }}
      end

      def kind(core)
        return :supervisor if core.actor_class <= Supervisor

        core.is_a?(PoolCore) ? :pool : :actor
      end

      def doing(core) = core.current&.then { |message| message.name if message.underway? }

      def error(core)
        failure = core.parent.failure if core.parent.respond_to?(:failure)
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
