# frozen_string_literal: true

require_relative "../model"
require_relative "support/calendar"
require_relative "support/recurring_plant"

module Simulations
  # Seconds within which a worker has certainly enqueued a time: some calls of the store.
  soon = 2

  of "jobs/recurring", covers: %w[jobs/recurring/schedule jobs/recurring/ticker
    jobs/recurring/recurrence], preempt: :none, max_steps: 100_000, ignore: %i[lock_order],
    start: Time.utc(2026, 5, 1) do
    plant = Jobs::RecurringPlant

    # The instants of "every n seconds" after one time, up to another.
    steps = lambda do |seconds, from, to|
      ((from.to_f / seconds).floor + 1).upto((to.to_f / seconds).floor).map { |n| n * seconds }
    end

    model "times around a change of clocks come as cron(8) says", runs: 4 do
      zone = one_of(*Jobs::Calendar::CHANGES.keys)
      minutes, hours = one_of([[30], [2]], [[0], [3]], [[0, 20, 40], [2]], [[0, 30], [1, 2, 3]],
        [[45], [1]], [[10]], [[0, 20, 40]])
      calendar = Jobs::Calendar.new(zone, minutes, hours)
      plant.clock = start = one_of(*Jobs::Calendar::CHANGES[zone]) - choose(120) * 60 - 7
      plant.open(self) do |plant|
        plant.add(calendar.spec, zone:, catch_up: one_of("once", "all", "skip"))
        plant.tick(2)
        plant.wait(3.5 * 3600)
        expected = calendar.between(start + soon, Time.now - soon)
        check_equal(expected, plant.ticks, "#{calendar.spec} #{zone} from #{start.utc}")
      end
    end

    model "no time is lost or comes twice when workers die and calls fail", runs: 8 do
      plant.open(self) do |plant|
        seconds = one_of(20, 45, 60)
        plant.add("every #{seconds} seconds", catch_up: :all)
        plant.tick(2)
        plant.wait(1)
        start = Time.now
        8.times do
          plant.wait(choose(100) + one_of(0, 0.001, 0.002, 0.5))
          plant.crash if plant.size > 1
          plant.tick(choose(2) + 1, loss: one_of(0, 0.1, 0.3))
        end
        plant.tick # without loss
        plant.wait(20)
        found = plant.ticks.map(&:to_i)
        check_equal(found.uniq, found, "ticks")
        lost = steps.call(seconds, start, Time.now - 20) - found
        check_equal([], lost, "lost times")
      end
    end

    model "times without a worker are caught up as the entry says", runs: 8 do
      plant.open(self) do |plant|
        seconds = one_of(40, 90)
        mode = one_of("once", "all", "skip")
        plant.add("every #{seconds} seconds", catch_up: mode)
        start = Time.now
        plant.tick(2)
        down = 4.times.map do
          plant.wait(100 + choose(200))
          plant.crash while plant.size.positive?
          from = Time.now
          plant.wait(choose(500))
          plant.tick(2)
          (from - soon..Time.now)
        end
        plant.wait(100)
        found = plant.ticks
        check_equal(found.uniq.sort, found, "ticks")
        steps.call(seconds, start + soon, Time.now - soon).map { Time.at(_1).utc }.each do |at|
          outage = down.find { |range| range.cover?(at) } or
            next check(found.include?(at), "#{at} is lost")
          next if at < outage.begin + 2 * soon # it may have come before

          last = at + seconds > outage.end
          recent = at > outage.end - 60
          next if [at + seconds, at + 60].any? { |edge| (edge - outage.end).abs < soon }

          expected = {"all" => true, "once" => last, "skip" => last && recent}[mode]
          check_equal(expected, found.include?(at), "#{at}, #{mode}: whether it is caught up")
        end
      end
    end

    model "a wall clock that is set a little makes no time come twice, and loses none", runs: 2 do
      plant.open(self) do |plant|
        plant.add("* * * * *", catch_up: :all, zone: "UTC")
        plant.tick(2)
        latest = Time.now
        6.times do
          plant.wait(choose(200) + choose(1000) / 1000.0)
          latest = [latest, Time.now].max
          step = one_of(-50, 400, 7, -20, 3600)
          plant.class.clock = Time.now + step if Time.now + step > latest - 55
        end
        plant.wait(70)
        found = plant.ticks
        check_equal(found.uniq, found, "ticks")
        minutes = (found.first.to_i..found.last.to_i).step(60).to_a
        check_equal([], minutes - found.map(&:to_i), "missed")
      end
    end

    model "a clock that was far ahead is put right, and the schedule goes on", runs: 2 do
      plant.open(self) do |plant|
        plant.add("* * * * *", zone: "UTC", catch_up: one_of("once", "all", "skip"))
        plant.tick(2)
        plant.wait(choose(200))
        ahead = 600 + choose(9000)
        plant.class.clock = Time.now + ahead
        plant.wait(choose(200))
        before = plant.items.size
        plant.class.clock = (right = Time.now - ahead)
        plant.wait(400)
        found = plant.ticks.drop(before).map(&:to_i)
        # Each worker sees it within 15 s.
        expected = steps.call(60, right + Raffia::Jobs::Recurring::Ticker::INTERVAL + soon,
          Time.now - soon)
        check_equal(found.uniq, found, "ticks")
        check_equal([], expected - found, "missed")
      end
    end

    model "entries that are changed, paused, removed and added have missed nothing", runs: 12 do
      plant.open(self) do |plant|
        plant.tick(2)
        began = []
        paused = []
        before = nil
        10.times do |version|
          spec = one_of("every 10 seconds", "every 7 minutes", "0 0 1 1 *")
          began << ((spec == before) ? began.last : Time.now)
          plant.add(before = spec, args: [version], catch_up: :all)
          plant.wait(choose(60) + one_of(0, 0.001, 0.003))
          case choose(3)
          when 0
            plant.schedule.pause("tick")
            from = Time.now
            plant.wait(choose(60))
            paused << (from..Time.now)
            plant.schedule.resume("tick")
          when 1
            plant.schedule.remove("tick")
            before = nil
            plant.wait(one_of(0, 0.002, 100))
          end
        end
        plant.wait(10)
        plant.items.each do |item|
          at = plant.ticks([item]).first
          version = item["args"].first
          check(at >= began[version],
            "#{at.inspect} came, before version #{version} of #{began[version].utc.inspect}")
          check(paused.none? { |range| range.cover?(at) }, "#{at} came, in a pause")
        end
        found = plant.items.map { |item| [item["args"].first, item.dig("raffia", "tick")] }
        check_equal(found.uniq, found, "ticks")
      end
    end
  end
end
