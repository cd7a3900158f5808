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
  # Measures Raffia's strategies on this machine, on real work whose results are checked.
  #
  # An {Experiment} describes the work. A {Selection} has the {Cell}s to measure and the number of
  # runs. A {Campaign} runs them: each run is a {Session} with a {Child} process of its own. {Rows}
  # compares the runs, and {Report} shows the {Outcome}.
  #
  # The interface is the command `raffia lab` and the layout of its --json file.
  #
  # @api private
  module Lab
  end
end
