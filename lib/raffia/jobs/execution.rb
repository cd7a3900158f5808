# frozen_string_literal: true

require_relative "encryption"

module Raffia
  module Jobs
    # Finds the class of a job, makes an object, and calls `perform` within the middleware, with
    # decrypted arguments.
    # @api private
    module Execution
      module_function

      # The run is what the job sees as {Job#run}, nil outside of a worker.
      def call(item, middleware, run = nil) = with(job_class(item["class"]), item, middleware, run)

      # Without seconds it has no time limit.
      def with(job, item, middleware, run, seconds = nil)
        return Raffia.timeout(seconds) { with(job, item, middleware, run) } if seconds

        job = job.new
        if job.respond_to?(:jid=)
          job.jid = item["jid"]
          job.run = run if job.respond_to?(:run=)
        end
        return job.perform(*Encryption.arguments(item)) if middleware.empty?

        middleware.call(job, item) { job.perform(*Encryption.arguments(item)) }
      end

      # Raises {UnknownJob}.
      def job_class(name, aliases = Setup.current.aliases)
        found = aliases[name] || Object.const_get(name)
        return found if found.is_a?(Class) && found.method_defined?(:perform)

        Setup.current.adapters.each { |adapter| (job = adapter.call(found)) and return job }
        raise UnknownJob, "#{name} is no job: it needs `include Raffia::Job` and a method perform"
      rescue NameError => error
        raise error unless error.receiver.equal?(Object) || name.start_with?(error.receiver.to_s)

        raise UnknownJob, "there is no class #{name} in this worker: require the file that has " \
          "it (raffia work -r FILE)"
      end
    end
  end
end
