# frozen_string_literal: true

module Raffia
  module Jobs
    # A condition of {Store::Enqueue#enqueue}: the key has the expected value, which is then
    # replaced.
    Precondition = Data.define(:key, :expect, :value)
  end
end
