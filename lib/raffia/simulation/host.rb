# frozen_string_literal: true

module Raffia
  module Simulation
    # A machine of a simulated network, with a name, an address, and a clock of its own. It runs a
    # block in simulated threads. Hosts share one Ruby: constants, globals and instance variables of
    # classes are seen by all of them, and survive a crash; see {Handle#per_host}. A pool of threads
    # that hosts share loses those that the crashed host has started.
    class Host
      # Ports of clients start here.
      FIRST_PORT = 40_000
      private_constant :FIRST_PORT

      # @return [String]
      attr_reader :name

      # @return [String] IP address
      attr_reader :address

      # @return [Integer] how many times it has been started
      attr_reader :incarnation

      # @api private
      def initialize(world, network, name, address, restart: nil, &block)
        @world = world
        @network = network
        @name = name
        @address = address
        @restart = restart
        @block = block
        @incarnation = 0
        @dark = false
        @clock_offset = @drift = @drift_since = 0
        @sockets = []
        @next_port = FIRST_PORT
      end

      # @return [Array<Thread>] those that live
      def threads = @world.threads.select { |thread| thread.host.equal?(self) && thread.alive? }

      # @return [Boolean] whether it is off the network, after a silent crash
      def dark? = @dark

      # @return [Boolean] whether a thread of it lives
      def running? = threads.any?

      # @api private
      def start
        @dark = false
        @incarnation += 1
        suffix = "##{@incarnation}" if @incarnation > 1
        @world.start([], daemon: true, name: "#{@name}#{suffix}", host: self, &@block)
      end

      # @api private
      def crash(peers: :reset)
        @dark = peers == :silence
        left = threads
        @network.connections.crash(self, silently: @dark)
        @sockets.each(&:close)
        @sockets.clear
        @world.after(@restart, @name) { start if threads.empty? } if @restart && @block
        left.partition { |thread| !thread.equal?(@world.running) }.flatten
          .each { |thread| @world.abandon(thread) }
      end

      # @api private
      def restart
        crash if running?
        start
      end

      # @api private
      def stop
        threads.reject { |thread| thread.equal?(@world.running) }.each(&:kill).each do |thread|
          thread.join
        rescue
          nil # it is reported as unjoined
        end
        @network.poll
        @sockets.each(&:leave)
        @sockets.clear
      end

      # Moves the wall clock by some nanoseconds.
      # @api private
      def step_clock(nanoseconds) = @clock_offset += nanoseconds

      # Lets the wall clock go faster from now on, by this part of the time.
      # @api private
      def drift_clock(rate)
        @clock_offset = clock_offset
        @drift_since = @world.clock.now
        @drift = rate
      end

      # Nanoseconds by which its wall clock differs from the world's.
      # @api private
      def clock_offset
        @clock_offset + ((@world.clock.now - @drift_since) * @drift).round
      end

      # @api private
      def opened(socket)
        @sockets.delete_if { |other| !other.open? } if (@sockets.size % 64) == 63
        @sockets << socket
      end

      # The kernel's name of a socket that is bound to the port.
      # @api private
      def name_of(port, type = :tcp) = "#{type}/#{@address}:#{port}"

      # @api private
      def next_port = (@next_port += 1) - 1

      # @return [String]
      def to_s = @name

      # @return [String]
      def inspect = "#<#{self.class} #{@name} #{@address}>"
    end
  end
end
