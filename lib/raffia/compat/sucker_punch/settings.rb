# frozen_string_literal: true

require "logger"
require_relative "atomic_boolean"

# sucker_punch's interface over Raffia: jobs run on threads of this process and end with it.
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
# At its end the process waits at most {shutdown_timeout} for jobs that run or wait.
module SuckerPunch
  VERSION = "3.3.0"
  # Whether jobs are accepted: false when the process ends.
  RUNNING = AtomicBoolean.new(true)
  SETTINGS = Struct.new(:exception_handler, :logger, :shutdown_timeout).new(nil, nil, 8)
  private_constant :SETTINGS

  class << self
    # Called with (exception, class, arguments) of a job that raised; logs by default.
    def exception_handler = SETTINGS.exception_handler || method(:default_exception_handler)

    def exception_handler=(handler)
      SETTINGS.exception_handler = handler
    end

    def default_exception_handler(error, job, args)
      logger.error("Sucker Punch job error for class: '#{job}' args: #{args}\n#{error.class} " \
        "#{error}\n#{error.backtrace&.join("\n")}")
    end

    # Writes to stdout from level info up, by default.
    def logger = SETTINGS.logger ||= default_logger

    def default_logger = Logger.new($stdout, level: Logger::INFO)

    # With nil, nothing is logged.
    def logger=(logger)
      SETTINGS.logger = logger || Logger.new(nil)
    end

    # Seconds that the process waits for jobs at its end. The default is below Heroku's 10.
    def shutdown_timeout = SETTINGS.shutdown_timeout

    def shutdown_timeout=(seconds)
      SETTINGS.shutdown_timeout = seconds
    end
  end
end
