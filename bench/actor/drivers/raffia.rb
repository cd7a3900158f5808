# frozen_string_literal: true

require "logger"
require "raffia/actor"

module ActorBench
  module Drivers
    # Ours, on fibers or threads.
    class Raffia
      class Echo < ::Raffia::Actor
        def increase(number) = number + 1
      end

      class Asker < ::Raffia::Actor
        def ask(other, times) = times.times.sum { |number| other.increase(number) }
      end

      class Link < ::Raffia::Actor
        def follow(other) = @next = other

        def pass(left, done) = left.zero? ? done << true : @next.async.pass(left - 1, done)
      end

      class Sink < ::Raffia::Actor
        def initialize = @count = 0

        def expect(count, done)
          @count = count
          @done = done
        end

        def take(_number) = (@count -= 1).zero? && @done << true
      end

      class Sender < ::Raffia::Actor
        def send_to(sink, times) = times.times { |number| sink.async.take(number) }
      end

      class Failing < ::Raffia::Actor
        def fail_now = raise("as asked")
      end

      class Tree < ::Raffia::Supervisor
        strategy :one_for_one, intensity: 1_000_000_000, period: 1, backoff: 0
      end

      class Worker < ::Raffia::Actor
        def work
          sleep(Plans::WORK)
          1
        end
      end

      # @return [Class] a driver
      def self.on(place) = Class.new(self) { define_method(:place) { place } }

      def initialize
        ::Raffia::Actor.log = Logger.new(nil, level: Logger::UNKNOWN)
      end

      def around(plan, &) = plan.outside? ? yield : ::Raffia.run(&)

      def call
        echo = Echo.spawn(on: place)
        asker = Asker.spawn(on: place)
        ->(times) { asker.ask(echo, times) == times * (times + 1) / 2 }
      end

      def call_thread
        echo = Echo.spawn(on: place)
        ->(times) { times.times.sum { |number| echo.increase(number) } == times * (times + 1) / 2 }
      end

      def ring
        links = Array.new(Plans::RING) { Link.spawn(on: place) }
        links.each_with_index { |link, index| link.follow(links[index - 1]) }
        ->(times) {
          Thread::Queue.new.then { |done| links.first.async.pass(times, done) || done.pop }
        }
      end

      def fan_in
        sink = Sink.spawn(on: place)
        senders = Array.new(Plans::SENDERS) { Sender.spawn(on: place) }
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
          times.times.sum { |number| (kept << Echo.spawn(on: place)).last.increase(number) } ==
            times * (times + 1) / 2
        }
      end

      def restart
        failing = Tree.spawn.start_child(Failing, on: place)
        ->(times) { times.times.count { fails?(failing) } == times }
      end

      def pool
        pool = Worker.pool(size: Plans::WORKERS, on: place)
        ->(times) { Array.new(times) { pool.future.work }.sum(&:value) == times }
      end

      private

      def fails?(failing)
        failing.fail_now && false
      rescue RuntimeError => error
        error.message == "as asked"
      end
    end
  end
end
