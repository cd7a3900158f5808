# frozen_string_literal: true

require_relative "names"
require_relative "report"
require_relative "snapshot"

module Raffia
  # What every fiber of this Ractor waits for, and how its loops fare. Any thread may ask, and a
  # trap handler.
  #
  # @param frames [Integer, nil] how long each backtrace may be; nil: no bound
  # @return [Snapshot]
  def self.snapshot(frames: nil) = Snapshot.new(Scheduler.all, frames: frames)

  # Writes a {snapshot} for people to read.
  #
  # @param io [#write] with colours if it is a terminal (RAFFIA_COLOR)
  # @param frames [Integer] lines of each backtrace
  # @return [void]
  def self.dump(io = $stderr, frames: Report::FRAMES)
    color = config.color
    text = snapshot.to_s(frames: frames, color: color == :always ||
      (color == :auto && io.respond_to?(:tty?) && io.tty?))
    # a fiber that would wait here could not be in the picture, and a trap handler must not
    Fiber.blocking { io.write(text) }
    nil
  end
end
