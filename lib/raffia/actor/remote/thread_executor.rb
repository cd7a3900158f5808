# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Runs cores of actors on :processes and :ractors: in threads, which wait for the objects'
      # answers.
      class ThreadExecutor < Executors::Threads
        # The launcher is {Processes} or {Ractors}.
        def initialize(launcher)
          launcher.check
          @launcher = launcher
        end

        # The object handles this while it waits.
        def reenter
          super do
            Fiber[StubCall::REENTRANT] = true
            yield
          ensure
            Fiber[StubCall::REENTRANT] = nil
          end
        end

        def build(factory, core) = Stub.new(core, @launcher).start(factory)

        private

        def workers = Executors::Threads.shared.workers
      end
    end
  end
end
