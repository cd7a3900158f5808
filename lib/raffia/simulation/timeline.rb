# frozen_string_literal: true

require_relative "timeline/selection"
require_relative "timeline/style"
require_relative "timeline/text"

module Raffia
  module Simulation
    # A trace as text: a column for each thread and fiber, virtual time at the left, a line for each
    # event. Where the columns do not fit, each line names its thread instead.
    #
    # @api private
    class Timeline
      TIME = 10
      # The narrowest column, and the most lines.
      COLUMN = 20
      ROWS = 60
      NARROWEST = 40
      private_constant :TIME, :COLUMN, :ROWS, :NARROWEST

      def initialize(trace, width: 100, color: false)
        @trace = trace
        @style = Style.new(color)
        @width = [width, NARROWEST].max
        @text = Text.new(trace)
        @events = Selection.new(trace.events, ROWS)
        @lanes = trace.lanes.keys & @events.flat_map { |event| [event.lane, event.other] }
        @column = (@width - TIME) / [@lanes.size, 1].max
        @shown = nil
      end

      def to_s
        return "" if @trace.events.empty?

        lines = columns? ? [heading, *@events.map { |event| row(event) }] : list
        [*lines, failure].map(&:rstrip).join("\n")
      end

      private

      def columns? = @column >= COLUMN

      def heading
        @style.bold("seconds".ljust(TIME) + @lanes.map { |lane| cell(@trace.lanes[lane]) }.join)
      end

      def row(event)
        return elision(event) if event.kind == :left_out

        text = @text.text(event, @column / 2)
        own = event.lane || event.other
        follow(event)
        cells = @lanes.map { |lane| (lane == own) ? paint(event, cell(text)) : bar(lane) }
        time(event) + cells.join
      end

      def bar(lane) = @style.dim(cell(@alive[lane] ? @style.bar : ""))

      # Which lanes have begun and not ended.
      def follow(event)
        @alive ||= {World::MAIN => true}
        @alive[event.other] = true if event.other
        @alive.delete(event.lane) if event.kind == :end
      end

      def list
        @names = @lanes.map { |lane| @trace.lanes[lane].size }.max.to_i
        @events.map do |event|
          next elision(event) if event.kind == :left_out

          lane = @trace.lanes[event.lane || event.other].to_s.ljust(@names)
          text = "#{lane}  #{@text.text(event, @width / 2)}"
          time(event) + paint(event, fit(text, @width - TIME))
        end
      end

      def elision(event) = @style.dim("#{" " * TIME}#{event.text}")

      # Only where it changes.
      def time(event)
        text = (event.at == @shown) ? "" : Text.seconds(event.at)
        @shown = event.at
        @style.dim(text.ljust(TIME))
      end

      def cell(text) = fit(text, @column - 1).ljust(@column)

      def fit(text, size) = (text.size > size) ? "#{text[0, size - 1]}#{@style.ellipsis}" : text

      def paint(event, text)
        case event.kind
        when :preempt, :drop then @style.red(text)
        when :note, :packet then @style.cyan(text)
        when :interrupt then @style.yellow(text)
        else text
        end
      end

      def failure
        return "" unless @trace.error

        text = @text.failure
        @style.red(fit("#{@style.cross} #{text}", @width))
      end
    end
  end
end
