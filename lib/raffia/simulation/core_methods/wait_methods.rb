# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Waits with a time limit that core measures by the real clock, and results that differ under
      # a Fiber scheduler.
      #
      # @api private
      module WaitMethods
        # Queue#pop. Core would begin the wait again until the real time is up.
        module PopMethods
          %i[pop shift deq].each do |name|
            define_method(name) do |non_block = false, timeout: nil|
              world = World.current or return super(non_block, timeout:)
              if timeout && !non_block
                world.fiber_waits.limits.within(timeout) { super() }
              else
                super(non_block, timeout:)
              end.tap { world.returned }
            end
          end
        end

        # SizedQueue#push.
        module PushMethods
          %i[push << enq].each do |name|
            define_method(name) do |object, non_block = false, timeout: nil|
              world = World.current or return super(object, non_block, timeout:)
              if timeout && !non_block
                world.fiber_waits.limits.within(timeout) { super(object) }
              else
                super(object, non_block, timeout:)
              end.tap { world.returned }
            end
          end
        end

        # Mutex#sleep and ConditionVariable#wait: nil when the time was up. They lock the mutex
        # again without letting anything interrupt that.
        module LockMethods
          %i[sleep wait].each do |name|
            define_method(name) do |*arguments|
              world = World.current
              return super(*arguments) if world.nil? || world.fiber_waits.scheduler

              thread = world.running
              begin
                thread.relocking = true
                thread.timed_out = false
                result = super(*arguments)
              ensure
                thread.relocking = false
              end
              timed_out = thread.timed_out
              thread.interrupts.deliver(true)
              timed_out ? nil : result
            end
          end
        end

        # Kernel#sleep returns whole seconds.
        module SleepMethods
          def sleep(*seconds)
            world = World.current or return super
            clock = world.clock
            start = clock.now
            super
            (clock.now - start + VirtualClock::SECOND / 2) / VirtualClock::SECOND
          end

          # The same as a private method of all objects.
          module PrivateMethods
            define_method(:sleep, SleepMethods.instance_method(:sleep))
            private :sleep
          end
        end

        # IO#close of what others wait for.
        module CloseMethods
          def close
            World.current&.interest&.release(self)
            super
          end
        end

        def self.install
          ::IO.prepend(CloseMethods)
          ::Thread::Queue.prepend(PopMethods)
          ::Thread::SizedQueue.prepend(PopMethods, PushMethods)
          ::Thread::Mutex.prepend(LockMethods)
          ::Thread::ConditionVariable.prepend(LockMethods)
          ::Kernel.prepend(SleepMethods::PrivateMethods)
          Replacement.call(::Kernel, SleepMethods)
        end
      end
    end
  end
end
