# frozen_string_literal: true

module Raffia
  # How a long-running command lives: its settings, alone in the foreground or in worker processes
  # under a supervisor, as a handle for tests. It knows neither HTTP nor jobs nor actors.
  #
  # @api private
  module Service
  end
end

require_relative "service/settings"
