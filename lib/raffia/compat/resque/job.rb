# frozen_string_literal: true

require_relative "errors"
require_relative "plugin"

module Resque
  # A job that runs, with its hooks.
  class Job
    # Raised by a before_perform hook: the job is over, and did not run.
    DontPerform = Class.new(StandardError)

    class << self
      # Enqueues a job without its hooks.
      def create(queue, job, *args)
        Resque.validate(job, queue)
        args = JSON.parse(JSON.generate(args))
        return new(:inline, {"class" => job, "args" => args}).perform if Resque.inline?

        Resque.push(queue, "class" => job.to_s, "args" => args)
      end

      # Deletes waiting jobs of a class, or with these arguments. Returns their number.
      def destroy(queue, job, *args)
        Queues.delete(:queue, queue.to_s) { |item| Queues.match?(item, job, args) }
      end
    end

    attr_reader :queue, :payload

    def initialize(queue, payload)
      @queue = queue
      @payload = payload
    end

    def args = payload["args"] || []

    def payload_class
      job = payload["class"]
      job.is_a?(Module) ? job : Object.const_get(job)
    end

    # Returns whether the job itself ran.
    def perform
      @performed = false
      run_hooks
      @performed
    rescue Exception => error # standard:disable Lint/RescueException
      Plugin.failure_hooks(payload_class).each { |name| payload_class.send(name, error, *args) }
      raise
    ensure
      Plugin.always_hooks(payload_class).each { |name| payload_class.send(name, *args) }
    end

    private

    def run_hooks
      job = payload_class
      Plugin.before_hooks(job).each { |name| job.send(name, *args) }
      around(job, Plugin.around_hooks(job))
      Plugin.after_hooks(job).each { |name| job.send(name, *args) }
    rescue DontPerform
      raise if @performed
    end

    def around(job, names)
      name, *rest = names
      return job.send(name, *args) { around(job, rest) } if name

      job.perform(*args).tap { @performed = true }
    end
  end
end
