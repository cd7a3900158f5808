# frozen_string_literal: true

require "json"
require "socket"
require_relative "tools"
require_relative "workload"

module EngineBench
  # The load generator's process (load.c), seen from the side that is measured.
  class Load
    BACKLOG = 4096

    # @param operations [Integer] in all; rounded up to the same number for each connection
    def initialize(protocol, port, connections, warm:, operations:)
      @connections = connections
      @control, theirs = UNIXSocket.pair
      counts = [warm, operations].map { |count| count.ceildiv(connections).to_s }
      @pid = Process.spawn(Tools.program("load"), protocol, port.to_s, connections.to_s, *counts,
        in: theirs, out: theirs)
      theirs.close
    end

    # Read the meter whenever the load pauses, until it is over.
    def follow(meter)
      meter.mark(:idle)
      until (line = @control.gets).nil? || line.start_with?("{")
        pause(line.chomp.to_sym, meter)
      end
      @result = JSON.parse(line, symbolize_names: true) if line
    ensure
      @control.close # the load must not wait for ever when this fails
    end

    # After the run.
    def finish(meter)
      Process.wait(@pid)
      unless @result && $?.success?
        raise Bench::Wrong, "the load ended with #{$?}, and says why on standard error"
      end

      meter.operations = @result[:requests]
    end

    # @return [Hash] what the sample says beside the meter's own: the load's share of a processor,
    #   and the client's view of latency
    def facts(meter)
      {load: @result[:cpu] / @result[:wall], p50_us: @result[:p50] * 1e6,
       p99_us: @result[:p99] * 1e6, kib: meter.kib_each(@connections)}
    end

    private

    def pause(word, meter)
      meter.collect if word == :begin
      meter.mark(word)
      @control.write(".")
    end
  end
end
