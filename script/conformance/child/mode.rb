# frozen_string_literal: true

module Conformance
  # How a test is run: as it is, or in a fiber under a scheduler that lives as long as the test.
  class Mode
    # @param layer [String, nil] of Raffia, in place of a gem
    def initialize(name, layer = nil)
      @name = name
      case name
      when "plain" then nil
      when "async" then require "async"
      else require(layer ? "raffia/compat/#{layer}" : "raffia")
      end
    end

    # @return [Object] the block's value
    def call(&block)
      return yield if @name == "plain" || Fiber.scheduler

      (@name == "async") ? Async { yield }.wait : Raffia.run { yield }
    end
  end
end
