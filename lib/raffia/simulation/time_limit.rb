# frozen_string_literal: true

module Raffia
  module Simulation
    # Timeout.timeout of a simulated thread: the exception strikes at any point where the thread's
    # mask allows it, as that of a real thread does.
    #
    # @api private
    class TimeLimit
      EXPIRED = "execution expired"
      private_constant :EXPIRED

      def initialize(world)
        @world = world
      end

      # The same as Timeout.timeout. Without a class, the block sees an exception that no `rescue =>
      # error` takes.
      def call(seconds, klass, message, &)
        return yield(seconds) if seconds.nil? || seconds.zero?
        return enforce(seconds, klass.exception(message || EXPIRED), &) if klass

        error = ::Timeout::ExitException.new(message || EXPIRED)
        begin
          enforce(seconds, error, &)
        rescue ::Timeout::ExitException => late
          raise unless late.equal?(error)

          raise ::Timeout::Error, error.message
        end
      end

      def enforce(seconds, error)
        thread = @world.running
        timer = @world.after(seconds, thread) { thread.interrupts.post(error) }
        yield seconds
      ensure
        timer&.cancel
        thread&.interrupts&.remove(error)
      end
    end
  end
end
