# frozen_string_literal: true

# Ractors, for pure computing in one process. The block must not use anything from outside that
# another Ractor could change; when it does, the error names the variable.
#
#     bin/raffia run examples/ractors.rb
#
# It prints how many primes there are, and what is in the way of a block that was refused.

require "raffia"

def primes_below(limit)
  Raffia.reduce(2...limit, 0, combine: :+, on: :ractors) do |count, n|
    prime = (2..Integer.sqrt(n)).none? { |divisor| (n % divisor).zero? }
    prime ? count + 1 : count
  end
end

puts "#{primes_below(50_000)} primes below 50000"

greeting = +"hello" # not frozen, so not shareable
begin
  Raffia.map(%w[Ada Yukihiro], on: :ractors) { |name| "#{greeting} #{name}" }
rescue Raffia::NotShareable => e
  puts "refused: the block uses #{e.variable}"
end

greeting.freeze # now it is: nobody can change it any more
puts Raffia.map(%w[Ada Yukihiro], on: :ractors) { |name| "#{greeting} #{name}" }
