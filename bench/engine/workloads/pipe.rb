# frozen_string_literal: true

require "socket"
require_relative "../workload"

module EngineBench
  # Pairs of fibers throw a byte to and fro: a write, a wait and a read for each throw. With one
  # pair nothing else is ever ready, so each throw needs the kernel; with many the waits share its
  # calls. settings: pairs:, over: (:pipe or :socket)
  class Pipe < Workload
    private

    def prepare
      @pairs = Array.new(@settings.fetch(:pairs)) do
        (@settings.fetch(:over) == :pipe) ? pipes : sockets
      end
    end

    # Each is [[reads, writes] of one side, the same of the other]
    def pipes
      there, back = IO.pipe, IO.pipe
      [[there[0], back[1]], [back[0], there[1]]]
    end

    def sockets = UNIXSocket.pair.map { |socket| [socket, socket] }

    def call(count)
      throws = count / @pairs.size / 2
      @pairs.each do |left, right|
        spawn { throws.times { |i| put(left, i) && take(left, i) } }
        spawn { throws.times { |i| take(right, i) && put(right, i) } }
      end
    end

    def put((_, writes), number) = writes.syswrite((number & 127).chr)

    def take((reads, _), number)
      @right += 1 if reads.readpartial(1).ord == number & 127
    end
  end
end
