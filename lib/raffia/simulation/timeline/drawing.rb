# frozen_string_literal: true

require_relative "../../charts/svg"

module Raffia
  module Simulation
    class Timeline
      # A trace as SVG: time goes down, each thread and fiber has a lane, lanes of one host stand
      # together.
      #
      # @api private
      class Drawing
        ROW = 26
        # Height of the names at the top; width of the times at the left, and of the narrowest lane.
        HEAD = 54
        GUTTER = 84
        NARROWEST = 150
        # The most events.
        EVENTS = 600
        ARROWS = {start: "arrow", wake: "arrow", interrupt: "strike",
                  preempt: "turn", switch: "turn"}.freeze
        private_constant :ROW, :HEAD, :GUTTER, :NARROWEST, :EVENTS, :ARROWS

        def initialize(trace)
          @trace = trace
          @text = Text.new(trace)
          @events = Selection.new(trace.events, EVENTS).to_a
          used = @events.flat_map { |event| [event.lane, event.other, event.sender] }.compact
          lanes = trace.lanes.keys & (used << World::MAIN)
          @lanes = lanes.sort_by.with_index { |lane, index| [trace.hosts[lane].to_s, index] }
        end

        # Pixels.
        def least_width = (NARROWEST * (@lanes.size + 0.5)).to_i

        # Two drawings side by side, so that lanes are shares of what the times leave.
        def to_s
          svg(:svg, {class: "times", width: GUTTER, height: height, "aria-hidden": "true"}, times) +
            svg(:svg, {class: "lanes", role: "img", width: "100%", height: height,
                       "aria-label": "Timeline of #{@lanes.size} threads and fibers"},
              "\n#{[hosts, grid, columns].flatten.join("\n")}\n")
        end

        private

        def height = HEAD + ROW * (@events.size + 1) + 10

        def y(row) = HEAD + ROW * row + ROW / 2

        # Rows at which time has gone on.
        def instants
          @events.each_with_index.chunk_while { |(one, _), (other, _)| one.at == other.at }
            .map { |chunk| [chunk.first.first.at, chunk.first.last] }
        end

        def times
          instants.map { |at, row| text(0, y(row) + 4, "#{Text.seconds(at)} s", "time") }.join("\n")
        end

        def grid
          instants.map do |_, row|
            svg(:line, {class: "grid", x1: 0, x2: "100%", y1: y(row) - 13, y2: y(row) - 13})
          end
        end

        def columns
          [*@lanes.each_index.map { |index| head(index) }, lives, bars, arrows, packets,
            *@events.each_with_index.map { |event, row| mark(event, row) }, failure].flatten.compact
        end

        # Half a lane is left for the text of the last one.
        def share(index, offset = 0.06)
          "#{((index + offset) * 100.0 / (@lanes.size + 0.5)).round(3)}%"
        end

        def between(one, other) = share((@lanes.index(one) + @lanes.index(other)) / 2.0)

        def x(lane) = share(@lanes.index(lane))

        def head(index)
          lane = @lanes[index]
          labelled(index, 24, 26, text(0, 18, @trace.lanes[lane], "lane"), @trace.lanes[lane], 0.02)
        end

        def hosts
          @lanes.chunk_while { |one, other| @trace.hosts[one] == @trace.hosts[other] }
            .filter_map do |group|
              name = @trace.hosts[group.first] or next
              from = @lanes.index(group.first)
              [svg(:rect, {class: "host", x: share(from, 0.01), y: 0, height: height,
                           width: share(group.size, -0.02), rx: 4}),
                text(share(from, 0.03), 16, name, "hostname")]
            end
        end

        def lives
          @lanes.map do |lane|
            from, to = life(lane)
            svg(:line, {class: "life", x1: x(lane), x2: x(lane), y1: y(from), y2: y(to)})
          end
        end

        # Rows of its start and end.
        def life(lane)
          from = row_of(lane) unless lane == World::MAIN
          to = @events.rindex { |event| event.kind == :end && event.lane == lane }
          [from || 0, to || @events.size]
        end

        # Index of its first event.
        def row_of(lane) = @events.index { |event| event.lane == lane || event.other == lane }

        # Where a lane runs: from its first event to that at which another lane acts.
        def bars
          runs = @events.each_with_index.reject { |event, _| event.lane.nil? }
            .chunk_while { |(one, _), (other, _)| one.lane == other.lane }
          runs.map do |chunk|
            lane = chunk.first.first.lane
            svg(:svg, {x: x(lane), y: y(chunk.first.last) - 9, width: 8, overflow: "visible",
                       height: (chunk.last.last - chunk.first.last) * ROW + 18},
              svg(:rect, {class: "bar", x: -3, width: 6, height: "100%", rx: 3}))
          end
        end

        def arrows
          @events.each_with_index.filter_map do |event, row|
            css = ARROWS[event.kind]
            next unless css && event.lane && event.other && event.lane != event.other

            svg(:line, {class: css, x1: x(event.lane), y1: y(row), x2: x(event.other),
                        y2: y(row) + ROW - 6}) +
              svg(:circle, {class: "#{css} tip", cx: x(event.other), cy: y(row) + ROW - 6, r: 3})
          end
        end

        # From the moment at which it was sent. Those that are lost end on their way.
        def packets
          @events.each_with_index.filter_map do |event, row|
            next unless event.sender && event.sender != event.other

            css = event.kind.to_s
            tip = (event.kind == :drop) ? between(event.sender, event.other) : x(event.other)
            svg(:line, {class: css, x1: x(event.sender), y1: y(sent_at(event, row)), x2: tip,
                        y2: y(row)}) +
              svg(:circle, {class: "#{css} tip", cx: tip, cy: y(row), r: 3})
          end
        end

        # The row at which a packet was sent.
        def sent_at(event, row)
          from = @events.rindex { |one| one.at <= event.sent } || 0
          (from < row) ? from : [row - 1, 0].max
        end

        def mark(event, row)
          return text("2%", y(row) + 4, event.text, "time") if event.kind == :left_out

          lane = event.lane || event.other or return
          words = @text.text(event)
          [(svg(:circle, {class: "cut", cx: x(lane), cy: y(row), r: 5}) if event.kind == :preempt),
            labelled(@lanes.index(lane), y(row) - 12, 24, text(12, 16, words, event.kind.to_s),
              [words, *event.frames].join("\n"))]
        end

        def failure
          return unless @trace.error

          text("2%", y(@events.size) + 6, "✗ #{@text.failure}", "failure")
        end

        # The title shows under the pointer. A row has one event, so its text may be wider than the
        # lane.
        def labelled(index, y, height, content, title, offset = 0.06)
          svg(:svg, {x: share(index, offset), y: y, width: share(1, -offset), height: height,
                     overflow: "visible"},
            svg(:title, {}, escape(@text.title(title))) +
            svg(:rect, {class: "pointer", width: "100%", height: "100%"}) + content)
        end

        def text(x, y, content, css) = svg(:text, {class: css, x: x, y: y}, escape(content))

        def svg(...) = Charts::SVG.element(...)

        def escape(text) = Charts::SVG.escape(text)
      end
    end
  end
end
