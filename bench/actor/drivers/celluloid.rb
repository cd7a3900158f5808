# frozen_string_literal: true

require "celluloid"

module ActorBench
  module Drivers
    # The gem celluloid: each actor a thread, each call a fiber in it.
    class Celluloid
      class Echo
        include ::Celluloid

        def increase(number) = number + 1
      end

      class Asker
        include ::Celluloid

        def ask(other, times) = times.times.sum { |number| other.increase(number) }
      end

      class Link
        include ::Celluloid

        def follow(other) = @next = other

        def pass(left, done) = left.zero? ? done << true : @next.async.pass(left - 1, done)
      end

      class Sink
        include ::Celluloid

        def expect(count, done)
          @count = count
          @done = done
        end

        def take(_number) = (@count -= 1).zero? && @done << true
      end

      class Sender
        include ::Celluloid

        def send_to(sink, times) = times.times { |number| sink.async.take(number) }
      end

      class Failing
        include ::Celluloid

        def fail_now = raise("as asked")
      end

      class Worker
        include ::Celluloid

        def work
          sleep(Plans::WORK)
          1
        end
      end

      def initialize
        ::Celluloid.logger = nil
        ::Celluloid.boot
        require "celluloid/supervision"
        require "celluloid/pool"
      end

      def around(_plan) = yield

      def call
        echo = Echo.new
        asker = Asker.new
        ->(times) { asker.ask(echo, times) == times * (times + 1) / 2 }
      end

      def call_thread
        echo = Echo.new
        ->(times) { times.times.sum { |number| echo.increase(number) } == times * (times + 1) / 2 }
      end

      def ring
        links = Array.new(Plans::RING) { Link.new }
        links.each_with_index { |link, index| link.follow(links[index - 1]) }
        ->(times) {
          Thread::Queue.new.then { |done| links.first.async.pass(times, done) && done.pop }
        }
      end

      def fan_in
        sink = Sink.new
        senders = Array.new(Plans::SENDERS) { Sender.new }
        lambda do |times|
          each = times / Plans::SENDERS
          sink.expect(each * Plans::SENDERS, done = Thread::Queue.new)
          senders.each { |sender| sender.async.send_to(sink, each) }
          done.pop
        end
      end

      def idle
        kept = []
        ->(times) {
          times.times.sum { |number| (kept << Echo.new).last.increase(number) } ==
            times * (times + 1) / 2
        }
      end

      def restart
        Failing.supervise(as: :failing)
        ->(times) { times.times.count { fails? } == times }
      end

      def pool
        pool = Worker.pool(size: Plans::WORKERS)
        ->(times) { Array.new(times) { pool.future.work }.sum(&:value) == times }
      end

      private

      # The next one has the name a little later.
      def fails?
        sleep(0.000_1) until (failing = ::Celluloid::Actor[:failing])&.alive?
        failing.fail_now && false
      rescue ::Celluloid::DeadActorError
        retry
      rescue RuntimeError => error
        error.message == "as asked"
      end
    end
  end
end
