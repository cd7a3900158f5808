# frozen_string_literal: true

require "net/http"

module RailsBench
  # Requests that are due at a fixed rate, whatever the server does. Latency counts from when a
  # request was due, so a server that stalls is charged with all that would have come meanwhile.
  class OpenLoop
    # More than any server here has under way at these rates.
    CLIENTS = 32

    # @param request [#call] a client's, gets its Net::HTTP and sends one
    def initialize(port, rate, seconds, &request)
      @port = port
      @rate = rate
      @count = (rate * seconds).round
      @request = request
    end

    # @return [Array<Float>] seconds, sorted
    def call
      due = Thread::Queue.new
      clients = Array.new(CLIENTS) { Thread.new { serve(due) } }
      began = now + 0.1
      @count.times { |number| due << began + number.fdiv(@rate) }
      due.close
      clients.flat_map(&:value).sort
    end

    private

    def serve(due)
      Net::HTTP.start("127.0.0.1", @port, read_timeout: 20) do |http|
        latencies = []
        while (at = due.pop)
          sleep([at - now, 0].max)
          @request.call(http)
          latencies << now - at
        end
        latencies
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
