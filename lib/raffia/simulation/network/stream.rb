# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # One direction of a connection: segments under way. They arrive in order and without holes:
      # those that a partition drops are sent again, until the time is up.
      #
      # @api private
      class Stream
        # One packet. `kind`: :syn, :syn_ack, :data, :fin or :rst. `sent`: nanoseconds.
        Segment = ::Struct.new(:kind, :bytes, :sent)
        private_constant :Segment

        # Seconds until the first retransmission of a SYN and of the rest, and between two at most.
        SYN_PAUSE = 1.0
        PAUSE = 0.2
        LONGEST_PAUSE = 120.0
        private_constant :SYN_PAUSE, :PAUSE, :LONGEST_PAUSE

        # Bytes under way.
        attr_reader :size

        # +receiver+: takes `receive(segment)`, which returns :lost for what it has no place for,
        # and `give_up`.
        def initialize(network, link, &receive)
          @network = network
          @world = network.world
          @link = link
          @receive = receive
          @queue = []
          @size = @waiting = 0
          @last_at = @spent = 0.0
          @pause = nil
          @over = false
        end

        # Called without arguments when the segments cannot be delivered.
        attr_accessor :on_timeout

        def send(kind, bytes = nil)
          return if @over

          @queue << Segment.new(kind, bytes, @world.clock.now)
          size = bytes ? bytes.bytesize : 0
          @size += size
          now = @world.clock.elapsed
          @last_at = [now + @link.delay(size), @last_at].max
          @world.after(@last_at - now, @link.from.name) { arrive }
        end

        def empty? = @queue.empty?

        # Drops what is under way.
        def close
          @over = true
          @queue.clear
          @timer&.cancel
        end

        private

        # The first segment has come, or one behind those that wait.
        def arrive
          return if @over

          @waiting += 1
          case @link.state
          when :up then deliver
          when :held then hold
          else
            drop(segment = @queue[@waiting - 1], segment.sent)
            retransmit_later
          end
        end

        def deliver
          @timer&.cancel
          @timer = nil
          while @waiting.positive? && !@over
            segment = @queue.shift
            @waiting -= 1
            @size -= segment.bytes.bytesize if segment.bytes
            @link.note(segment.kind, segment.bytes&.bytesize, segment.sent) if @world.trace
            return lost(segment) if @receive.call(segment) == :lost
          end
          @pause = nil
          @spent = 0.0
        end

        def lost(segment)
          @queue.unshift(segment)
          @waiting += 1
          retransmit_later
        end

        def hold
          return if @held

          @held = true
          @link.on_release do
            @held = false
            unless @over
              @link.up? ? deliver : retransmit_later
            end
          end
        end

        def retransmit_later
          return if @timer || @over

          @pause = @pause ? [@pause * 2, LONGEST_PAUSE].min : first_pause
          @timer = @world.after(@pause, @link.from.name) { retransmit }
        end

        def retransmit
          @timer = nil
          @spent += @pause
          return hold if @link.state == :held
          return @on_timeout.call if @spent >= limit

          return deliver if @link.up?

          drop(@queue.first, @world.clock.now)
          retransmit_later
        end

        # +sent+: nanoseconds, later than the segment's when it was sent again.
        def drop(segment, sent)
          @link.drop(segment.kind, segment.bytes&.bytesize, sent) if @world.trace
        end

        def syn? = @queue.first.kind == :syn

        def first_pause = syn? ? SYN_PAUSE : PAUSE

        def limit = syn? ? @network.connect_timeout : @network.timeout
      end
    end
  end
end
