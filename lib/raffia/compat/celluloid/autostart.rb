# frozen_string_literal: true

require_relative "../celluloid"

Celluloid.boot
Celluloid.register_shutdown
