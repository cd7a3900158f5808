# frozen_string_literal: true

require_relative "../../service/settings"

module Raffia
  module Jobs
    class Worker
      # Settings of a worker: keywords of {Worker.new}, flags of `raffia work`.
      Settings = Service::Settings.define(
        worker: ["Jobs", [
          [:queues, :strings, ["default"],
            "a queue; several are taken from in this order, or by weight (default)",
            {short: "-q", option: "--queue", takes: "NAME[,WEIGHT]"}],
          [:concurrency, :threads, 50, "jobs at a time in each process", {short: "-c"}],
          [:threads, :threads, 10, "of them on threads, at most"],
          [:timeout, :duration, 25, "that jobs have to end when the worker is to stop",
            {short: "-t"}],
          [:lease, :duration, 15,
            "after which the jobs of a worker that shows no heartbeat are others'"],
          [:hang_timeout, :seconds, nil,
            "replace a worker whose loop has stood still for so long; default: one that neither " \
              "runs Ruby code nor uses the processor for 60 s"],
          [:tag, :string, nil, "a name for these workers; default: the folder's"],
          [:labels, :strings, [], "something to tell them from others by", {option: "--label"}]
        ]]
      )
    end
  end
end
