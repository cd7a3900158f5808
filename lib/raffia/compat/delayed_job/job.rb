# frozen_string_literal: true

require_relative "../../jobs/import/object_tree"

module Delayed
  # Enqueues job objects, and runs them in workers.
  class Job
    include Raffia::Job

    # Where the object's hooks see the job.
    attr_accessor :payload_object, :queue, :priority, :run_at, :attempts, :last_error, :failed_at
    alias_method :id, :jid

    retry_in { |_count, _error, item| Job.reschedule(item) }
    on_exhausted { |item, _error| Job.exhausted(item) }

    class << self
      # Stores a job: an object with `perform`, and options priority, run_at, queue. Returns the
      # job; its id is that of {Raffia::Jobs}.
      #
      # Raises ArgumentError for an object without `perform`, or one that cannot be stored, and
      # NotPermitted.
      def enqueue(object = nil, *legacy, payload_object: object, priority: legacy[0],
        run_at: legacy[1], queue: nil, **options)
        if payload_object.is_a?(Hash)
          return enqueue(**payload_object.transform_keys(&:to_sym), priority:, run_at:, queue:)
        end
        unless payload_object.respond_to?(:perform)
          raise ArgumentError, "Cannot enqueue items which do not respond to perform"
        end
        unless options.empty?
          raise ArgumentError, "a delayed job has priority, run_at and queue, and no " \
            "#{options.keys.join(", ")}"
        end

        job = prepared(payload_object, priority, run_at, queue)
        payload_object.enqueue(job) if payload_object.respond_to?(:enqueue)
        Worker.delay_job?(job) ? job.store : job.invoke_job
        job
      end

      # Other operations on stored jobs.
      %i[where find find_by all count last first delete_all destroy_all work_off].each do |name|
        define_method(name) do |*|
          raise NotProvided, "Delayed::Job.#{name} is not there: use Raffia::Jobs.store, " \
            "`raffia jobs` or the dashboard"
        end
      end

      # When the next try is due, in seconds from now; nil: as for all jobs.
      # @api private
      def reschedule(item)
        job = of(item)
        object = job.payload_object
        return unless object.respond_to?(:reschedule_at)

        [object.reschedule_at(Time.now, job.attempts).to_f - Time.now.to_f, 0].max
      rescue NotPermitted, DeserializationError
        nil
      end

      # @api private
      def exhausted(item)
        job = of(item)
        job.payload_object.failure(job) if job.payload_object.respond_to?(:failure)
      rescue NotPermitted, DeserializationError
        nil
      end

      private

      def of(item)
        job = new
        job.jid = item["jid"]
        job.take(item)
        job
      end

      def prepared(object, priority, run_at, queue)
        job = new
        job.payload_object = object
        job.queue = queue || (object.queue_name if object.respond_to?(:queue_name)) ||
          Worker.default_queue_name
        job.priority = priority || Worker.queue_attributes.dig(job.queue, :priority) ||
          Worker.queue_attributes.dig(job.queue&.to_sym, :priority) || Worker.default_priority
        job.run_at = run_at
        job.attempts = 0
        job
      end
    end

    # For people.
    def name
      object = payload_object
      object.respond_to?(:display_name) ? object.display_name : object.class.name
    end

    # @api private
    def store
      self.jid = Raffia::Jobs.enqueue([item(ObjectWriter.write(payload_object))]).first
    end

    # Runs the object with its hooks.
    def invoke_job
      call_hook(:before)
      payload_object.perform
      call_hook(:success)
    rescue Exception => error # standard:disable Lint/RescueException
      call_hook(:error, error)
      raise
    ensure
      call_hook(:after)
    end

    # @api private
    def perform(tree)
      take(run.item, tree) if run
      self.payload_object ||= ObjectReader.job(tree)
      invoke_job
    end

    # @api private
    def take(item, tree = item["args"].first)
      own = item[Raffia::Jobs::Payload::OWN].to_h
      self.queue = item["queue"]
      self.priority = -own["priority"].to_i
      self.attempts = item["retry_count"] ? item["retry_count"] + 1 : 0
      self.last_error = item["error_message"]
      self.payload_object = ObjectReader.job(tree)
    end

    private

    def call_hook(name, *arguments)
      payload_object.public_send(name, self, *arguments) if payload_object.respond_to?(name)
    end

    def item(tree)
      object = payload_object
      own = {"priority" => (-priority unless priority.to_i.zero?),
             "timeout" => setting(object, :max_run_time)&.to_f}.compact
      {**Raffia::Jobs::Import::ObjectTree.item(tree), "queue" => (queue || "default").to_s,
       "retry" => setting(object, :max_attempts) - 1, "at" => run_at&.to_f,
       "dead" => (false if destroy?(object)), "raffia" => (own unless own.empty?)}.compact
    end

    def setting(object, name)
      (object.public_send(name) if object.respond_to?(name)) || Worker.public_send(name)
    end

    def destroy?(object)
      return object.destroy_failed_jobs? if object.respond_to?(:destroy_failed_jobs?)

      Worker.destroy_failed_jobs
    end
  end
end
