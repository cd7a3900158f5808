# frozen_string_literal: true

require_relative "mailer"
require_relative "io_wait"
require_relative "deflate"
require_relative "squares"
require_relative "many_tasks"
require_relative "http"
require_relative "http_cores"
require_relative "auto"

module Raffia
  module Lab
    # All experiments, in the order in which they are listed and run.
    EXPERIMENTS = [Mailer, IoWait, Deflate, Squares, ManyTasks, Http, HttpCores, Auto].to_h { |type| type.new.freeze.then { |e| [e.name, e] } }.freeze

    # @param name [String]
    # @return [Experiment]
    # @raise [ConfigError] when there is none of that name
    def self.experiment(name)
      EXPERIMENTS.fetch(name) do
        raise ConfigError, "there is no experiment #{name}: choose from #{EXPERIMENTS.keys.join(", ")}"
      end
    end
  end
end
