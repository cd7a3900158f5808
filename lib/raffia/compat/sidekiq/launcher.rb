# frozen_string_literal: true

module Sidekiq
  # Starts and stops with a worker. It does nothing itself: other gems prepend modules to it.
  class Launcher
    attr_reader :config

    def initialize(config, **)
      @config = config
    end

    def run = nil

    def quiet = nil

    def stop = nil
  end
end
