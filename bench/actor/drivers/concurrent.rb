# frozen_string_literal: true

require "concurrent"
require "concurrent-edge"

module ActorBench
  module Drivers
    # concurrent-ruby's actors, which have messages instead of methods, and share a pool of threads.
    class Concurrent
      Actor = ::Concurrent::Actor

      class Echo < Actor::Context
        def on_message(number) = number + 1
      end

      class Asker < Actor::Context
        def on_message((other, times)) = times.times.sum { |number| other.ask!(number) }
      end

      class Link < Actor::Context
        def on_message((word, left, done))
          return @next = left if word == :follow

          left.zero? ? done << true : @next.tell([:pass, left - 1, done])
        end
      end

      class Sink < Actor::Context
        def on_message(message)
          return expect(*message) if message.is_a?(Array)

          @done << true if (@count -= 1).zero?
        end

        def expect(count, done)
          @count = count
          @done = done
        end
      end

      class Sender < Actor::Context
        def on_message((sink, times)) = times.times { |number| sink.tell(number) }
      end

      class Failing < Actor::RestartingContext
        def on_message(_message) = raise("as asked")
      end

      class Worker < Actor::RestartingContext
        def on_message(_message)
          sleep(Plans::WORK)
          1
        end
      end

      def initialize
        ::Concurrent.global_logger = ->(*) {}
      end

      def around(_plan) = yield

      def call
        echo = Echo.spawn(:echo)
        asker = Asker.spawn(:asker)
        ->(times) { asker.ask!([echo, times]) == times * (times + 1) / 2 }
      end

      def call_thread
        echo = Echo.spawn(:echo)
        ->(times) { times.times.sum { |number| echo.ask!(number) } == times * (times + 1) / 2 }
      end

      def ring
        links = Array.new(Plans::RING) { |index| Link.spawn(:"link#{index}") }
        links.each_with_index { |link, index| link.ask!([:follow, links[index - 1]]) }
        ->(times) {
          Thread::Queue.new.then { |done| links.first.tell([:pass, times, done]) && done.pop }
        }
      end

      def fan_in
        sink = Sink.spawn(:sink)
        senders = Array.new(Plans::SENDERS) { |index| Sender.spawn(:"sender#{index}") }
        lambda do |times|
          each = times / Plans::SENDERS
          sink.ask!([each * Plans::SENDERS, done = Thread::Queue.new])
          senders.each { |sender| sender.tell([sink, each]) }
          done.pop
        end
      end

      def idle
        kept = []
        ->(times) {
          times.times.sum { |number| (kept << Echo.spawn(:echo)).last.ask!(number) } ==
            times * (times + 1) / 2
        }
      end

      def restart
        failing = Failing.spawn(:failing)
        ->(times) { times.times.count { fails?(failing) } == times }
      end

      def pool
        pool = Actor::Utils::Pool.spawn(:pool, Plans::WORKERS) do |index|
          Worker.spawn(name: :"worker#{index}", supervise: true, args: [])
        end
        ->(times) { Array.new(times) { pool.ask(:work) }.sum(&:value!) == times }
      end

      private

      def fails?(failing)
        failing.ask!(:now) && false
      rescue RuntimeError => error
        error.message == "as asked"
      end
    end
  end
end
