# frozen_string_literal: true

require_relative "../sidekiq"

module Sidekiq
  # What starts and stops with a worker. There is nothing of ours in it: other gems prepend modules
  # to it.
  class Launcher
    # @return [Configuration]
    attr_reader :config

    # @param config [Configuration]
    def initialize(config, **)
      @config = config
    end

    # @return [void]
    def run = nil

    # @return [void]
    def quiet = nil

    # @return [void]
    def stop = nil
  end
end
