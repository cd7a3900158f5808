# frozen_string_literal: true

require_relative "latency"

module Raffia
  module Simulation
    class Network
      # The way from one host to another: one direction.
      #
      # @api private
      class Link
        # One that a trace records. `sent`: nanoseconds. `to`: nil when nobody has the address.
        Packet = ::Data.define(:from, :to, :sent)

        # :up; :held: packets wait for {#release}; :partitioned: packets are lost.
        attr_reader :from, :to
        # Own values instead of the network's; nil for those.
        attr_writer :latency, :bandwidth

        def initialize(network, from, to)
          @network = network
          @world = network.world
          @from = from
          @to = to
          @state = :up
          @free_at = 0.0
          @holding = []
          @posted = []
          @last_number = 0
        end

        def state
          return :partitioned if @to.nil? || @from.dark? || @to.dark?

          @state
        end

        def up? = state == :up

        def partition = @state = :partitioned

        def hold = @state = :held

        # Lets packets through again.
        def heal
          @state = :up
          held = @holding
          @holding = []
          held.each { |action| @world.after(0, &action) }
        end

        # Calls the block when the link is up again.
        def on_release(&action) = @holding << action

        # Calls the block when a packet of this size arrives, unless it is lost. Of those that
        # arrive at one time, the one goes first that was sent first.
        def post(size, &arrive)
          seconds = delay(size)
          sent = @world.clock.now
          @posted << [@world.clock.elapsed + seconds, @last_number += 1, arrive]
          @world.after(seconds, @from.name) do
            first = @posted.min_by { |at, number, _| [at, number] }
            @posted.delete(first)
            case state
            when :up
              note(:datagram, size, sent) if @world.trace
              first.last.call
            when :held then on_release(&first.last)
            else (drop(:datagram, size, sent) if @world.trace)
            end
          end
        end

        # A packet has arrived. +sent+: nanoseconds.
        def note(kind, size, sent) = record(:packet, kind, size, sent)

        # A packet is lost on its way.
        def drop(kind, size, sent) = record(:drop, kind, size, sent)

        # Seconds until a packet of this size arrives that is sent now.
        def delay(size)
          return 0 if @from.equal?(@to)

          latency = (@latency || @network.default_latency).sample(@world)
          bandwidth = @bandwidth || @network.bandwidth or return latency
          now = @world.clock.elapsed
          @free_at = [now, @free_at].max + size.fdiv(bandwidth)
          @free_at - now + latency
        end

        private

        def record(event, kind, size, sent)
          text = [("lost:" if event == :drop), kind.to_s.tr("_", "-"), ("#{size} B" if size),
            "from #{@from.name}"].compact
          @world.note(event, Packet.new(@from, @to, sent), text.join(" "))
        end
      end
    end
  end
end
