# frozen_string_literal: true

require_relative "../raffia"
require_relative "lab/campaign"
require_relative "lab/environment"
require_relative "lab/catalog"
require_relative "lab/interpreter"
require_relative "lab/plan"
require_relative "lab/progress"
require_relative "lab/stop_signal"

module Raffia
  # Measures Raffia's strategies on the machine at hand, on real work whose results are checked.
  #
  # An {Experiment} describes the work; a {Selection} says on which {Cell}s and how often; a
  # {Campaign} runs them, each run a {Session} with a {Child} process of its own; {Rows} compares
  # the runs; an {Outcome} is what {Report} shows.
  #
  # The command `raffia lab` and the layout of its --json file are the interface; the classes here
  # may change.
  #
  # @api private
  module Lab
  end
end
