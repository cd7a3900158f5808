# frozen_string_literal: true

module Celluloid
  module Internals
    # Actors that are notified of an actor's end, as a collection.
    class Links
      include Enumerable

      def initialize(cell)
        @cell = cell
      end

      def each(&) = @cell.links.to_a.map(&:proxy).each(&)

      def include?(actor) = @cell.links.to_a.include?(Actor.cell(actor))

      def <<(actor)
        @cell.add_link(Actor.cell(actor))
        self
      end

      def delete(actor) = @cell.delete_link(Actor.cell(actor))

      def inspect = "#<#{self.class}[#{map(&:inspect).join(",")}]>"
    end
  end
end
