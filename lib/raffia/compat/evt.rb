# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:evt)

require "io/nonblock"
require "socket"
require_relative "../../raffia"
require_relative "evt/backend"

# The interface of the gem evt 0.4.0 over Raffia's scheduler: the same classes, one for each back
# end.
#
#     Fiber.set_scheduler(Evt::Scheduler.new)
#
# Where evt's instances miss hooks of today's Ruby, or ignore a timeout, these do not: they are
# {Raffia::Scheduler}s.
module Evt
  # Of the gem whose interface this is.
  VERSION = "0.4.0"

  # The `select` engine has its hooks in Ruby; all others, where the extension is built, in C.
  NATIVE = defined?(Raffia::Scheduler::Native) ? Raffia::Scheduler::Native :
    Raffia::Scheduler::Portable
  private_constant :NATIVE

  # What they have in common; in evt, the class above them.
  Bundled = Backend::Instance

  # io_uring.
  class Uring < NATIVE
    extend Backend
    include Bundled

    ENGINE = :uring
    NAME = "liburing"
    private_constant :ENGINE, :NAME
  end

  # epoll.
  class Epoll < NATIVE
    extend Backend
    include Bundled

    ENGINE = :epoll
    NAME = "epoll"
    private_constant :ENGINE, :NAME
  end

  # kqueue.
  class Kqueue < NATIVE
    extend Backend
    include Bundled

    ENGINE = :kqueue
    NAME = "kqueue"
    private_constant :ENGINE, :NAME
  end

  # Windows' completion ports, which this version does not have: never available, as in evt.
  class Iocp < NATIVE
    extend Backend
    include Bundled

    ENGINE = :iocp
    NAME = "iocp"
    private_constant :ENGINE, :NAME
  end

  # IO.select.
  class Select < Raffia::Scheduler::Portable
    extend Backend
    include Bundled

    ENGINE = :select
    NAME = "ruby"
    private_constant :ENGINE, :NAME
  end

  # Chooses among them.
  module Scheduler
    # Best first.
    BACKENDS = [Uring, Epoll, Kqueue, Iocp, Select].freeze

    class << self
      # @return [Raffia::Scheduler] of the best back end that works here
      def new = availables.first.new

      # @return [Array<Class>]
      def availables = BACKENDS.select(&:available?)
    end
  end
end
