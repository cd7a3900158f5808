# frozen_string_literal: true

require_relative "../resque"

module Resque
  # Settings of resque-scheduler's own process, which programs make. Raffia's workers schedule
  # jobs.
  module Scheduler
    class << self
      # Yields itself; its settings are those of a process that does not exist here.
      def configure = yield(self)

      %i[dynamic verbose quiet logfile logformat poll_sleep_amount app_name env].each do |name|
        define_method(name) { nil }
        define_method(:"#{name}=") { |_value| nil }
      end

      def run
        raise NotProvided, "resque-scheduler's process is not needed: `raffia work` starts " \
          "scheduled jobs"
      end
    end
  end
end
