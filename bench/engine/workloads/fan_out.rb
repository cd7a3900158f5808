# frozen_string_literal: true

require "socket"
require_relative "../workload"

module EngineBench
  # One fiber starts a thousand others, each of which waits for an answer on a socket, and gathers
  # their results.
  class FanOut < Workload
    WIDTH = 1_000

    private

    def prepare
      @sockets = Array.new(WIDTH) { UNIXSocket.pair }
    end

    def call(count)
      (count / WIDTH).times { round }
    end

    def round
      results = Thread::Queue.new
      @sockets.each { |here, _| spawn { results << here.readpartial(1) } }
      @sockets.each { |_, there| there.syswrite(".") }
      WIDTH.times { @right += 1 if results.pop == "." }
    end
  end
end
