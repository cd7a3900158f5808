# frozen_string_literal: true

module Raffia
  module Lab
    # Ends a child when its parent has gone, even by kill -9. The parent holds the other end of a
    # pipe, and the kernel turns its end of file into a SIGTERM. A thread that watches the pipe
    # would be part of the measured work.
    module Lifeline
      # From <fcntl.h>. Ruby's Fcntl lacks some of them, and other machines have other values.
      F_GETFL = 3
      F_SETFL = 4
      F_SETOWN = 8
      F_SETSIG = 10
      O_ASYNC = 0o20000
      PLATFORMS = /\A(x86_64|aarch64|riscv64)-linux/

      # Watches the pipe while the block runs. The parent writes nothing to it meanwhile, so only
      # its end can come. Raises SignalException when the parent has gone.
      def self.hold(pipe)
        return yield unless RUBY_ENGINE == "ruby" && RUBY_PLATFORM.match?(PLATFORMS)
        flags = pipe.fcntl(F_GETFL, 0)
        begin
          pipe.fcntl(F_SETOWN, ::Process.pid)
          pipe.fcntl(F_SETSIG, Signal.list.fetch("TERM"))
          pipe.fcntl(F_SETFL, flags | O_ASYNC)
          # The end of a parent that had gone before this gave no signal.
          raise SignalException, "TERM" if pipe.wait_readable(0)
          yield
        ensure
          pipe.fcntl(F_SETFL, flags)
        end
      end
    end
  end
end
