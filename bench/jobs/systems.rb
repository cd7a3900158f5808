# frozen_string_literal: true

module JobsBench
  # Each is one file, which is only loaded where it is measured.
  module Systems
    FILES = {Raffia: "raffia", RaffiaInProcess: "raffia", Sidekiq: "sidekiq",
             SolidQueue: "solid_queue", SolidQueueFibers: "solid_queue", Gush: "gush",
             GenevaDrive: "geneva_drive", AcidicJob: "acidic_job", GoodJob: "good_job", Resque: "resque",
             DelayedJob: "delayed_job", AsyncJob: "async_job", SuckerPunch: "sucker_punch"}.freeze

    # @param name [Symbol]
    # @return [Class]
    def self.fetch(name)
      require_relative "systems/#{FILES.fetch(name)}"
      const_get(name, false)
    end
  end
end
