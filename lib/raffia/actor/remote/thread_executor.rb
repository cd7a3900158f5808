# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Runs cores of actors on :processes and :ractors: in threads, which wait for the objects'
      # answers.
      class ThreadExecutor
        # @param launcher [Class] {Processes} or {Ractors}
        # @raise [ConfigError] when this Ruby has none
        def initialize(launcher)
          launcher.check
          @threads = Executors::Threads.shared
          @launcher = launcher
        end

        # (see Executors::Threads#dispatch)
        def dispatch(execution, now) = @threads.dispatch(execution, now)

        # (see Executors::Threads#go_on)
        def go_on(execution) = @threads.go_on(execution)

        # @return [Object] the block's value
        def run(&) = @threads.run(&)

        # (see Executors::Threads#enter)
        def enter(core, &) = @threads.enter(core, &)

        # (see Executors::Threads#expose)
        def expose(scope, &) = @threads.expose(scope, &)

        # The object handles this while it waits.
        def reenter
          @threads.reenter do
            Fiber[StubCall::REENTRANT] = true
            yield
          ensure
            Fiber[StubCall::REENTRANT] = nil
          end
        end

        # @param factory [ObjectFactory]
        # @return [Stub]
        def build(factory, core) = Stub.new(core, @launcher.new(factory, core)).start
      end
    end
  end
end
