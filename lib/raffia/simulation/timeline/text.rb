# frozen_string_literal: true

module Raffia
  module Simulation
    class Timeline
      # Texts of events.
      #
      # @api private
      class Text
        # Nanoseconds as seconds, without needless digits.
        def self.seconds(at)
          digits = (at % 1_000_000).zero? ? 3 : 6
          format("%.#{digits}f", at.fdiv(VirtualClock::SECOND))
        end

        def initialize(trace)
          @trace = trace
        end

        # +width+: letters for the place.
        def text(event, width = 40)
          plain([place(event, width), what(event)].compact.join(" "))
        end

        def what(event)
          other = @trace.lanes[event.other]
          case event.kind
          when :start then "starts #{other}"
          when :wake then event.lane ? "wakes #{other}" : "is woken"
          when :preempt then "preempted"
          when :switch then "goes on in #{other}"
          when :interrupt then "raises #{event.text} in #{other}".squeeze(" ")
          when :timer then event.text || "its timer is due"
          when :end then "ends"
          else event.text.to_s
          end
        end

        # file:line without folders; of a long name, the beginning.
        def place(event, width)
          file, line = event.place&.match(%r{([^/]+):(\d+)(?: |\z)})&.captures
          return unless file

          room = width - line.size - 1
          "#{(file.size > room) ? "#{file[0, [room - 1, 1].max]}~" : file}:#{line}"
        end

        def failure
          error = @trace.error
          plain("#{error.class}: #{error.message.lines.find { |line| line.match?(/\S/) }}")
        end

        # Several lines.
        def title(text) = text.to_s.lines.map { |line| plain(line) }.join("\n")

        # One line that a terminal cannot take for a command.
        def plain(text)
          text.to_s.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
            .gsub(/[[:cntrl:]]+/, " ").strip
        end
      end
    end
  end
end
