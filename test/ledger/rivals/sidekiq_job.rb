# frozen_string_literal: true

require "sidekiq"
require_relative "system"

module Ledger
  module Rivals
    class Sidekiq < System
      # Loaded by `sidekiq` too.
      class Job
        include ::Sidekiq::Job

        def perform(id) = System.work(id)
      end
    end
  end
end
