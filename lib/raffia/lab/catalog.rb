# frozen_string_literal: true

require_relative "experiments"
require_relative "source"

module Raffia
  module Lab
    # Finds what is named on a command line: the lab's own experiments by name, one's own by their
    # file.
    module Catalog
      module_function

      # @param words [Array<String>] names and paths
      # @return [Array<Experiment>] each once
      # @raise [ConfigError] when there is none, or when a name would mean two
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
