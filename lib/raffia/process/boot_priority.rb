# frozen_string_literal: true

module Raffia
  module Process
    # A lower priority for a server that boots beside one that serves. Linux keeps priorities by
    # thread, and threads and processes inherit them. An ordinary user may lower a priority and not
    # raise it again, unless RLIMIT_NICE allows it (systemd's LimitNICE): then nothing is lowered.
    #
    # @api private
    class BootPriority
      # A quarter of a CPU's time beside a thread that never sleeps.
      STEP = 5
      WORST = 19
      private_constant :STEP, :WORST

      class << self
        # Lowers this thread's. Nil where it may not be raised again, or is the lowest already.
        def lower
          now = current
          return if now + STEP > WORST || !reversible?(now)

          set(now + STEP)
          new(now)
        end

        # Starts a process of lower priority; the block returns its pid. Returns this priority,
        # or nil when the process got that.
        def spawn
          ::Thread.new {
            ::Thread.current.report_on_exception = false
            lowered = lower
            [yield, lowered&.usual]
          }.value
        end

        def current = ::Process.getpriority(::Process::PRIO_PROCESS, 0)

        def set(value, thread = 0)
          ::Process.setpriority(::Process::PRIO_PROCESS, thread, value)
        end

        private

        # Tried by a thread that ends at once.
        def reversible?(now)
          ::Thread.new do
            set(now + STEP)
            set(now)
            true
          rescue Errno::EACCES, Errno::EPERM
            false
          end.value
        end
      end

      # The priority that the server is to have (see nice(2)).
      attr_reader :usual

      def initialize(usual)
        @usual = usual
      end

      # All threads of these processes get the usual one.
      def restore(pids)
        pids.each do |pid|
          Dir.each_child("/proc/#{pid}/task") { |thread| restore_thread(thread.to_i) }
        rescue Errno::ENOENT, Errno::ESRCH
          nil # the process has ended
        end
      end

      private

      def restore_thread(number)
        BootPriority.set(@usual, number)
      rescue Errno::ESRCH
        nil # the thread has ended
      end
    end
  end
end
