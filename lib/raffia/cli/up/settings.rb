# frozen_string_literal: true

require_relative "../work/settings"

module Raffia
  module CLI
    module Up
      # Settings of the jobs of `raffia up`.
      Settings = Service::Settings.define(
        jobs: ["Jobs", [
          [:jobs, :threads, 1, "worker processes that do jobs, besides those that serve"],
          Work::Settings[:require].with(description: "the jobs, where the application does not " \
            "load them; default: jobs.rb, if there"),
          Work::Settings[:queues],
          Work::Settings[:concurrency].with(description: "jobs at a time in each of them"),
          Work::Settings[:timeout].with(short: nil, option: "--job-timeout"),
          Work::Settings[:store]
        ]]
      )
    end
  end
end
