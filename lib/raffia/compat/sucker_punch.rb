# frozen_string_literal: true

require_relative "layers"
Raffia::Compat.claim(:sucker_punch)

require "logger"
require_relative "sucker_punch/concurrent_map"
require_relative "sucker_punch/counter"
require_relative "sucker_punch/thread_pool"
require_relative "sucker_punch/atomic_boolean"
require_relative "sucker_punch/job"
require_relative "sucker_punch/delay_queue"
require_relative "sucker_punch/queue"
require_relative "sucker_punch/settings"

# sucker_punch's interface over Raffia: jobs run on threads of this process, and end with it.
#
#     class LogJob
#       include SuckerPunch::Job
#       workers 4
#
#       def perform(event) = Log.write(event)
#     end
#
#     LogJob.perform_async("signup")
#
# At its end the process waits for jobs that run or wait, for {shutdown_timeout} at most.
module SuckerPunch
  # Of the gem whose interface this is.
  VERSION = "3.3.0"
  # Whether jobs are accepted: false when the process ends.
  RUNNING = AtomicBoolean.new(true)
  # Jobs of {Job::ClassMethods#perform_in}.
  LATER = DelayQueue.new
  SETTINGS = Settings.new
  private_constant :LATER, :SETTINGS

  class << self
    # @return [#call] called with (exception, class, arguments) of a job that raised; logs by
    #   default
    def exception_handler = SETTINGS.exception_handler || method(:default_exception_handler)

    # @param handler [#call, nil]
    def exception_handler=(handler)
      SETTINGS.exception_handler = handler
    end

    # @return [void]
    def default_exception_handler(error, job, args)
      logger.error("Sucker Punch job error for class: '#{job}' args: #{args}\n#{error.class} " \
        "#{error}\n#{error.backtrace&.join("\n")}")
    end

    # @return [Logger] by default to stdout, from info up
    def logger = SETTINGS.logger ||= default_logger

    # @return [Logger]
    def default_logger = Logger.new($stdout, level: Logger::INFO)

    # @param logger [Logger, nil] nil: nothing is logged
    def logger=(logger)
      SETTINGS.logger = logger || Logger.new(nil)
    end

    # @return [Numeric] seconds that the process waits for jobs at its end
    def shutdown_timeout = SETTINGS.shutdown_timeout

    # @param seconds [Numeric]
    def shutdown_timeout=(seconds)
      SETTINGS.shutdown_timeout = seconds
    end

    # @api private
    def later(seconds, &) = LATER.add(seconds, &)
  end
end

Raffia::Fork.after_child { SuckerPunch::Queue.forked }
Raffia::Signals.at_exit { SuckerPunch::Queue.shutdown_all }
require_relative "sucker_punch/railtie" if defined?(Rails::Railtie)
