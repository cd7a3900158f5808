# frozen_string_literal: true

# Runs the test files and folders that are named, or all of test/; every other argument is minitest's.
# `bin/test` and `rake test` use it; it wants lib/ and test/ on the load path.
root = File.expand_path("..", __dir__)
# Options of minitest that take the next argument, so that a file's name there is not taken for a test to run.
with_value = %w[-n --name -i --include -e --exclude -x -s --seed -S --skip].freeze

places, rest = [], []
until ARGV.empty?
  argument = ARGV.shift
  if with_value.include?(argument) then rest.push(argument, *ARGV.shift)
  elsif File.exist?(argument) then places << File.expand_path(argument)
  elsif argument.start_with?("-") then rest << argument
  else abort "there is no test file or folder #{argument}"
  end
end
ARGV.replace(rest)

places << File.join(root, "test") if places.empty?
files = places.flat_map { |place| File.directory?(place) ? Dir[File.join(place, "**", "*_test.rb")].sort : place }.uniq
abort "no *_test.rb in #{places.join(", ")}" if files.empty?

require "test_helper"
files.each { |file| require file }
