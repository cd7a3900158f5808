# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Where the core of such an actor is worked for: in threads, of which there is one as long as
      # there are messages, waiting for the object's answers.
      #
      # @api private
      class Place
        # @param home [Class] of what makes the other side
        # @raise [ConfigError] when this Ruby has no such place
        def initialize(home)
          home.check
          @threads = Places::Threads.shared
          @home = home
        end

        # (see Places::Threads#dispatch)
        def dispatch(execution, now) = @threads.dispatch(execution, now)

        # (see Places::Threads#go_on)
        def go_on(execution) = @threads.go_on(execution)

        def here? = false

        # @return [Object] the block's value
        def run(&) = @threads.run(&)

        # (see Places::Threads#enter)
        def enter(core, &) = @threads.enter(core, &)

        # (see Places::Threads#expose)
        def expose(region, &) = @threads.expose(region, &)

        # The object waits: it is to do this meanwhile.
        # @return [void]
        def reenter
          @threads.reenter do
            Fiber[Conversation::REENTRANT] = true
            yield
          ensure
            Fiber[Conversation::REENTRANT] = nil
          end
        end

        # @param factory [ObjectFactory]
        # @param core [ActorCore]
        # @return [Stub]
        def build(factory, core) = Stub.new(core, @home.new(factory, core)).begin
      end
    end
  end
end
