# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Lab
    # Shows on standard error how far a campaign is. A terminal gets one line that is drawn over and
    # over, other files a plain line now and then.
    class Progress
      # Seconds between plain lines.
      PLAIN_EVERY = 10
      CLEAR = "\r\e[K"

      # live: whether the line can be redrawn.
      def initialize(io, width: 80, live: io.tty?)
        @io = io
        @width = width
        @live = live
        @spent = Hash.new { |hash, cell| hash[cell] = [] }
      end

      # One cell for each run to come.
      def start(cells)
        @left = cells
        @total = cells.size
        @shown = Clock.now
      end

      def running(cell)
        @began = Clock.now
        show("run #{@total - @left.size + 1} of #{@total}, #{cell}#{remaining}")
      end

      def finished(cell)
        @left.delete_at(@left.index(cell) || 0)
        @spent[cell] << Clock.now - @began if @began
        @began = nil
      end

      # Removes the line before something else is printed.
      def clear
        @io.write(CLEAR) if @live
        @io.flush
      end

      private

      def show(text)
        return @io.write(CLEAR, text[0, @width - 1]).then { @io.flush } if @live
        return if Clock.now - @shown < PLAIN_EVERY
        @shown = Clock.now
        @io.puts(text)
      end

      # Average time of each cell so far, times its number of runs to come. A cell without runs
      # counts like the average of all.
      def remaining
        known = @spent.values.flatten
        return if known.size < 3
        average = known.sum / known.size
        seconds = @left.sum do |cell|
          @spent.key?(cell) ? @spent[cell].sum / @spent[cell].size : average
        end
        ", about #{words(seconds)} left"
      end

      def words(seconds) = (seconds < 90) ? "#{seconds.round} s" : "#{(seconds / 60).round} min"
    end
  end
end
