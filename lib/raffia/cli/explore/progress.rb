# frozen_string_literal: true

module Raffia
  module CLI
    class Explore < Command
      # Shows how far an exploration is, on one line of a terminal. Files get nothing.
      #
      # @api private
      class Progress
        # Seconds between two changes.
        EVERY = 0.2
        CLEAR = "\r\e[K"
        private_constant :EVERY, :CLEAR

        def initialize(io)
          @io = io
          @live = io.respond_to?(:tty?) && io.tty?
          @shown = 0.0
          @started = Clock.now
        end

        # Seconds so far.
        def seconds = Clock.now - @started

        # The block returns the line.
        def show
          return unless @live && Clock.now - @shown > EVERY

          @shown = Clock.now
          @io.write(CLEAR, yield)
          @io.flush
        end

        def clear
          @io.write(CLEAR) if @live
        end
      end
    end
  end
end
