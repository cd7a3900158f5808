# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:evt)

require "io/nonblock"
require "socket"
require_relative "../../raffia"
require_relative "evt/backend"

# The interface of the gem evt 0.4.0 over Raffia's scheduler: one class for each back end.
#
#     Fiber.set_scheduler(Evt::Scheduler.new)
#
# Unlike evt's, instances have all hooks of the running Ruby and honour timeouts.
module Evt
  VERSION = "0.4.0"

  # The `select` engine has its hooks in Ruby; the others have them in C if the extension is built.
  NATIVE = defined?(Raffia::Scheduler::Native) ? Raffia::Scheduler::Native :
    Raffia::Scheduler::Portable
  private_constant :NATIVE

  # evt's superclass of all back ends.
  Bundled = Backend::Instance

  class Uring < NATIVE
    extend Backend
    include Bundled

    ENGINE = :uring
    NAME = "liburing"
    private_constant :ENGINE, :NAME
  end

  class Epoll < NATIVE
    extend Backend
    include Bundled

    ENGINE = :epoll
    NAME = "epoll"
    private_constant :ENGINE, :NAME
  end

  class Kqueue < NATIVE
    extend Backend
    include Bundled

    ENGINE = :kqueue
    NAME = "kqueue"
    private_constant :ENGINE, :NAME
  end

  # Windows' completion ports, never available, as in evt.
  class Iocp < NATIVE
    extend Backend
    include Bundled

    ENGINE = :iocp
    NAME = "iocp"
    private_constant :ENGINE, :NAME
  end

  class Select < Raffia::Scheduler::Portable
    extend Backend
    include Bundled

    ENGINE = :select
    NAME = "ruby"
    private_constant :ENGINE, :NAME
  end

  module Scheduler
    # Best first.
    BACKENDS = [Uring, Epoll, Kqueue, Iocp, Select].freeze

    class << self
      def new = availables.first.new

      def availables = BACKENDS.select(&:available?)
    end
  end
end
