# frozen_string_literal: true

require_relative "../sucker_punch"

module SuckerPunch
  # Jobs are kept, and not done. (The gem says so of its own file of this name; there it raises.)
  module Testing
    # Of each class: what was enqueued.
    JOBS = ConcurrentMap.new { [] }
    private_constant :JOBS

    # @return [Array<Hash>] {"args" => [...]}, and "in" => seconds where that was said
    def jobs = JOBS[to_s]

    # Forgets them.
    # @return [void]
    def clear = jobs.clear

    # Forgets those of all classes.
    # @return [void]
    def self.clear_all = JOBS.clear

    # @return [true]
    def perform_async(*args, **named) = note(args, named)

    # @return [true]
    def perform_in(interval, *args, **named) = note(args, named, "in" => interval)

    private

    def note(args, named, more = {})
      jobs << {"args" => named.empty? ? args : [*args, named], **more}
      true
    end
  end

  Job::ClassMethods.prepend(Testing)

  # @return [void]
  def Job.clear_all = Testing.clear_all
end
