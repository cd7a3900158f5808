# frozen_string_literal: true

# For tests, which boot and shut down themselves.
require_relative "../celluloid"

Celluloid.state.test!
