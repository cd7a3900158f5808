# frozen_string_literal: true

require_relative "layers"
Raffia::Compat.claim(:sucker_punch)

require "logger"
require_relative "sucker_punch/table"
require_relative "sucker_punch/counter"
require_relative "sucker_punch/crew"
require_relative "sucker_punch/flag"
require_relative "sucker_punch/job"
require_relative "sucker_punch/later"
require_relative "sucker_punch/queue"
require_relative "sucker_punch/settings"

# The interface of the gem sucker_punch over Raffia: jobs are done by threads of this process, and
# are gone with it.
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
# The process does not sleep before it ends: it waits for jobs that have begun or wait, for
# {shutdown_timeout} at most.
module SuckerPunch
  # Of the gem whose interface this is.
  VERSION = "3.3.0"
  # Whether jobs are taken: not any more once the process ends.
  RUNNING = Flag.new(true)
  # What waits for {Job::ClassMethods#perform_in}.
  LATER = Later.new
  SETTINGS = Settings.new
  private_constant :LATER, :SETTINGS

  class << self
    # @return [#call] gets (exception, class, arguments) of a job that has raised; by default the
    #   log does
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

    # @return [Numeric] seconds that the end of the process may wait for jobs
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
