# frozen_string_literal: true

require_relative "workflow_step_list"

module Raffia
  module Jobs
    class Web
      # Places the steps of a workflow for drawing: those of one level are side by side, below all
      # that they wait for, in more than one row when they are many. Rows begin at the left, so a
      # narrow screen shows the beginning of each.
      # @api private
      class WorkflowGraph
        # Units of the drawing.
        WIDTH = 176
        HEIGHT = 44
        GAP = 24
        DROP = 40
        # Between rows of one level.
        ROW_GAP = 14
        # Steps in a row, at most: as wide as a page.
        COLUMNS = 5
        # Steps that are drawn, at most.
        MOST = 200
        # Margin, for strokes.
        EDGE = 2

        # A {WorkflowStepList::Step} and its place.
        Tile = Data.define(:step, :x, :y)
        # A connection of two steps. `far`: it passes others.
        Link = Data.define(:path, :far)

        def initialize(nodes)
          all = WorkflowStepList.new(nodes).to_a
          @steps = all.first(MOST)
          @hidden = all.drop(MOST).sum { |step| step.names.size }
        end

        # Steps that are not drawn.
        attr_reader :hidden

        def width = (boxes.map(&:x).max || EDGE) + WIDTH + EDGE

        def height = (boxes.map(&:y).max || EDGE) + HEIGHT + EDGE

        def boxes = @boxes ||= place

        # From the lower edge of a step to the upper edge of one that waits for it.
        def links
          tiles = boxes.flat_map { |box| box.step.names.map { |name| [name, box] } }.to_h
          boxes.flat_map do |box|
            tiles.values_at(*box.step.after).compact.uniq.map { |from| link(from, box) }
          end
        end

        private

        # A step's level is one more than the highest of those that it waits for.
        def levels
          left = @steps.flat_map { |step| step.names.map { |name| [name, step] } }.to_h
          found = []
          until left.empty?
            ready = left.values.uniq.select { |step| step.after.none? { |one| left.key?(one) } }
            ready = left.values.uniq if ready.empty?
            found << ready
            ready.each { |step| step.names.each { |name| left.delete(name) } }
          end
          found
        end

        def place
          y = EDGE
          columns = {}
          levels.flat_map do |level|
            tiles = ordered(level, columns).each_slice(COLUMNS).flat_map do |row|
              y += HEIGHT + ROW_GAP
              row.each_with_index.map { |step, column| tile(step, column, y - HEIGHT - ROW_GAP) }
            end
            y += DROP - ROW_GAP
            note(tiles, columns)
            tiles
          end
        end

        def note(tiles, columns)
          tiles.each_with_index do |tile, index|
            tile.step.names.each { |name| columns[name] = index }
          end
        end

        # Steps are near those that they wait for, so that fewer lines cross.
        def ordered(level, columns)
          level.each_with_index.sort_by do |step, index|
            before = columns.values_at(*step.after).compact
            [before.empty? ? 0 : before.sum.fdiv(before.size), index]
          end.map(&:first)
        end

        def tile(step, column, y) = Tile.new(step: step, x: EDGE + column * (WIDTH + GAP), y: y)

        def link(from, to)
          x = from.x + WIDTH / 2
          y = from.y + HEIGHT
          end_x = to.x + WIDTH / 2
          middle = (y + to.y) / 2
          Link.new(path: "M#{x} #{y}C#{x} #{middle} #{end_x} #{middle} #{end_x} #{to.y}",
            far: to.y - y > DROP)
        end
      end
    end
  end
end
