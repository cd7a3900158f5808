# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Places the steps of a workflow for drawing: those of one level are in one row, below all
      # that they wait for. Elements of an `each` are counted in its box.
      # @api private
      class WorkflowGraph
        # Units of the drawing.
        WIDTH = 176
        HEIGHT = 44
        GAP = 24
        DROP = 40
        # Steps that are drawn, at most.
        MOST = 200

        # A step, its place, and its elements: their number, and how many have ended.
        Tile = Data.define(:node, :x, :y, :elements, :ended)

        def initialize(nodes)
          @children = nodes.group_by { |node| node["parent"] }
          @nodes = (@children[nil] || []).first(MOST)
          @hidden = (@children[nil] || []).size - @nodes.size
          @levels = levels
        end

        # Steps that are not drawn.
        attr_reader :hidden

        def width = [widest * (WIDTH + GAP) - GAP, WIDTH].max + 4

        def height = @levels.size * (HEIGHT + DROP) - DROP + 4

        def boxes = @boxes ||= @levels.each_with_index.flat_map { |row, level| row(row, level) }

        # Paths from the lower edge of a step to the upper edge of one that waits for it.
        def edges
          places = boxes.to_h { |box| [box.node["name"], box] }
          boxes.flat_map do |box|
            box.node["after"].filter_map { |name| places[name]&.then { |from| path(from, box) } }
          end
        end

        private

        def widest = @levels.map(&:size).max || 1

        # A step's level is one more than the highest of those that it waits for.
        def levels
          left = @nodes.to_h { |node| [node["name"], node] }
          found = []
          until left.empty?
            ready = left.each_value.select { |node| node["after"].none? { |one| left.key?(one) } }
            ready = left.values if ready.empty?
            found << ready
            ready.each { |node| left.delete(node["name"]) }
          end
          found
        end

        def row(nodes, level)
          left = (width - 4 - nodes.size * (WIDTH + GAP) + GAP) / 2 + 2
          nodes.each_with_index.map do |node, index|
            children = @children[node["name"]] || []
            Tile.new(node: node, x: left + index * (WIDTH + GAP), y: level * (HEIGHT + DROP) + 2,
              elements: children.size,
              ended: children.count { |one| !%w[waiting active].include?(one["state"]) })
          end
        end

        def path(from, to)
          x = from.x + WIDTH / 2
          y = from.y + HEIGHT
          middle = (y + to.y) / 2
          "M#{x} #{y}C#{x} #{middle} #{to.x + WIDTH / 2} #{middle} #{to.x + WIDTH / 2} #{to.y}"
        end
      end
    end
  end
end
