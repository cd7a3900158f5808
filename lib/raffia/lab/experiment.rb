# frozen_string_literal: true

require_relative "../base/error"
require_relative "cell"
require_relative "goal"
require_relative "metric"
require_relative "published_figures"

module Raffia
  module Lab
    # The parent of all experiments: what each has to say about itself, with the usual answers. An
    # experiment has no state: one instance of it describes the work in the lab's process, and
    # another does it in a process of its own.
    class Experiment
      STRATEGIES = %i[inline fibers threads ractors processes].freeze

      # @return [String] what people type
      def name = raise(NoMethodError, "#{self.class} has no name")

      # @return [String] one line
      def title = raise(NoMethodError, "#{self.class} has no title")

      # @return [String, nil] the file of the user's that defines it
      def defined_in = nil

      # @return [Array<Symbol>] strategies, or what the experiment compares instead, in the order of
      #   the table
      def variants = STRATEGIES

      # Plain Ruby to compare with: it does the same work without Raffia.
      #
      # @return [Hash{Symbol => Symbol}] from the control's name to the variant that it comes with
      def controls = {}

      # @param cores [Integer]
      # @return [Array<Integer>] the numbers of workers that say something about this variant here
      def workers(variant, cores) = (variant == :inline) ? [1] : [cores]

      # @param variant [Symbol]
      # @return [Boolean] whether there can be more or fewer workers of it
      def workers?(variant) = variant != :inline

      # @param scale [Float] 1.0 is the published size
      # @return [Hash{Symbol => Object}] sizes, of JSON's types
      def params(scale) = raise(NoMethodError, "#{self.class} has no params (scale #{scale})")

      # @param params [Hash]
      # @return [String] the size in words
      def size(params) = params.map { |key, value| "#{key} #{value}" }.join(", ")

      # @return [Symbol, nil] the helper process that a run needs (see {Service})
      def service = nil

      # @return [Hash{Symbol => Integer}] limits of the child processes that a run needs (see
      #   Process.setrlimit)
      def needs = {}

      # @return [Metric]
      def metric = Metric::SECONDS

      # @return [Symbol, nil] the variant that the others are compared with
      def baseline = :inline

      # @return [Boolean] whether the work needs cores at all, or only waits
      def cpu_bound? = true

      # Reasons why variants cannot run on this machine, known without running them.
      #
      # @return [Hash{Symbol => String}]
      def obstacles(_params) = {}

      # Prepares what the work needs, unmeasured, in the process of the run.
      #
      # @param _setting [Setting]
      # @return [Object] the following methods find it as Setting#given
      def set_up(_setting) = nil

      # A small part of the work, so that what is measured later finds its code loaded.
      #
      # @param setting [Setting]
      # @return [void]
      def warm_up(setting) = raise(NoMethodError, "#{self.class} cannot warm up #{setting.variant}")

      # The work itself, in the process of the run.
      #
      # @param setting [Setting]
      # @return [Object] what {#examine} gets; facts, when that is not there
      def perform(setting) = raise(NoMethodError, "#{self.class} cannot run #{setting.variant}")

      # What is to be told of the work's result. It comes after the measurement, still in the
      # process of the run.
      #
      # @param _setting [Setting]
      # @param result [Object] of {#perform}
      # @return [Hash{Symbol => Object}] facts for {#verify}, of JSON's types
      def examine(_setting, result) = result

      # Undo {#set_up}.
      #
      # @param _setting [Setting]
      # @return [void]
      def tear_down(_setting) = nil

      # Drive a run from outside of its process, if the experiment is measured from there: it has a
      # method serve instead of perform then.
      #
      # @return [Array<Array<String>>, nil] the commands to run, one after the other, while the
      #   child serves
      def driver(_params, _announced) = nil

      # @param _outputs [Array<String>] what the commands printed
      # @return [Hash{Symbol => Object}] facts for {#verify}
      def driven(_outputs) = {}

      # Check what a run says that it did. The checks are about results only, never about time.
      #
      # @param params [Hash]
      # @param facts [Hash] what {#perform} returned, and {#driven}
      # @param report [Hash] what the helper process saw
      # @return [Hash{String => Boolean}] each check in words, and whether it holds
      def verify(params, facts, report)
        raise(NoMethodError, "#{self.class} verifies nothing: #{params} #{facts} #{report}")
      end

      # @return [Array<Extra>] further figures of a run that the table shows
      def extras = []

      # @param _rows [Rows]
      # @return [Array<Goal>] what the figures should reach on any machine
      def goals(_rows) = []

      # @return [Array<PublishedFigures::Figure>] other people's figures of the same experiment
      def published = PublishedFigures.of(name)

      # @return [Array<String>] what a reader of the table should know
      def notes(_params) = []

      # @param _rows [Array<Hash>] of the table, with the runs' facts
      # @return [Array<String>] what the runs themselves told
      def remarks(_rows) = []
    end
  end
end
