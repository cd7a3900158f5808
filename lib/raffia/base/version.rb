# frozen_string_literal: true

module Raffia
  # The version of the gem, as RubyGems understands it.
  VERSION = "0.1.0"
end
