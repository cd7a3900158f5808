# frozen_string_literal: true

# dalli#776, #941: a client writes many requests before it reads; the server cannot write more
# answers and no longer reads, so both wait. The buffers of the socket are queues here. Fixed: the
# client reads an answer whenever it cannot write.
module SimulationBench
  module DalliFullBuffers
    class Wire
      attr_reader :requests, :answers

      def initialize(room)
        @requests = SizedQueue.new(room)
        @answers = SizedQueue.new(room)
      end
    end

    class Client
      def initialize(wire)
        @wire = wire
        @received = []
      end

      # Writes in chunks of three; takes what is there between them.
      def get_all(keys)
        keys.each_slice(3) do |chunk|
          chunk.each { |key| write(key) }
          @received.push(@wire.answers.pop) until @wire.answers.empty?
        end
        @received.push(@wire.answers.pop) while @received.size < keys.size
        @received
      end

      private

      def write(key) = @wire.requests.push(key)
    end

    class ReadingClient < Client
      def write(key)
        @wire.requests.push(key, true)
      rescue ThreadError # full
        @received.push(@wire.answers.pop)
        retry
      end
    end

    def self.run(type)
      wire = Wire.new(2)
      server = Thread.new { 6.times { wire.answers.push(look_up(wire.requests.pop)) } }
      answers = type.new(wire).get_all([*1..6])
      server.join
      SimulationBench.check(answers == [*1..6], "the answers are #{answers.inspect}")
    end

    def self.look_up(key) = key
  end

  model "dalli_full_buffers", source: "dalli#776, #941",
    fault: "both sides write and neither reads",
    needs: [:preempt], buggy: ->(_sim) { DalliFullBuffers.run(DalliFullBuffers::Client) },
    fixed: ->(_sim) { DalliFullBuffers.run(DalliFullBuffers::ReadingClient) }
end
