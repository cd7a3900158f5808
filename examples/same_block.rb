# frozen_string_literal: true

# The same block on every strategy. Only the word after `on:` changes; results, their order and
# errors do not.
#
#     bin/raffia run examples/same_block.rb
#
# It prints the same words for each strategy.

require "raffia"

%i[inline fibers threads ractors processes].each do |strategy|
  words = Raffia.map(%w[one block five places], on: strategy) { |word| word.upcase }
  puts "#{strategy}: #{words.join(" ")}"
end
