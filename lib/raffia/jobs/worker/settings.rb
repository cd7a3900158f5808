# frozen_string_literal: true

require_relative "../../service/settings"

module Raffia
  module Jobs
    class Worker
      # Settings of a worker: keywords of {Worker.new}; `raffia work` has flags for the first ones.
      Settings = Service::Settings.define(
        worker: ["Jobs", [
          [:queues, :list, ["default"],
            "a queue; several are taken from in this order, or by weight (default)",
            {short: "-q", option: "--queue", takes: "NAME[,WEIGHT]"}],
          [:concurrency, :threads, 50, "jobs at a time in each process", {short: "-c"}],
          [:threads, :threads, 10, "of them on threads, at most"],
          [:timeout, :duration, 25, "that jobs have to end when the worker is to stop",
            {short: "-t"}],
          [:lease, :duration, 15,
            "after which the jobs of a worker without a heartbeat are others'"],
          [:hang_timeout, :seconds, 60,
            "replace a worker whose loop has stood still for so long; default: one that neither " \
              "runs Ruby code nor uses the processor for 60 s"],
          [:tag, :string, nil, "a name for these workers; default: the folder's"],
          [:labels, :strings, [], "something to tell them from others by", {option: "--label"}]
        ]],
        program: ["Keywords without a flag", [
          [:processes, :threads, nil, "jobs at a time on processes; default: one for each CPU"],
          [:ractors, :threads, nil, "jobs at a time in Ractors; default: one for each CPU"],
          [:beat, :duration, nil, "seconds between two heartbeats, which is how long a command " \
            "may take; default: a third of the lease"],
          [:recover, :duration, nil, "seconds between two searches for dead workers; default: a " \
            "third of the lease"],
          [:middleware, :object, nil, "a Middleware; default: the one that is set up"],
          [:instrument, :object, nil, "gets job_start, job_done and job_fail"],
          [:log, :object, nil, "a Logger; default: as RAFFIA_LOG says"],
          [:backend, :object, nil, "of the engine, as Raffia.run takes it"],
          [:wait, :flag, false, "wait for an unavailable store at the start instead of raising"],
          [:liveness, :object, nil, "gets beat while the worker is alive, see heartbeat"],
          [:heartbeat, %i[progress loop], :progress, "when liveness gets beat: while there is " \
            "progress, or while the loop turns, which a job that computes in a fiber keeps it " \
            "from"],
          [:monitored, :flag, true, "let a small process renew the lease when this one cannot"],
          [:isolated, :flag, false, "run suspects only, and end when there are none"]
        ]]
      )
    end
  end
end
