# frozen_string_literal: true

require_relative "plant"

module Simulations
  module Jobs
    # Workers that do nothing but enqueue recurring jobs, on a store that the run chooses.
    class RecurringPlant
      Recurring = Raffia::Jobs::Recurring

      # The part of a worker that enqueues recurring jobs, with a schedule read by itself.
      class Ticking
        attr_reader :link, :thread

        def initialize(plant, link)
          @link = link
          schedule = Recurring::Schedule.new(Raffia::Jobs::Client.new(link))
          ticker = Recurring::Ticker.new(schedule, Plant::LOG)
          @thread = Thread.new { sleep(pause(ticker)) until plant.closed? }
        end

        private

        # Same as the worker's maintenance: again after a second when the store fails.
        def pause(ticker)
          ticker.call.clamp(0.001..)
        rescue Raffia::Jobs::StoreUnavailable
          1
        end
      end

      attr_reader :schedule

      def self.open(program)
        Plant.open(program) do |plant|
          recurring = new(program, plant)
          yield recurring
        ensure
          recurring&.stop
        end
      end

      def initialize(program, plant)
        @program = program
        @plant = plant
        @ticking = []
        @schedule = Recurring::Schedule.new(Raffia::Jobs::Client.new(plant.link(delays: 2)))
      end

      # Sets the wall clock.
      def self.clock=(time)
        clock = Raffia::Simulation::World.active.clock
        clock.real_offset += ((time - Time.now) * 1_000_000_000).round
      end

      # Starts so many.
      def tick(count = 1, loss: 0)
        count.times do
          link = @plant.link(delays: @program.choose(3), loss:)
          @ticking << Ticking.new(self, link)
          @program.sim.daemon(@ticking.last.thread)
        end
      end

      # Ends one of them as a kill does.
      def crash
        one = @ticking.delete_at(@program.choose(@ticking.size))
        @plant.abandon(one.thread, one.link)
      end

      def size = @ticking.size

      def add(spec, name: "tick", **options)
        @schedule.add(Recurring::Entry.build(name, spec, "Simulations::Jobs::TickJob", **options))
      end

      # Lets virtual seconds pass.
      def wait(seconds) = @program.sim.sleep(seconds)

      def stop = @closed = true

      def closed? = @closed

      # Jobs in the queue.
      def items = @plant.payloads(:queue)

      # Their times, in the order of the queue.
      # @return [Array<Time>]
      def ticks(items = self.items) = items.map { |item| Time.at(item.dig("raffia", "tick")).utc }
    end
  end
end
