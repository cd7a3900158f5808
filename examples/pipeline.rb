# frozen_string_literal: true

# A pipeline of channels: one task reads, three work, one writes. The channels are small, so a slow
# stage slows the ones before it instead of filling the memory.
#
#     bin/raffia run examples/pipeline.rb
#
# It prints how many lines were counted, and how far ahead the reader ever was.

require "raffia"

Raffia.run do |scope|
  lines = Raffia::Channel.new(4)
  counts = Raffia::Channel.new(4)
  read = written = ahead = 0

  # Reads. The push waits while four lines lie in the channel.
  scope.spawn do
    1.upto(100) do |n|
      lines << "line #{n}: #{"word " * n}"
      read += 1
    end
    lines.close # for those who pop: no more after these
  end

  # Work: each task takes the next line as soon as it is free.
  workers = Array.new(3) do
    scope.spawn do
      lines.each do |line|
        sleep 0.001 # a lookup in a database, say
        counts << [line[/\d+/].to_i, line.scan("word").size]
      end
    end
  end

  scope.spawn do
    workers.each(&:join)
    counts.close
  end

  # Writes.
  wrong = 0
  counts.each do |number, words|
    written += 1
    wrong += 1 unless number == words
    ahead = [ahead, read - written].max
  end

  puts "#{written} lines counted, #{wrong} of them wrong"
  # 4 + 3 + 4, and one in hand
  puts "the reader was never more than #{(ahead <= 12) ? "12" : ahead} lines ahead"
end
