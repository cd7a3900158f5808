# frozen_string_literal: true

require_relative "../../lab/catalog"

module Raffia
  module CLI
    module Lab
      # `raffia lab list`: the lab's experiments, or those of files.
      #
      # @api private
      class Listing
        def initialize(out)
          @out = out
        end

        # @param words [Array<String>] files, or names; none for all that the lab has
        # The exit code.
        def call(words)
          list = words.empty? ? Raffia::Lab::EXPERIMENTS.values : Raffia::Lab::Catalog.find(words)
          width = list.map { |experiment| experiment.name.size }.max
          list.each { |experiment| tell(experiment, width) }
          OK
        end

        private

        def tell(experiment, width)
          rows = [*experiment.variants, *(experiment.controls.keys if experiment.defined_in)]
          @out.puts "#{experiment.name.ljust(width)}  #{experiment.title}",
            "#{" " * width}  " \
              "#{[experiment.size(experiment.params(1.0)), "on #{rows.join(", ")}"].reject(&:empty?).join("; ")}"
        end
      end
    end
  end
end
