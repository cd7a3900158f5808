# frozen_string_literal: true

require_relative "source"
require_relative "mailer"
require_relative "io_wait"
require_relative "deflate"
require_relative "squares"
require_relative "many_tasks"
require_relative "http"
require_relative "http_cores"
require_relative "auto"
require_relative "blocking_db"
require_relative "ractor_web"
require_relative "fan_out"
require_relative "pipeline"
require_relative "wordcount"

module Raffia
  module Lab
    # All experiments, in the order in which they are listed and run.
    EXPERIMENTS = [Mailer, IoWait, Deflate, Squares, ManyTasks, Http, HttpCores, Auto, BlockingDB,
      RactorWeb, FanOut, Pipeline, Wordcount]
      .to_h { |type| type.new.freeze.then { |e| [e.name, e] } }.freeze

    # Look an experiment up; or, with a block, define one of one's own, in a file for `raffia lab
    # run ./FILE.rb`.
    #
    # @param name [String]
    # @yield the words of {Definition}
    # @return [Experiment]
    # @raise [ConfigError] when there is none of that name, or when the definition makes no sense
    def self.experiment(name, &definition)
      return Source.define(name, &definition) if definition
      EXPERIMENTS.fetch(name) do
        raise ConfigError, "there is no experiment #{name}: choose from " \
          "#{EXPERIMENTS.keys.join(", ")}"
      end
    end
  end
end
