# frozen_string_literal: true

module Raffia
  module Simulation
    # Refuses what a world does not control: real sockets, names of the real DNS, processes. The
    # program cannot hide it by a rescue.
    #
    # @api private
    class Boundary
      # The first error, nil for none.
      attr_reader :violation

      def initialize(settings)
        @settings = settings
        @violation = nil
        @allowed = {}.compare_by_identity # fibers
      end

      # Lets the running fiber start processes in the block, outside of the simulation.
      def allow_processes
        fiber = ::Fiber.current
        before = @allowed[fiber]
        @allowed[fiber] = true
        yield
      ensure
        @allowed.delete(fiber) unless before
      end

      def refuse(message)
        error = NotSimulated.new(message)
        @violation ||= error
        raise error
      end

      # +action+: a clause such as "fork starts a process".
      def process(action)
        return if @settings.allow?(:processes) || @allowed[::Fiber.current]

        refuse("#{action}, which no simulation holds: put it into sim.real { }, or " \
          "allow: [:processes]")
      end

      # Whether only something outside of the world can end a wait for the IO: that of a process, or
      # a real socket. Only with `allow`; the world stands still meanwhile.
      def real?(io)
        (@settings.allow?(:processes) && io.is_a?(::IO) && !io.closed? && !io.pid.nil?) ||
          (@settings.allow?(:sockets) && io.is_a?(::BasicSocket) && inet?(io))
      end

      # A wait for a real socket has no end in a world.
      def io(io)
        return if @settings.allow?(:sockets) || !io.is_a?(::BasicSocket)
        return unless inet?(io)

        refuse("#{io.inspect} is a real socket: connect inside of the run, put it into " \
          "sim.real { }, or allow: [:sockets]")
      end

      # An address outside of the simulated network.
      def address(ip)
        refuse("#{ip} is not the address of a host of the run: use sim.host, put it into " \
          "sim.real { }, or allow: [:sockets]")
      end

      def name(hostname)
        refuse("the name #{hostname} would be looked up in the real DNS: use hosts of the run")
      end

      private

      def inet?(io)
        !io.closed? && !World.current&.network&.endpoint(io) && io.local_address.ip?
      rescue ::IOError, ::SystemCallError
        false # the wait itself says so
      end
    end
  end
end
