# frozen_string_literal: true

require "tempfile"
require_relative "../harness/wrong"
require_relative "pin"

module ServerBench
  # h2load's process, seen from the side that measures.
  class H2load
    # Seconds: it counts requests only when all streams of a connection have had one.
    SHORTEST = 0.5
    # What it prints of requests; of responses with status 2xx; of bytes in their bodies.
    REQUESTS = /^requests: .* errored/
    STATUS = /^status codes: (\d+) 2xx/
    BYTES = /\((\d+)\) data$/

    def initialize(server, plan, scale)
      @server = server
      @plan = plan
      @seconds = [plan.seconds * scale, SHORTEST].max
    end

    # Calls the block with :begin and :end, around one run of two, and goes on when it returns.
    # @return [Hash] what it found
    def follow(&)
      with_body do |arguments|
        run(SHORTEST, arguments)
        yield :begin
        {closed: run(@seconds, arguments) { yield :end }, reconnects: 0}
      end
    end

    private

    def with_body
      return yield [] unless @plan.upload

      Tempfile.create("bench-upload") do |file|
        file.write(@plan.upload)
        file.flush
        yield ["-d", file.path]
      end
    end

    # The block is called when the load has ended, and before its CPU time is that of a child of
    # this process, which the meter adds to the server's.
    def run(seconds, arguments)
      began, used = now, children
      reads, writes = IO.pipe
      pid = Process.spawn(*command(seconds, arguments), in: File::NULL, out: writes,
        err: File::NULL)
      writes.close
      output = reads.read
      wall = now - began
      yield if block_given?
      Process.wait(pid)
      {requests: requests(output), unanswered: 0, wall:, cpu: children - used}
    ensure
      reads&.close
    end

    def command(seconds, arguments)
      [*Pin.command(:load, @server.setup.cores), "h2load", *("--h1" unless @plan.http2?),
        "-D", "#{(seconds * 1000).ceil}ms", "-c", @plan.connections.to_s, "-m",
        @plan.streams.to_s, *arguments, "http://127.0.0.1:#{@server.port}#{@plan.path}"]
    end

    # @return [Integer] how many were answered, each with the right status and length
    def requests(output)
      done, succeeded, failed, errored = output[REQUESTS]&.scan(/\d+/)&.map(&:to_i)
        &.values_at(2, 3, 4, 5)
      raise Bench::Wrong, "h2load said nothing of requests: #{output[-200..]}" unless done

      good = output[STATUS, 1].to_i
      unless failed.zero? && errored.zero? && succeeded == done && good >= done
        raise Bench::Wrong, "of #{done} requests #{succeeded} succeeded, #{failed} failed, " \
          "#{errored} had an error, and #{good} were answered with 2xx"
      end
      if output[BYTES, 1].to_i < done * @plan.size
        raise Bench::Wrong, "#{done} responses had #{output[BYTES, 1]} bytes in all"
      end
      done
    end

    def children = Process.times.then { |times| times.cutime + times.cstime }

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
