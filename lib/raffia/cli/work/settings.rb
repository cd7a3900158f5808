# frozen_string_literal: true

require_relative "../../jobs/worker/settings"

module Raffia
  module CLI
    module Work
      worker = Raffia::Jobs::Worker::Settings
      # Settings of `raffia work`: those of a worker, and of its processes.
      Settings = Service::Settings.define(
        work: ["What it does", [
          [:require, :strings, [], "the program with the jobs, or the folder of a Rails " \
            "application; default: the Rails application here, or jobs.rb",
            {short: "-r", takes: "FILE"}],
          worker[:queues],
          worker[:concurrency],
          worker[:threads],
          [:store, :string, nil, "where the jobs are; default: what the program says, then " \
            "RAFFIA_STORE, then sqlite:raffia.db", {takes: "URL"}],
          [:from, :string, nil, "process the jobs of this beanstalkd, and store others as the " \
            "program says, such as beanstalk://localhost:11300/tube", {takes: "URL"}],
          [:map, :path, nil, "with --from: a lambda that gets a job's bytes, and returns its " \
            "payload"],
          [:environment, :string, nil, "that the program runs in (development)", {short: "-e"}]
        ]],
        processes: ["Processes", [
          [:processes, :count, 1, "worker processes; 0: none but this one, unsupervised"],
          worker[:timeout],
          [:memory_limit, :bytes, nil, "replace a worker that is larger, such as 512m (PSS)"],
          worker[:lease],
          worker[:hang_timeout]
        ]],
        operation: ["Operation", [
          [:health, :string, nil, "serve /health, /ready, /metrics and /stats.json, such as " \
            "tcp://127.0.0.1:9393", {takes: "ADDRESS"}],
          [:web, :string, nil, "serve the dashboard, such as 127.0.0.1:9293; where others can " \
            "reach it, RAFFIA_WEB_AUTH must be USER:PASSWORD", {takes: "ADDRESS"}],
          [:web_read_only, :flag, false, "nothing can be changed there"],
          [:pid_file, :path, nil, "a file with the pid", {option: "--pidfile"}],
          worker[:tag],
          worker[:labels],
          [:json, :flag, false, "what is printed, and the log, as JSON"]
        ]]
      )
    end
  end
end
