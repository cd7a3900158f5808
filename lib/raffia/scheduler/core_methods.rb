# frozen_string_literal: true

require_relative "stream_copy"

module Raffia
  class Scheduler
    # Prepended to the methods of core that wait without calling a hook, and to IO#pwrite, whose
    # hook ends the process (docs/adr/0018). They act in fibers of our scheduler only.
    #
    # @api private
    module CoreMethods
      module CopyStream
        def copy_stream(source, target, *limits)
          scheduler = Fiber.current_scheduler
          return super unless scheduler.is_a?(Hooks) && limits.size <= 2

          StreamCopy.new(scheduler) { |*arguments| super(*arguments) }
            .call(source, target, *limits)
        end
      end

      # The kernel does not announce a free lock, and the holder may be another fiber of the same
      # thread. So the lock is tried again, at growing intervals.
      module FileLock
        FIRST_PAUSE = 0.001
        LONGEST_PAUSE = 0.05
        private_constant :FIRST_PAUSE, :LONGEST_PAUSE

        def flock(operation)
          scheduler = Fiber.current_scheduler
          return super unless scheduler.is_a?(Hooks) && operation.is_a?(Integer)

          pause = FIRST_PAUSE
          until (taken = super(operation | File::LOCK_NB))
            return taken if operation.anybits?(File::LOCK_NB)

            scheduler.kernel_sleep(pause)
            pause = [pause * 2, LONGEST_PAUSE].min
          end
          taken
        end
      end

      # Ruby before 4.0 makes an IO::Buffer for the hook without holding the GVL, whether or not
      # there is a hook. While another thread collects garbage, Ruby aborts.
      module BlockingPwrite
        def pwrite(...)
          return super unless Fiber.current_scheduler.is_a?(Hooks)

          Fiber.blocking { super }
        end
      end
      private_constant :CopyStream, :FileLock, :BlockingPwrite

      # On require: a class must not change while other Ractors call its methods (Ruby 3.4 crashes).
      def self.install
        ::IO.singleton_class.prepend(CopyStream)
        ::File.prepend(FileLock)
        ::IO.prepend(BlockingPwrite) if RUBY_VERSION < "4"
      end
    end
  end
end
