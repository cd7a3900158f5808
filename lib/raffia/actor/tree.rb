# frozen_string_literal: true

module Raffia
  class Actor
    # Actors of this process as data, each under its supervisor or pool.
    #
    # @api private
    class Tree
      def initialize(limit = nil)
        @cores = ActorGroup.all.reject(&:closed?).flat_map(&:cores).sort_by(&:id)
        @limit = limit
        @children = @cores.group_by { |core| parent(core)&.id }
        @children.default = [].freeze
      end

      def size = @cores.size

      def left_out = [@children[nil].size - shown.size, 0].max

      def to_a = shown.map { |core| node(core) }

      private

      # Supervisors and pools first.
      def shown
        @shown ||= @children[nil].partition { |core| @children.key?(core.id) }.flatten
          .then { |cores| @limit ? cores.first(@limit) : cores }
      end

      def parent(core)
        above = core.parent
        above.respond_to?(:supervisor) ? above.supervisor : above
      end

      def node(core)
        stats = core.stats
        {id: core.id, name: core.name, class: core.actor_class.name, kind: core.kind,
         status: stats[:status], on: stats[:on], mailbox: stats[:mailbox],
         handled: stats[:handled], restarts: stats[:restarts], doing: doing(core),
         error: error(core), children: @children[core.id].map { |child| node(child) }}
      end

      def doing(core) = core.current&.then { |message| message.name if message.underway? }

      def error(core)
        failure = core.parent.failure if core.parent.respond_to?(:failure)
        if failure
          text(failure.is_a?(Exception) ? "#{failure.class}: #{failure.message}" : failure.to_s)
        end
      end

      # A message may be in any encoding.
      def text(string) = string.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
    end
  end
end
