# frozen_string_literal: true

module Resque
  # Finds hooks of a job class: class methods whose names begin with that of a hook.
  module Plugin
    module_function

    def hooks(job, prefix)
      names = (job.respond_to?(:hooks) && job.hooks) || job.methods
      names.map(&:to_s).select { |name| name.start_with?(prefix) }.sort
    end

    # Returns whether no hook returned false.
    def run(job, prefix, *args)
      hooks(job, prefix).map { |name| job.send(name, *args) }.none?(false)
    end

    {before_hooks: "before_perform", around_hooks: "around_perform", after_hooks: "after_perform",
     failure_hooks: "on_failure", always_hooks: "always", after_enqueue_hooks: "after_enqueue",
     before_enqueue_hooks: "before_enqueue", after_dequeue_hooks: "after_dequeue",
     before_dequeue_hooks: "before_dequeue"}.each do |name, prefix|
      define_singleton_method(name) { |job| hooks(job, prefix) }
    end
  end
end
