# frozen_string_literal: true

require_relative "../celluloid"

Celluloid.state.debug = true
