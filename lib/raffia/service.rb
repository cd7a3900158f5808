# frozen_string_literal: true

module Raffia
  # How a long-running command lives: its settings; in the {Foreground}, in worker processes as a
  # {Cluster}, or behind a {Handle} in a thread. It knows neither HTTP nor jobs nor actors.
  #
  # @api private
  module Service
  end
end

require_relative "service/cluster"
require_relative "service/foreground"
require_relative "service/handle"
require_relative "service/settings"
