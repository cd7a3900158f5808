# frozen_string_literal: true

require "json"

module ServerFailures
  # Counts what the clients of one process see, and writes each failure as a line at once.
  class Report
    def initialize(kind)
      @kind = kind
      @lock = Mutex.new
      @numbers = 0
      @counts = {answers: 0, connections: 0, moves: 0, again: 0}
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

    # @return [String] one that no other request has
    def number = @lock.synchronize { "#{@kind}-#{::Process.pid}-#{@numbers += 1}" }

    def connected = count(:connections)

    def again = count(:again)

    # @param moved_from [Integer, nil] the worker of the answer before, on the same connection
    def answered(number, status, body, worker, moved_from: nil)
      count(:answers)
      count(:moves) if moved_from && moved_from != worker
      yield worker if block_given?
      return if status == 200 && body == number

      write(strange: number, status:, body: body[0, 200], worker:, at: now)
    end

    # @param port [Integer, nil] the client's end of the connection
    # @param opened [Float] when it was opened
    # @param served [Integer] requests that it had served
    def failed(number, error, port, opened, served)
      write(failed: number, error: "#{error.class}: #{error.message[0, 200]}", port:, opened:,
        served:, at: now)
    end

    def total = write(total: @counts)

    private

    def count(name) = @lock.synchronize { @counts[name] += 1 }

    def write(**line)
      @lock.synchronize do
        $stdout.puts(JSON.generate({kind: @kind, **line}))
        $stdout.flush
      end
    end
  end
end
