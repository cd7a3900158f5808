# frozen_string_literal: true

require "io/console"
require "json"
require_relative "source"
require_relative "table"

module Raffia
  module CLI
    class Top < Command
      # Shows processes once, or repeatedly, each view over the last one.
      #
      # @api private
      class LiveView
        # Escapes: to the upper left; erase to the end of the line, of the screen; the alternate
        # screen, and back.
        HOME = "\e[H"
        END_OF_LINE = "\e[K"
        END_OF_SCREEN = "\e[J"
        ENTER = "\e[?1049h\e[?25l"
        LEAVE = "\e[?25h\e[?1049l"
        private_constant :HOME, :END_OF_LINE, :END_OF_SCREEN, :ENTER, :LEAVE

        # names: pids and sockets; empty for all.
        def initialize(names, out, interval:, once: false, json: false)
          @source = Source.new(names)
          @out = out
          @interval = interval
          @json = json
          @live = out.tty? && !once
        end

        def call
          views = @source.call # wrong names are reported before anything is shown
          return write(views) unless @live

          watch(views)
        end

        private

        def watch(views)
          if @json
            follow(views) { |seen| write(seen) }
          else
            on_another_screen { follow(views) { |seen| paint(seen) } }
          end
        rescue Interrupt
          nil # Ctrl-C
        end

        def follow(views)
          loop do
            yield views
            sleep(@interval)
            views = @source.call(strict: false)
          end
        end

        def write(views)
          return views.each { |view| @out.puts(JSON.generate(view, max_nesting: false)) } if @json

          @out.puts(Table.new(views, @live ? width : nil).lines)
        end

        def on_another_screen
          @out.print(ENTER)
          yield
        ensure
          @out.print(LEAVE)
        end

        def paint(views)
          lines = Table.new(views, width).lines
          if lines.size >= height
            lines = [*lines.first(height - 2), "(#{lines.size - height + 2} lines more)"]
          end
          @out.print(HOME, lines.map { |line| "#{line}#{END_OF_LINE}\r\n" }.join, END_OF_SCREEN)
          @out.flush
        end

        def height = @out.winsize.first.then { |rows| rows.zero? ? 24 : rows }

        def width = @out.winsize.last.then { |columns| columns.zero? ? 80 : columns }
      end
    end
  end
end
