# frozen_string_literal: true

require "json"
require "socket"
require_relative "../harness/wrong"
require_relative "pin"
require_relative "tools"

module ServerBench
  # The load generator's process (load.c), seen from the side that measures.
  class Load
    # @param arguments [Array<String>] see load.c
    def initialize(server, plan, arguments)
      @control, theirs = UNIXSocket.pair
      @pid = Process.spawn(*Pin.command(:load, server.setup.cores), Tools.program("load"),
        server.port.to_s, plan.connections.to_s, *arguments,
        in: theirs, out: theirs)
      theirs.close
    end

    # Calls the block with :idle, :parked, :begin, :end, :open and :close, and goes on when it
    # returns.
    # @return [Hash] what it found
    def follow
      until (line = @control.gets).nil? || line.start_with?("{")
        yield line.chomp.to_sym
        @control.write(".")
      end
      Process.wait(@pid)
      unless line && $?.success?
        raise Bench::Wrong, "the load ended with #{$?}, and says why on standard error"
      end

      JSON.parse(line, symbolize_names: true)
    ensure
      @control.close # the load must not wait for ever when this fails
    end
  end
end
