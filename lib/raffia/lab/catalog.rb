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

    # Looks an experiment up. With a block, defines one in a file for `raffia lab run ./FILE.rb`:
    # the block's self is a {Definition}.
    # Raises ConfigError for an unknown name or an incomplete definition.
    def self.experiment(name, &definition)
      return Source.define(name, &definition) if definition
      EXPERIMENTS.fetch(name) do
        raise ConfigError, "there is no experiment #{name}: choose from " \
          "#{EXPERIMENTS.keys.join(", ")}"
      end
    end

    # Finds the experiments that a command line names: the lab's own by name, a user's by file.
    module Catalog
      module_function

      # Raises ConfigError when there is none, or when two have the same name.
      def find(words)
        if words.empty?
          raise ConfigError, "name an experiment to run: #{EXPERIMENTS.keys.join(", ")}, all of " \
            "them, or a file of your own"
        end
        found =
          words.uniq.flat_map { |word| Source.file?(word) ? Source.load(word) : [named(word)] }.uniq
        found.each { |experiment| check(experiment, found) }
      end

      def named(word)
        return Lab.experiment(word) unless !EXPERIMENTS.key?(word) && File.file?("#{word}.rb")
        raise ConfigError, "there is no experiment #{word}, but a file: raffia lab run ./#{word}.rb"
      end

      def check(experiment, found)
        return unless experiment.defined_in
        if EXPERIMENTS.key?(experiment.name)
          raise ConfigError, "#{experiment.defined_in} defines #{experiment.name}, which the lab " \
            "has already: choose another name"
        end
        other = found.find { |each| each.name == experiment.name && !each.equal?(experiment) }
        if other
          raise ConfigError, "#{experiment.name} is defined in #{experiment.defined_in} and in " \
            "#{other.defined_in}: choose another name"
        end
      end

      private_class_method :named, :check
    end
  end
end
