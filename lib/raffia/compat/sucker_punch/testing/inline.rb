# frozen_string_literal: true

require_relative "../../sucker_punch"

module SuckerPunch
  # Runs jobs where they are enqueued, and raises their errors there.
  module Inline
    def perform_async(...) = new.perform(...)

    def perform_in(_interval, ...) = new.perform(...)
  end

  module Job
    ClassMethods.prepend(Inline)
  end
end
