# frozen_string_literal: true

module Bench
  # A result that is not the one that every program would expect.
  class Wrong < StandardError; end
end
