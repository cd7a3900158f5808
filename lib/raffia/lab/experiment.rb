# frozen_string_literal: true

require_relative "../base/error"
require_relative "cell"
require_relative "control"
require_relative "limits"
require_relative "meter"
require_relative "metric"
require_relative "published_figures"

module Raffia
  module Lab
    # Superclass of all experiments, with the usual answers. A subclass defines name (people type
    # it), title (one line), params(scale), warm_up(setting), perform(setting) or serve(setting,
    # host), and verify(params, facts, report).
    #
    # * params: the sizes of the work, of JSON's types; a scale of 1.0 is the published size.
    # * warm_up: a small part of the work, so that the measured part finds its code loaded.
    # * perform: the work, in the process of the run. It returns facts, or a value for {#examine}.
    # * serve: instead of perform, when the run is driven from outside of its process.
    # * verify: checks facts (of perform and {#driven}) and the report of the helper process.
    #   Returns each check in words, and whether it holds. Checks are about results, never time.
    #
    # An experiment has no state: one instance describes the work in the lab's process, another
    # does it in the process of a run.
    class Experiment
      STRATEGIES = %i[inline fibers threads ractors processes].freeze

      # The user's file that defines it, nil for the lab's own.
      def defined_in = nil

      # Strategies, or other things to compare, in the order of the table.
      def variants = STRATEGIES

      # Plain Ruby that does the same work without Raffia: name of the control, and the variant that
      # it comes with.
      def controls = {}

      # Numbers of workers to measure by default.
      def workers(variant, cores) = (variant == :inline) ? [1] : [cores]

      # Whether the number of workers can be chosen.
      def workers?(variant) = variant != :inline

      # The size in words.
      def size(params) = params.map { |key, value| "#{key} #{value}" }.join(", ")

      # The helper process that a run needs, nil for none (see {Service}).
      def service = nil

      # Limits that the processes of a run need (see Process.setrlimit).
      def needs = {}

      def metric = Metric::SECONDS

      # The variant that the others are compared with, nil for none.
      def baseline = :inline

      # False for work that only waits.
      def cpu_bound? = true

      # Variants that cannot run on this machine, with reasons.
      def obstacles(_params) = {}

      # Prepares the work, unmeasured, in the process of the run. The value is Setting#given of the
      # following methods.
      def set_up(_setting) = nil

      # Turns perform's result into facts of JSON's types, unmeasured, in the process of the run.
      def examine(_setting, result) = result

      # Undoes {#set_up}.
      def tear_down(_setting) = nil

      # Commands to run one after the other while the child serves.
      def driver(_params, _announced) = nil

      # Facts from the outputs of the commands.
      def driven(_outputs) = {}

      # Further figures of a run for the table.
      def extras = []

      # Ratios that should hold on any machine.
      def goals(_rows) = []

      # Other people's figures of the same experiment.
      def published = PublishedFigures.of(name)

      # Sentences for readers of the table.
      def notes(_params) = []

      # Sentences from the rows of the table, with their runs' facts.
      def remarks(_rows) = []

      private

      def blocked(reason, names = variants) = reason ? names.to_h { |name| [name, reason] } : {}

      # Goals of CPU work, against the controls of processes and Ractors.
      def parallel_goals(rows)
        [Goal.at_least("processes at least 0.85x independent programs",
          rows.against(:processes, :plain_processes), 0.85),
          Goal.at_least("ractors at least 0.95x plain Ractor.new",
            rows.against(:ractors, :plain_ractors), 0.95)]
      end
    end
  end
end
