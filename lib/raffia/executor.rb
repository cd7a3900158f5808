# frozen_string_literal: true

require_relative "base"
require_relative "task"
require_relative "process"

module Raffia
  # Where calls run: in the caller, in fibers, threads, Ractors or forked processes. Pools, jobs,
  # actors and the server use these five; none of their words (chunk, job, mailbox, request) is
  # known here. A new executor is one folder and one line in {ALL}.
  #
  # == Executor
  #
  # A module that answers
  #
  #     check(limits)      raises ConfigError where this Ruby or the limits do not allow it
  #     capacity(limits)   -> Integer, calls at once
  #     granularity        -> Float, seconds of work worth one message; 0.0: a call at a time
  #     in_caller?         -> whether the caller does the work
  #     local?             -> whether a call may bring a block; else workers have it from the start
  #     group              -> class of groups that end with the block they are opened for
  #     background_group   -> class of those that outlive it; nil: the submitter does the work
  #     around { }         runs the block where the group can work
  #
  # and, where it is not local,
  #
  #     workers(service, limits) -> Proc that makes workers
  #     batch_limit(limits)      -> Integer, nil: the most calls in a message
  #     overrun_grace            -> Float, seconds beyond its limit after which a call is ended from
  #                                 outside; 0.0: nothing inside of the worker can interrupt it
  #
  # +limits+ is a {Pool::Options}.
  #
  # == Group
  #
  # Runs up to so many {WorkerLoop}s for a coordinator: start, grow, size, join, stop. +stop+
  # interrupts calls, and waits for them.
  #
  # == Worker: a call that is elsewhere
  #
  #     post(message, count) { |error| ... }  sends a message of so many calls; the block makes the
  #                                           error for one that cannot be sent
  #     receive { |error| ... }               -> {Reply} to the oldest message; nil: it is dead
  #     reply?(seconds), room?(count), sendable?(value), refusal(value, index, error), pid, replaced
  #     noted                                 -> Integer, nil: the call that it began last; notes?
  #     death { {item:, index:} }             -> WorkerDied
  #     interrupt                             -> Symbol, the level that it took
  #     close(grace)                          seconds for what runs; 0: now
  #
  # A service is what a worker does with a message: +call(message)+ gives a {Reply}, +block+ is the
  # user's code in it. A worker that does not +post+ is called by its loop, one call after another.
  #
  # == DuplexWorker: an object that is elsewhere
  #
  # A process or Ractor whose service talks when it wants to. Frames go both ways, unasked, and the
  # user gives them their meaning. There is one for each object, and no group.
  #
  #     read             -> String, a frame; nil: it is dead
  #     write(frame)
  #     codec            -> #dump, #load: the contents of frames
  #     death { item }   -> WorkerDied; the block names what it worked on, nil: nothing
  #     interrupt        -> Symbol, the level that it took
  #     close(grace)     no more frames: it ends after what it does; waits so many seconds for that
  #
  # The service has the same at its end, a {PipeTransport}.
  #
  # == Interruption and death
  #
  #     executor   interrupted                  level         a death
  #     inline     with its caller              -             is the caller's
  #     fibers     where the call waits         :interrupted  Fiber#kill: WorkerDied for that call
  #     threads    almost anywhere in Ruby;     :interrupted  Thread#kill: likewise
  #                C code ends first
  #     ractors    between messages; the call   :abandoned    WorkerDied with its last words; the
  #                goes on unheard                            process cannot fork any more on Ruby 3
  #     processes  at any time                  :killed       WorkerDied with signal and item; calls
  #                                                           that were not begun go to others
  #
  # Cancel is raised in fibers and threads, so +ensure+ blocks run. A death is never silent: each
  # call that was posted is answered, sent to another worker, or named in an error.
  #
  # @api private
  module Executor
    # Seconds that a worker elsewhere gets to leave by itself when no work is left.
    GRACE = 5
  end
end

require_relative "executor/delay_queue"
require_relative "executor/idle_workers"
require_relative "executor/inline"
require_relative "executor/fibers"
require_relative "executor/threads"
require_relative "executor/ractors"
require_relative "executor/processes"

module Raffia
  module Executor
    ALL = {
      inline: Inline,
      fibers: Fibers,
      threads: Threads,
      ractors: Ractors,
      processes: Processes
    }.freeze
  end
end
