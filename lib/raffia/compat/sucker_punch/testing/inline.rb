# frozen_string_literal: true

require_relative "../../sucker_punch"

module SuckerPunch
  # Jobs are done where they are enqueued, at once, and what they raise comes out there.
  module Inline
    # @return [Object] what `perform` returns
    def perform_async(...) = new.perform(...)

    # @return [Object] what `perform` returns
    def perform_in(_interval, ...) = new.perform(...)
  end

  Job::ClassMethods.prepend(Inline)
end
