# frozen_string_literal: true

# Deadlines, cancellation with a cause, and clean-up that is not interrupted.
#
#     bin/raffia run examples/timeouts.rb
#
# It prints what ended by what, in its order.

require "raffia"

Raffia.run do |scope|
  # A time limit, around anything that waits.
  begin
    Raffia.timeout(0.05) { sleep 10 }
  rescue Raffia::TimeoutError => e
    puts "gave up after #{e.seconds} s"
  end

  # Limits nest, and the nearest end counts: the inner block has the outer one's time, not ten
  # seconds.
  Raffia.timeout(0.2) do
    Raffia.timeout(10) do
      puts "time left: #{(Raffia.deadline.remaining <= 0.2) ? "less than 0.2 s" : "too much"}"
    end
  end

  # The time limit holds for tasks too, wherever they are.
  begin
    Raffia.timeout(0.05) { Raffia.map([10, 20], on: :fibers) { |seconds| sleep seconds } }
  rescue Raffia::TimeoutError
    puts "the whole map was stopped"
  end

  # A task is told why it has to stop, and a shield lets it finish what must not be left half done.
  ready = Raffia::Channel.new
  task = scope.spawn do
    ready.push(:go)
    sleep
  rescue Raffia::Cancel => e
    Raffia.shield do
      sleep 0.01
      puts "cleaned up, because #{e.reason}"
    end
    raise
  end
  ready.pop
  task.cancel("the user went away")
  task.join
  puts "the task is #{task.status}"
end
