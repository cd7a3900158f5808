# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Lab
    # Tells on standard error how far a campaign has come. A terminal gets one line that is drawn
    # over and over, anything else a plain line now and then.
    class Progress
      # Seconds between plain lines.
      PLAIN_EVERY = 10
      CLEAR = "\r\e[K"

      # @param io [IO]
      # @param width [Integer] columns
      # @param live [Boolean] whether the line can be redrawn
      def initialize(io, width: 80, live: io.tty?)
        @io = io
        @width = width
        @live = live
        @spent = Hash.new { |hash, cell| hash[cell] = [] }
      end

      # @param cells [Array<Cell>] one for each run that is to come
      # @return [void]
      def start(cells)
        @left = cells
        @total = cells.size
        @said = Clock.now
      end

      # @param cell [Cell] whose run starts now
      # @return [void]
      def running(cell)
        @began = Clock.now
        tell("run #{@total - @left.size + 1} of #{@total}, #{cell}#{remaining}")
      end

      # @param cell [Cell] whose run is over
      # @return [void]
      def finished(cell)
        @left.delete_at(@left.index(cell) || 0)
        @spent[cell] << Clock.now - @began if @began
        @began = nil
      end

      # Take the line away before something else is printed.
      #
      # @return [void]
      def clear
        @io.write(CLEAR) if @live
        @io.flush
      end

      private

      def tell(text)
        return @io.write(CLEAR, text[0, @width - 1]).then { @io.flush } if @live
        return if Clock.now - @said < PLAIN_EVERY
        @said = Clock.now
        @io.puts(text)
      end

      # What each kind of run took so far, times how often it will come; one not seen yet counts
      # like the average.
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
