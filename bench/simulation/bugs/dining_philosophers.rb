# frozen_string_literal: true

# Classic: each of three philosophers takes the fork at the left, then the one at the right; all
# hold one and wait for the other. Fixed: the lower number first.
module SimulationBench
  module DiningPhilosophers
    module_function

    def eat(forks, seat)
      left, right = yield(seat, (seat + 1) % forks.size)
      forks.fetch(left).synchronize { forks.fetch(right).synchronize { seat.to_s } }
    end

    def run(&order)
      forks = Array.new(3) { Mutex.new }
      Array.new(3) { |seat| Thread.new { eat(forks, seat, &order) } }.each(&:join)
    end
  end

  model "dining_philosophers", source: "classic", fault: "three locks in a circle",
    needs: [:preempt], buggy: ->(_sim) { DiningPhilosophers.run { |left, right| [left, right] } },
    fixed: ->(_sim) { DiningPhilosophers.run { |left, right| [left, right].sort } }
end
