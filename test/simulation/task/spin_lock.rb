# frozen_string_literal: true

Simulations.of "task/spin_lock" do
  model "one thread at a time is inside" do
    lock = Raffia::SpinLock.new
    inside = 0
    together(*3.times.map do
      lambda do
        3.times do
          lock.hold do
            check((inside += 1) == 1, "#{inside} are inside")
            inside -= 1
          end
        end
      end
    end)
    check(!lock.locked?, "it is still locked")
  end

  model "an interrupt of a thread leaves it unlocked", runs: 40 do
    lock = Raffia::SpinLock.new
    thread = Thread.new do
      attempt(IOError) { 5.times { lock.hold { nil } } }
      check(!lock.owned?, "it is still locked")
    end
    nap(0) while choose(3).positive?
    thread.raise(IOError, "interrupt")
    attempt(IOError) { thread.join }
  end
end
