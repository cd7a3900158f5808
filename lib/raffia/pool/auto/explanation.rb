# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # A {Choice} in words.
      class Explanation
        KINDS = {
          ruby: "Ruby code", free: "C code without Ruby's lock", wait: "waiting",
          held: "kept from Ruby's lock, or keeping it",
          delay: "without a processor"
        }.freeze

        # `order`: strategies, in which the table shows them.
        def initialize(choice, order)
          @choice = choice
          @order = order
          @work = choice.measurement
        end

        def to_s = [head, item, *(table unless @work.left == 0)].join("\n") << "\n"

        def self.time(seconds)
          case seconds
          when 0...1e-3 then format("%.3g us", seconds * 1e6)
          when 1e-3...1 then format("%.3g ms", seconds * 1e3)
          else format("%.3g s", seconds)
          end
        end

        private

        def head
          if @work.left == 0
            return "raffia: inline, for all of #{count(@work.done, "item")}, before anything " \
              "else was worth its start"
          end

          where = if @choice.on == :inline
            "inline"
          else
            "on #{@choice.on}, #{count(@choice.workers, "worker")}"
          end
          "raffia: #{where}, for #{rest} (#{count(@work.done, "item")} done before, inline)"
        end

        def rest
          if @work.left
            return "#{count(@work.left, "item")} that #{(@work.left == 1) ? "is" : "are"} left"
          end

          "items without a known end, reckoned as #{@work.ahead}"
        end

        def item
          parts = KINDS.filter_map do |kind, words|
            if percent(@work.public_send(kind)).positive?
              "#{percent(@work.public_send(kind))}% #{words}"
            end
          end
          sent = ", and #{@work.bytes} bytes to send" if @work.bytes
          "  an item takes #{self.class.time(@work.wall)}: #{parts.join(", ")}#{sent}"
        end

        def table
          @order.map { |strategy| "  #{strategy.to_s.ljust(10)} #{verdict(strategy)}" }
        end

        def verdict(strategy)
          seconds = @choice.seconds[strategy] or return "-          #{@work.obstacles[strategy]}"
          "#{self.class.time(seconds).ljust(10)} #{"chosen" if strategy == @choice.on}".rstrip
        end

        def percent(seconds) = @work.wall.zero? ? 0 : (100 * seconds / @work.wall).round
        def count(number, thing) = "#{number} #{thing}#{"s" if number != 1}"
      end
    end
  end
end
