# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../../native"
require_relative "../../process/experimental_warning"
require_relative "../../process/framed_pipe"
require_relative "error_messages"

module Raffia
  module Executor
    module Ractors
      # Talks to Ractors; the one file that knows how Rubies differ in that.
      #
      # Up to Ruby 3.4 two threads of a Ractor that wait at once, each for another Ractor, lose
      # wake-ups and hang (take, receive, yield and select alike). A wait knows no timeout, and
      # stops all fibers of its thread. So the main Ractor never waits for a Ractor here. Messages
      # go down by +send+, which does not wait. Replies come up as frames through a pipe, which any
      # number of threads can read with deadlines. For small replies that is as fast as take.
      class Adapter
        # Written by the Ractor at its end, followed by the error that ended it, if any.
        END_MARK = "!"
        # Seconds between two checks that the Ractor exists, while a reply is awaited.
        CHECK_INTERVAL = 1.0

        # The value of a Ractor's block. To be waited for in a Ractor only.
        def self.value(ractor) = ractor.respond_to?(:take) ? ractor.take : ractor.value

        def self.start(...)
          ErrorMessages.install
          # Ruby 3 loads it on first use, as by `to_set`, and a Ractor must not load anything.
          require "set" # standard:disable Lint/RedundantRequireStatement
          Process::ExperimentalWarning.silence { ::Ractor.new(...) }
        end

        # A copy of a block whose self is nil; nil where there is no way. Raises
        # Ractor::IsolationError, ArgumentError from Ruby 4.0 on, when it captures what is not
        # shareable.
        def self.detach(block, ractors = ::Ractor)
          return ractors.shareable_proc(self: nil, &block) if ractors.respond_to?(:shareable_proc)

          Native.rebind_self(block, nil) if Native.respond_to?(:rebind_self)
        end

        # In the Ractor: opens its end of the pipe, and closes it after the block. No error leaves
        # it, because Ruby would format and print it.
        def self.serve(fd)
          ::Thread.current.report_on_exception = false
          io = ::IO.for_fd(fd, "wb")
          writer = Process::FramedPipe::Writer.new(io)
          yield writer
        rescue ::Exception => error # standard:disable Lint/RescueException
          nil
        ensure
          writer&.write(END_MARK + describe(error))
          io&.close
        end

        def self.describe(error)
          error ? "#{error.class}: #{error.message}" : ""
        rescue ::Exception # standard:disable Lint/RescueException
          error.class.to_s # its message is code of the user's
        end
        private_class_method :describe

        def initialize
          reader, writer = ::IO.pipe
          # The number belongs to the Ractor now. A forked child has no such Ractor, and keeps it
          # open unused.
          writer.autoclose = false
          @reader = Process::FramedPipe::Reader.new(reader)
          @fork = Fork.after_child { @reader.close }
          @ractor = Process::ExperimentalWarning.silence { yield writer.fileno }
        rescue Exception # standard:disable Lint/RescueException
          close if @fork
          writer&.autoclose = true
          writer&.close
          raise
        end

        def post(message, move: false)
          @ractor.send(message, move: move)
        rescue ::Ractor::ClosedError
          nil # it has said goodbye, or will
        end

        attr_reader :last_words

        # The next reply; nil when the Ractor has ended.
        def read
          nil until @reader.ready?(CHECK_INTERVAL) || (ended? && !@reader.ready?(0))
          # A Ractor that ended without closing its end writes no more.
          frame = @reader.read if @reader.ready?(0)
          return frame unless frame.nil? || frame.start_with?(END_MARK)

          if frame && frame.bytesize > 1
            @last_words = frame.byteslice(1..).force_encoding(Encoding::UTF_8).scrub
          end
          nil
        end

        # Whether there is something to read, after so many seconds; nil waits for ever.
        def reply?(seconds) = @reader.ready?(seconds)

        def finish
          post(nil)
          nil while read
        ensure
          close
        end

        # The Ractor cannot be stopped from outside, but it ends when its next reply has no reader.
        def abandon
          close
          post(nil)
        end

        private

        # Only Ractor#inspect tells.
        def ended? = @ractor.inspect.end_with?(" terminated>")

        def close
          @fork.remove
          @reader.close
        end
      end
    end
  end
end
