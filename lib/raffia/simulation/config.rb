# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Simulation
    # Variables of {Simulation.run} and {Simulation.explore}. All but RAFFIA_SEED go before what the
    # code says.
    #
    # | variable            | values                                               | default      |
    # |---------------------|------------------------------------------------------|--------------|
    # | RAFFIA_SEED         | the seed of explorations whose code gives none       | CI's commit, |
    # |                     |                                                      | else random  |
    # | RAFFIA_SCHEDULE     | a schedule or its file: runs that only               | none         |
    # | RAFFIA_SIM_RUNS     | runs of each exploration                             | the code's   |
    # | RAFFIA_SIM_STRATEGY | fifo random pct portfolio exhaustive                 | the code's   |
    # | RAFFIA_SIM_REPORT   | a folder for a page of HTML about each failure       | none         |
    # | RAFFIA_SIM_CORPUS   | a folder of schedules that failed, which run first   | none         |
    # | RAFFIA_SIM_TESTS    | all simulated: which tests of Minitest and RSpec run | all          |
    #
    # @api private
    Config = ::Data.define(:seed, :schedule, :runs, :strategy, :report, :corpus,
      :tests) do
      def self.load(variables = Raffia::Config.variables)
        new(seed: seed(variables), schedule: variables.string("RAFFIA_SCHEDULE"),
          runs: variables.count("RAFFIA_SIM_RUNS"),
          strategy: variables.choice("RAFFIA_SIM_STRATEGY", self::STRATEGIES),
          report: variables.string("RAFFIA_SIM_REPORT"),
          corpus: variables.string("RAFFIA_SIM_CORPUS"),
          tests: variables.choice("RAFFIA_SIM_TESTS", self::TESTS, :all))
      end

      # Runs of one commit have one seed, so that a rerun in CI repeats them.
      def self.seed(variables)
        text = variables.string("RAFFIA_SEED")
        return variables.string(*self::COMMITS)&.slice(/\A\h{8}/)&.to_i(16) unless text
        return text.to_i if text.match?(/\A\d{1,40}\z/)

        raise ConfigError, "RAFFIA_SEED=#{text} is no seed: use a whole number, or unset it"
      end
      private_class_method :seed
    end

    class Config
      STRATEGIES = %i[fifo random pct portfolio exhaustive].freeze
      TESTS = %i[all simulated].freeze
      # Variables of GitHub Actions, GitLab, Buildkite, CircleCI, Jenkins, Travis.
      COMMITS = %w[GITHUB_SHA CI_COMMIT_SHA BUILDKITE_COMMIT CIRCLE_SHA1 GIT_COMMIT
        TRAVIS_COMMIT].freeze
    end
  end
end
