# frozen_string_literal: true

module Resque
  # Raffia lacks this part of Resque: the message says what to use instead.
  class NotProvided < Raffia::Error
  end

  # No queue can be inferred for a class.
  class NoQueueError < RuntimeError
  end

  # A job without a class.
  class NoClassError < RuntimeError
  end

  # A worker ended while it ran a job.
  class DirtyExit < RuntimeError
  end

  # A worker was asked to stop.
  class TermException < SignalException
  end
end
