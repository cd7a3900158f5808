# frozen_string_literal: true

# Tests boot and shut down the system themselves.
require_relative "../celluloid"

Celluloid.state.test!
