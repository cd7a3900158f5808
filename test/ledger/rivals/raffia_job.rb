# frozen_string_literal: true

require "raffia/jobs"
require_relative "system"

module Ledger
  module Rivals
    class Raffia < System
      # Loaded by `raffia work` too.
      class Job
        include ::Raffia::Job

        def perform(id) = System.work(id)
      end
    end
  end
end
