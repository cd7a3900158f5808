# frozen_string_literal: true

module ActorBench
  module Drivers
    # A thread at a queue for each, as people write it.
    class Threads
      # A thread that passes each message to the block.
      def actor(&block)
        inbox = Thread::Queue.new
        Thread.new do
          while (message = inbox.pop)
            block.call(message)
          end
        end
        inbox
      end

      def echo = actor { |number, answer| answer << number + 1 }

      def ask(inbox, message, answer)
        inbox << [message, answer]
        answer.pop
      end

      def around(_plan) = yield

      def call
        other = echo
        asker = actor { |times, answer| answer << asked(other, times) }
        ->(times) { ask(asker, times, Thread::Queue.new) == times * (times + 1) / 2 }
      end

      def call_thread
        other = echo
        ->(times) { asked(other, times) == times * (times + 1) / 2 }
      end

      def ring
        links = Array.new(Plans::RING) do |index|
          actor { |left, done| left.zero? ? done << true : links[index - 1] << [left - 1, done] }
        end
        ->(times) { Thread::Queue.new.then { |done| links.first << [times, done] && done.pop } }
      end

      def fan_in
        lambda do |times|
          each = times / Plans::SENDERS
          left = each * Plans::SENDERS
          done = Thread::Queue.new
          sink = actor { |_number| done << true if (left -= 1).zero? }
          Plans::SENDERS.times { actor { |count| count.times { |number| sink << number } } << each }
          done.pop
        end
      end

      def idle
        kept = []
        answer = Thread::Queue.new
        ->(times) {
          times.times.sum { |number| ask((kept << echo).last, number, answer) } ==
            times * (times + 1) / 2
        }
      end

      def pool
        inbox = Thread::Queue.new
        Plans::WORKERS.times { Thread.new { work(inbox) } }
        lambda do |times|
          done = Thread::Queue.new
          times.times { inbox << done }
          Array.new(times) { done.pop }.sum == times
        end
      end

      private

      def asked(other, times)
        answer = Thread::Queue.new
        times.times.sum { |number| ask(other, number, answer) }
      end

      def work(inbox)
        while (done = inbox.pop)
          sleep(Plans::WORK)
          done << 1
        end
      end
    end
  end
end
