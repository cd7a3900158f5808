# frozen_string_literal: true

module Celluloid
  class Error < StandardError; end

  class Interruption < RuntimeError; end

  class TimedOut < Interruption; end

  # A timeout was over before the answer came.
  class TaskTimeout < TimedOut; end

  # The actor ended while one of its tasks waited.
  class TaskTerminated < Interruption; end

  class StillActive < Error; end

  class NotActive < Error; end

  # Raised outside of actors, by functions that need one.
  class NotActorError < Error; end

  class DeadActorError < Error; end

  class NotTaskError < Error; end

  class DeadTaskError < Error; end

  class ConditionError < Error; end

  class ThreadLeak < Error; end

  class MailboxDead < Error; end

  class MailboxShutdown < Error; end

  # The caller's mistake: the actor continues.
  class AbortError < Error
    attr_reader :cause

    def initialize(cause)
      @cause = cause
      super("caused by #{cause.inspect}: #{cause}")
    end
  end
end
