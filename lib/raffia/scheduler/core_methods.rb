# frozen_string_literal: true

module Raffia
  class Scheduler
    # The two methods of core that wait without asking any hook: IO.copy_stream and File#flock.
    # docs/adr/0018 says why they are prepended to. In a fiber of our scheduler they wait in it;
    # anywhere else they are core's own. IO#pwrite asks its hook in a way that ends the process.
    #
    # @api private
    module CoreMethods
      # For IO.copy_stream.
      module CopyStream
        # @return [Integer] bytes
        def copy_stream(source, target, *limits)
          scheduler = Fiber.current_scheduler
          return super unless scheduler.is_a?(Scheduler) && limits.size <= 2

          scheduler.copy_stream(source, target, *limits) { |*arguments| super(*arguments) }
        end
      end

      # For File#flock.
      module FileLock
        # @return [Integer, false]
        def flock(operation)
          scheduler = Fiber.current_scheduler
          return super unless scheduler.is_a?(Scheduler) && operation.is_a?(Integer)

          scheduler.flock(operation) { |attempt| super(attempt) }
        end
      end

      # For IO#pwrite. Ruby before 4.0 makes an IO::Buffer for the hook without holding the VM's
      # lock, whether or not there is a hook. While another thread collects garbage, Ruby aborts.
      module PositionedWrite
        # @return [Integer] bytes
        def pwrite(...)
          return super unless Fiber.current_scheduler.is_a?(Scheduler)

          Fiber.blocking { super }
        end
      end
      private_constant :CopyStream, :FileLock, :PositionedWrite

      # Done on require: a class must not change while other Ractors call methods of it (Ruby 3.4
      # crashes).
      # @return [void]
      def self.install
        ::IO.singleton_class.prepend(CopyStream)
        ::File.prepend(FileLock)
        ::IO.prepend(PositionedWrite) if RUBY_VERSION < "4"
      end
    end
  end
end
