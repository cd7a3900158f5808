# frozen_string_literal: true

require_relative "server"

module EngineBench
  # Sends its input back: readpartial and write, which go through io_read and io_write where a
  # scheduler has them.
  class Echo < Server
    PROTOCOL = "echo"
    SIZE = 4096

    private

    def serve(socket)
      buffer = String.new(capacity: SIZE)
      socket.write(buffer) while socket.readpartial(SIZE, buffer)
    rescue EOFError
      nil
    end
  end
end
