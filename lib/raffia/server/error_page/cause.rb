# frozen_string_literal: true

module Raffia
  class Server
    class ErrorPage
      # One error of a chain, as text: its place in the application, and the source there.
      #
      # @api private
      class Cause
        # Lines of source on each side.
        AROUND = 5
        # Bytes of a message, frames of a backtrace, and bytes of a file that is read.
        MESSAGE = 8 * 1024
        FRAMES = 200
        FILE = 1 << 20
        FRAME = /\A(?<path>.+?):(?<line>\d+)(?::|\z)/
        # Code that is not the application's.
        FOREIGN = %r{/gems/|/lib/ruby/|\A<internal:|\A\(|/lib/raffia/}
        private_constant :AROUND, :MESSAGE, :FRAMES, :FILE, :FRAME, :FOREIGN

        attr_reader :name, :message, :backtrace

        def initialize(error)
          @name = text(error.class.name || error.class.to_s)
          @message = text(message_of(error).byteslice(0, MESSAGE))
          @backtrace = frames_of(error)
        end

        # The first frame of the application's, else the first of all.
        def place = backtrace.find { |frame| own?(frame) } || backtrace.first

        def own?(frame) = !frame.match?(FOREIGN)

        # Numbers, lines, and whether the line is the place's; empty when the file cannot be read.
        def source
          path, number = location
          return [] unless path

          from = [number - AROUND, 1].max
          lines = ::File.read(path, FILE, encoding: "UTF-8").scrub.lines(chomp: true)
          (lines[(from - 1)..(number + AROUND - 1)] || [])
            .map.with_index(from) { |line, at| [at, line, at == number] }
        rescue SystemCallError
          []
        end

        def to_h
          {class: name, message: message, place: place, backtrace: backtrace,
           source: source.to_h { |number, line, _| [number, line] }}
        end

        def to_s
          lines = source.map do |number, line, current|
            format("%s %5d  %s", current ? ">" : " ", number, line)
          end
          ["#{name}: #{message}", "", place, *lines, "", *backtrace.map { |frame| "  #{frame}" }]
            .join("\n")
        end

        private

        # A file that does not parse has no frame of its own.
        def location
          frame = FRAME.match(message) if name == "SyntaxError"
          frame ||= FRAME.match(place.to_s) or return
          path = frame[:path].sub(/\A--> /, "")
          [path, frame[:line].to_i] if ::File.file?(path)
        end

        # Applications may override `message`, and raise there.
        def message_of(error)
          error.message.to_s
        rescue => failure
          "(its message cannot be had: #{failure.class})"
        end

        def frames_of(error) = (error.backtrace || []).first(FRAMES).map { |frame| text(frame) }

        def text(string) = string.dup.force_encoding(Encoding::UTF_8).scrub
      end
    end
  end
end
