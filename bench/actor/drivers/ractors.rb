# frozen_string_literal: true

module ActorBench
  module Drivers
    # A Ractor for each, as people write it. Before Ruby 4.0: later ones answer through ports.
    class Ractors
      def initialize
        raise "Ractors have no take here" unless Ractor.method_defined?(:take)
      end

      def around(_plan) = yield

      def echo
        Ractor.new do
          while (asker, number = Ractor.receive)
            asker << number + 1
          end
        end
      end

      def call
        asker = Ractor.new(echo) do |other|
          while (owner, times = Ractor.receive)
            owner <<
              times.times.sum { |number| other << [Ractor.current, number] && Ractor.receive }
          end
        end
        ->(times) { asker << [Ractor.current, times] && Ractor.receive == times * (times + 1) / 2 }
      end

      def call_thread
        other = echo
        ->(times) {
          times.times.sum { |number| other << [Ractor.current, number] && Ractor.receive } ==
            times * (times + 1) / 2
        }
      end

      # Each knows the one that was made before it; the first one learns of the last.
      def ring
        first = link(nil)
        last = (Plans::RING - 1).times.inject(first) { |other, _| link(other) }
        first << last
        ->(times) { first << [times, Ractor.current] && Ractor.receive }
      end

      def fan_in
        lambda do |times|
          each = times / Plans::SENDERS
          sink = Ractor.new(each * Plans::SENDERS, Ractor.current) do |count, owner|
            count.times { Ractor.receive }
            owner << true
          end
          Plans::SENDERS.times do
            Ractor.new(sink, each) { |other, count| count.times { |number| other << number } }
          end
          Ractor.receive
        end
      end

      def idle
        kept = []
        lambda do |times|
          times.times.sum { |number|
            (kept << echo).last << [Ractor.current, number] &&
              Ractor.receive
          } == times * (times + 1) / 2
        end
      end

      private

      def link(other)
        Ractor.new(other) do |following|
          following ||= Ractor.receive
          while (left, owner = Ractor.receive)
            left.zero? ? owner << true : following << [left - 1, owner]
          end
        end
      end
    end
  end
end
