# frozen_string_literal: true

module Raffia
  module Simulation
    # Methods of core that a world replaces. They are replaced once, when the first run begins, and
    # do nothing but call the originals outside of a world.
    #
    # @api private
    module CoreMethods
      require_relative "core_methods/assertion_methods"
      require_relative "core_methods/condition_methods"
      require_relative "core_methods/fiber_methods"
      require_relative "core_methods/file_methods"
      require_relative "core_methods/kernel_methods"
      require_relative "core_methods/network_methods"
      require_relative "core_methods/process_methods"
      require_relative "core_methods/ractor_local_methods"
      require_relative "core_methods/random_methods"
      require_relative "core_methods/replacement"
      require_relative "core_methods/scheduler_methods"
      require_relative "core_methods/socket_methods"
      require_relative "core_methods/stream_methods"
      require_relative "core_methods/thread_methods"
      require_relative "core_methods/time_methods"
      require_relative "core_methods/timeout_methods"
      require_relative "core_methods/travel_methods"
      require_relative "core_methods/wait_methods"

      def self.install
        TravelMethods.install
        AssertionMethods.install
        return if ::Thread.respond_to?(:real_current)

        ::Thread.singleton_class.alias_method(:real_current, :current)
        ::Fiber.singleton_class.alias_method(:real_blocking, :blocking)
        Raffia::Scheduler.singleton_class.prepend(SchedulerMethods)
        {::Thread => ThreadMethods, ::Fiber => FiberMethods, RactorLocal => RactorLocalMethods,
         ::Ractor => ProcessMethods::Ractors, ::Process => ProcessMethods,
         ::Random => RandomMethods, ::Time => TimeMethods, ::IO => ProcessMethods::Pipes,
         ::Kernel => KernelMethods}
          .each { |owner, methods| Replacement.call(owner, methods) }
        TimeMethods.install
        ::Kernel.prepend(KernelMethods::PrivateMethods)
        TimeoutMethods.install
        NetworkMethods.install
        WaitMethods.install
        ::Thread::ConditionVariable.prepend(ConditionMethods)
      end

      # Methods that may fail by chance or by plan: only for runs with such faults, because programs
      # call them often.
      def self.install_faults
        return if ::File.include?(FileMethods)

        ::File.prepend(FileMethods)
        ::IO.singleton_class.prepend(FileMethods::ClassMethods)
        ::IO.prepend(StreamMethods)
        SocketMethods.install
      end
    end
  end
end
