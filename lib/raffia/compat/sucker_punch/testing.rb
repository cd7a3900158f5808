# frozen_string_literal: true

require_relative "../sucker_punch"

module SuckerPunch
  # Records jobs instead of running them.
  module Testing
    JOBS = ConcurrentMap.new { [] }
    private_constant :JOBS

    # Hashes of "args", and of "in" (seconds) for perform_in.
    def jobs = JOBS[to_s]

    def clear = jobs.clear

    def self.clear_all = JOBS.clear

    def perform_async(*args, **named) = note(args, named)

    def perform_in(interval, *args, **named) = note(args, named, "in" => interval)

    private

    def note(args, named, more = {})
      jobs << {"args" => named.empty? ? args : [*args, named], **more}
      true
    end
  end

  module Job
    ClassMethods.prepend(Testing)

    def self.clear_all = Testing.clear_all
  end
end
