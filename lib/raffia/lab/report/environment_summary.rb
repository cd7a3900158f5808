# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The environment in words.
      module EnvironmentSummary
        extend self

        # Facts by name. environment: of {Environment}.
        def of(environment)
          {"Raffia" => [environment[:raffia], environment[:commit]].compact.join(", commit "),
           "Ruby" => ruby(environment, environment[:ruby]), "Rubies" => rubies(environment),
           "machine" => machine(environment),
           "back end" => environment[:backend], "counters" => environment[:counters],
           "Ractors" => environment[:ractors]}.compact
        end

        # The Rubies of --ruby, nil without it.
        def rubies(environment)
          environment[:rubies]&.map { |each| "#{each[:label]}: #{ruby(each, each[:description])}" }
            &.join("; ")
        end

        def ruby(about, name) = "#{name}, YJIT #{about[:yjit] ? "on" : "off"}"

        private

        def machine(environment)
          parts = ["#{environment[:cores]} cores of #{environment[:cpu]}", environment[:kernel]]
          parts << "governor #{environment[:governor]}" if environment[:governor]
          parts << "load #{environment[:load]} before the first run" if environment[:load]
          parts.join(", ")
        end
      end
    end
  end
end
