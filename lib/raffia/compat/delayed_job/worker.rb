# frozen_string_literal: true

module Delayed
  # Settings of jobs. `raffia work` is the worker.
  class Worker
    DEFAULT_MAX_ATTEMPTS = 25
    SETTINGS = Struct.new(:delay_jobs, :default_priority, :default_queue_name, :max_attempts,
      :max_run_time, :destroy_failed_jobs, :queue_attributes, :logger, :sleep_delay, :read_ahead,
      :raise_signal_exceptions, :backend, :exit_on_complete, :plugins, :min_priority,
      :max_priority, :queues, :default_log_level, :lifecycle)
      .new(true, 0, nil, DEFAULT_MAX_ATTEMPTS, nil, false, {})
    private_constant :SETTINGS

    class << self
      SETTINGS.members.each do |name|
        define_method(name) { SETTINGS[name] }
        define_method(:"#{name}=") { |value| SETTINGS[name] = value }
      end

      # Whether a job is stored, and not run at once.
      def delay_job?(job)
        return delay_jobs unless delay_jobs.is_a?(Proc)

        delay_jobs.arity.zero? ? delay_jobs.call : delay_jobs.call(job)
      end
    end

    def initialize(*)
      raise NotProvided, "Delayed::Worker.new is not there: use `raffia work`, or " \
        "Raffia::Jobs.run_in_process(store: Raffia::Jobs.store)"
    end
  end
end
